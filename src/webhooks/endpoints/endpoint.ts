// Operations on endpoints: create, change and delete them, and rotate their secrets.

import { randomBytes } from 'node:crypto';
import { audit } from '../../audit/store.ts';
import type { Cipher } from '../../base/cipher.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, invalidRequest, type Problem } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import type { SubscribableKind } from '../../contract/webhooks.ts';
import type { Db, Tx } from '../../db/db.ts';
import { encryptSecret, type SecretColumn, validSecrets } from './secrets.ts';
import { secretProblem } from './sign.ts';
import { endpointStatus } from './status.ts';
import {
  countEndpointsForInsert,
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  updateEndpoint,
  writeSecrets,
} from './store.ts';

export interface EndpointDeps {
  db: Db;
  clock: Clock;
  cipher: Cipher;
  /** Checks which addresses may be called. */
  webhookOutgoing: Pick<Outgoing, 'checkTarget'>;
}

const endpointsPerAccountMax = 10;

/** An endpoint with its secret, which is shown only once. */
export type EndpointWithSecret = EndpointRow & { shownSecret: string };

const generateSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The 404 of an endpoint. */
export function endpointNotFound(): AppError {
  return new AppError('endpoint_not_found', 'There is no such webhook endpoint in this account.');
}

/** The account's endpoint, or 404. */
export async function getEndpoint(
  db: Db | Tx,
  accountId: string,
  id: string,
  lock: 'read' | 'forUpdate' = 'read',
): Promise<EndpointRow> {
  const row = isUuid(id) ? await findEndpoint(db, accountId, id, lock) : undefined;
  if (!row) throw endpointNotFound();
  return row;
}

async function urlProblems(deps: Pick<EndpointDeps, 'webhookOutgoing'>, url: string): Promise<Problem[]> {
  // URL would accept spaces and line breaks, and https:example.com, and call another text than the one that lists show
  if (!URL.canParse(url) || /[\s\p{Cc}]/u.test(url) || /^https?:(?!\/\/)/i.test(url)) {
    const message = 'must be an absolute URL without spaces, for example https://example.com/hooks';
    return [{ path: 'url', message }];
  }
  const why = await deps.webhookOutgoing.checkTarget(new URL(url));
  return why === undefined ? [] : [{ path: 'url', message: `is not allowed: ${why}` }];
}

function secretProblems(secret: string | undefined): Problem[] {
  const message = secret === undefined ? undefined : secretProblem(secret);
  return message === undefined ? [] : [{ path: 'secret', message }];
}

/** Creates an endpoint; 400 for a URL that may not be called, 409 `endpoint_limit_reached` beyond ten. */
export async function createEndpoint(
  deps: EndpointDeps,
  input: {
    accountId: string;
    url: string;
    description?: string;
    events?: SubscribableKind[];
    secret?: string;
  },
): Promise<EndpointWithSecret> {
  const problems = [...(await urlProblems(deps, input.url)), ...secretProblems(input.secret)];
  if (problems.length > 0) throw invalidRequest(problems);
  const id = uuidv7(deps.clock.now());
  const secret = input.secret ?? generateSecret();
  const row = await deps.db.transaction().execute(async (tx) => {
    if ((await countEndpointsForInsert(tx, input.accountId)) >= endpointsPerAccountMax) {
      throw new AppError(
        'endpoint_limit_reached',
        `An account has at most ${endpointsPerAccountMax} webhook endpoints. Delete one first.`,
      );
    }
    const created = await insertEndpoint(tx, {
      id,
      accountId: input.accountId,
      url: input.url,
      description: input.description ?? null,
      events: input.events ?? ['messages.status'],
      secret: encryptSecret(deps.cipher, secret, id, 'secret'),
    });
    const { url, events } = created;
    await audit(tx, input.accountId, 'endpoint.created', id, { url: withoutSecrets(url), events });
    return created;
  });
  return { ...row, shownSecret: secret };
}

/** Changes the given fields. `status: active` also re-enables a disabled endpoint and ends its rest. */
export async function changeEndpoint(
  deps: EndpointDeps,
  input: {
    accountId: string;
    id: string;
    url?: string;
    description?: string | null;
    events?: SubscribableKind[];
    status?: typeof endpointStatus.active | typeof endpointStatus.paused;
  },
): Promise<EndpointRow> {
  await getEndpoint(deps.db, input.accountId, input.id);
  const problems = input.url === undefined ? [] : await urlProblems(deps, input.url);
  if (problems.length > 0) throw invalidRequest(problems);
  return deps.db.transaction().execute(async (tx) => {
    const row = await getEndpoint(tx, input.accountId, input.id, 'forUpdate');
    const { url, events, status } = input;
    await audit(tx, input.accountId, 'endpoint.updated', row.id, {
      ...{ events, status, url: url === undefined ? undefined : withoutSecrets(url) },
    });
    return updateEndpoint(tx, row.id, {
      url: input.url ?? row.url,
      description: input.description === undefined ? row.description : input.description,
      events: input.events ?? row.events,
      status: input.status ?? row.status,
      restart: input.status === endpointStatus.active,
    });
  });
}

/** Deletes an endpoint; 404 if there is none. */
export async function removeEndpoint(
  deps: Pick<EndpointDeps, 'db'>,
  input: { accountId: string; id: string },
): Promise<void> {
  if (!isUuid(input.id)) throw endpointNotFound();
  await deps.db.transaction().execute(async (tx) => {
    if (!(await deleteEndpoint(tx, input.accountId, input.id))) throw endpointNotFound();
    await audit(tx, input.accountId, 'endpoint.deleted', input.id);
  });
}

/**
 * Rotates an endpoint's secret. During `overlapSeconds` both secrets sign `webhook-signature`, and `x-webhook-signature` keeps the old one until
 * `activateSecret` or the end of the overlap. 409 `rotation_in_progress` while an earlier rotation awaits its activation.
 */
export async function rotateSecret(
  deps: Pick<EndpointDeps, 'db' | 'cipher' | 'clock'>,
  input: { accountId: string; id: string; overlapSeconds: number; secret?: string },
): Promise<EndpointWithSecret> {
  const problems = secretProblems(input.secret);
  const fresh = input.secret ?? generateSecret();
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (tx) => {
    const row = await getEndpoint(tx, input.accountId, input.id, 'forUpdate');
    if (problems.length > 0) throw invalidRequest(problems);
    if (overlaps(row, now) && !row.next_activated) {
      throw new AppError(
        'rotation_in_progress',
        `A rotation is in progress until ${row.overlap_until?.toISOString()}. Activate its secret first (activate-secret), or wait.`,
      );
    }
    const { forBody } = validSecrets(deps.cipher, row, now);
    const encrypt = (plain: string, column: SecretColumn) =>
      encryptSecret(deps.cipher, plain, row.id, column);
    const changed = await writeSecrets(
      tx,
      row.id,
      input.overlapSeconds === 0
        ? { secret: encrypt(fresh, 'secret'), next: null, activated: false }
        : {
            secret: encrypt(forBody, 'secret'),
            next: {
              secret: encrypt(fresh, 'next_secret'),
              overlapUntil: new Date(now + input.overlapSeconds * 1000),
            },
            activated: false,
          },
    );
    const { overlapSeconds } = input;
    await audit(tx, input.accountId, 'endpoint.secret_rotated', row.id, { overlapSeconds });
    return { ...changed, shownSecret: fresh };
  });
}

/** Signs `x-webhook-signature` with the new secret from now on. `webhook-signature` keeps both until the overlap ends. */
export async function activateSecret(
  deps: Pick<EndpointDeps, 'db' | 'clock'>,
  input: { accountId: string; id: string },
): Promise<EndpointRow> {
  return deps.db.transaction().execute(async (tx) => {
    const row = await getEndpoint(tx, input.accountId, input.id, 'forUpdate');
    // activated before, or the overlap has ended
    if (!row.next_secret || !row.overlap_until || !overlaps(row, deps.clock.now())) return row;
    await audit(tx, input.accountId, 'endpoint.secret_activated', row.id);
    return writeSecrets(tx, row.id, {
      secret: row.secret,
      next: { secret: row.next_secret, overlapUntil: row.overlap_until },
      activated: true,
    });
  });
}

/** An address without user information and query, which may be secrets. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Whether a rotation's overlap is running: two secrets are valid. */
export function overlaps(row: EndpointRow, nowMs: number): boolean {
  return row.overlap_until !== null && row.overlap_until.getTime() > nowMs;
}
