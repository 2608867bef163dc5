// What the messaging platform calls: its handshake, and its callbacks, answered only when their content is committed.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Cipher } from '../base/cipher.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { KeyedHash } from '../base/keyed-hash.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Db } from '../db/db.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { callbackBodyLimits, openStrangerBodies } from '../http/stranger-body.ts';
import type { CallbackContent, MessagingPlatform } from '../ports/platform.ts';
import type { PublishDeps } from '../webhooks/publish.ts';
import { appSecretHashes, openSecret } from './senders/access.ts';
import { findSenderById, findSendersOfApp, type SenderRow } from './senders/store.ts';
import type { ApplyReports } from './sending/apply-statuses.ts';
import { type ReactDeps, reactToNumberErrors } from './sending/react-to-failures.ts';
import { applyTemplateReports, requestReadings } from './templates/apply-reports.ts';

export interface CallbackDeps extends PublishDeps, Pick<ReactDeps, 'hot'> {
  db: Db;
  clock: Clock;
  log: Log;
  cipher: Cipher;
  keyedHash: KeyedHash;
  platform: Pick<MessagingPlatform, 'isSignature' | 'isCallbackSigned' | 'readCallback' | 'classify'>;
  applyReports: ApplyReports;
  nudgeSync: () => void;
  /** Tells the worker that messages of templates may go on. */
  nudgeQueue: () => void;
  metrics: Pick<Metrics, 'statuses'>;
}

const rememberMs = 5_000;
const rememberedMax = 10_000;

interface App {
  sender: SenderRow;
  appSecret: string;
  verifyToken: string;
  /** All numbers of the same platform app: it posts them all to one address. */
  numbers: SenderRow[];
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const sameText = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));

interface Apps {
  /** The app behind a callback address, remembered for seconds; 404 if there is none. */
  of(senderId: string): Promise<App>;
  /** The same as it is now. */
  fresh(senderId: string): Promise<App>;
}

function openApps(deps: CallbackDeps): Apps {
  const remembered = new Map<string, { app: Promise<App>; until: number }>();

  async function read(senderId: string): Promise<App> {
    const sender = isUuid(senderId) ? await findSenderById(deps.db, senderId) : undefined;
    if (!sender) throw new AppError('not_found', 'There is no sender behind this address.');
    const appSecret = openSecret(deps.cipher, sender, 'app_secret');
    return {
      sender,
      appSecret,
      verifyToken: openSecret(deps.cipher, sender, 'verify_token'),
      numbers: await findSendersOfApp(deps.db, appSecretHashes(deps.keyedHash, appSecret)),
    };
  }

  /** A reading that has not begun yet is shared by all who ask until then; none is answered by an older one. */
  const beginning = new Map<string, Promise<App>>();

  function fresh(senderId: string): Promise<App> {
    const shared = beginning.get(senderId);
    if (shared) return shared;
    const app = nextTurn().then(() => {
      beginning.delete(senderId);
      return read(senderId);
    });
    beginning.set(senderId, app);
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(senderId, { app, until: deps.clock.steady() + rememberMs });
    app.catch(() => remembered.delete(senderId));
    return app;
  }

  return {
    fresh,
    of(senderId) {
      const known = remembered.get(senderId);
      return known && known.until > deps.clock.steady() ? known.app : fresh(senderId);
    },
  };
}

function notSigned(): AppError {
  return new AppError('signature_invalid', "The callback's signature is missing or wrong.");
}

/** The header, if there is one of the form that the platform sends; 401 otherwise. */
function signatureOf(deps: CallbackDeps, header: string | string[] | undefined): string {
  if (typeof header === 'string' && deps.platform.isSignature(header)) return header;
  throw notSigned();
}

/** The app whose secret signed these bytes; one whose secret was changed a moment ago is read again. 401 if neither did. */
async function signedApp(
  deps: CallbackDeps,
  apps: Apps,
  senderId: string,
  rawBody: Buffer,
  signature: string,
): Promise<App> {
  for (const read of [apps.of, apps.fresh]) {
    const app = await read(senderId);
    if (deps.platform.isCallbackSigned(rawBody, signature, app.appSecret)) return app;
  }
  throw notSigned();
}

/** A callback whose signature was verified. */
interface SignedCallback {
  app: App;
  rawBody: Buffer;
}

/** GET and POST /callbacks/messaging/:senderId. */
export function messagingCallbackRoutes(server: Server, deps: CallbackDeps): void {
  const apps = openApps(deps);
  const params = Type.Object({ senderId: Type.String() });

  server.get(
    '/callbacks/messaging/:senderId',
    { schema: { hide: true, params, querystring: Type.Object({}, { additionalProperties: true }) } },
    async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const { verifyToken } = await apps.fresh(request.params.senderId);
      const said = (name: string) => (typeof query[name] === 'string' ? query[name] : '');
      const isRight = said('hub.mode') === 'subscribe' && sameText(said('hub.verify_token'), verifyToken);
      if (!isRight) throw new AppError('forbidden', "The handshake's verify token is not this sender's.");
      return reply.type('text/plain; charset=utf-8').send(said('hub.challenge'));
    },
  );

  const readBody = openStrangerBodies(callbackBodyLimits);

  server.register(async (scope) => {
    const verified = async (request: FastifyRequest, rawBody: Buffer): Promise<SignedCallback> => {
      const { senderId } = request.params as { senderId: string };
      const signature = signatureOf(deps, request.headers['x-hub-signature-256']);
      return { app: await signedApp(deps, apps, senderId, rawBody, signature), rawBody };
    };
    // nothing is read of a body that cannot turn out to be signed
    scope.addHook('onRequest', async (request) => {
      signatureOf(deps, request.headers['x-hub-signature-256']);
      await apps.of((request.params as { senderId: string }).senderId);
    });
    // the signature is over the bytes as they came
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
      readBody(request, payload, (rawBody) => verified(request, rawBody)),
    );
    scope.post(
      '/callbacks/messaging/:senderId',
      // the headers that guard browsers say nothing to the platform, and this path is the busiest of all
      { schema: { hide: true, params }, helmet: false },
      async (request) => {
        const { senderId } = request.params as { senderId: string };
        const signed = request.body as SignedCallback | undefined;
        const { app, rawBody } = signed ?? (await verified(request, Buffer.alloc(0)));
        const content = deps.platform.readCallback(rawBody);
        // what was added a moment ago may not be remembered yet
        const isKnown =
          [...content.statuses, ...content.numbers].every((one) => hasNumber(app, one.phoneNumberId)) &&
          content.templates.every((one) => hasBusinessAccount(app, one.businessAccountId));
        await applyCallback(deps, isKnown ? app : await apps.fresh(senderId), content);
        return ok('Taken.', null);
      },
    );
  });
}

const hasNumber = (app: App, phoneNumberId: string) =>
  app.numbers.some((number) => number.phone_number_id === phoneNumberId);

const hasBusinessAccount = (app: App, businessAccountId: string) =>
  app.numbers.some((number) => number.business_account_id === businessAccountId);

async function applyCallback(deps: CallbackDeps, app: App, content: CallbackContent): Promise<void> {
  const accountsOf = (phoneNumberId: string) =>
    app.numbers
      .filter((number) => number.phone_number_id === phoneNumberId)
      .map((number) => number.account_id);
  const reports = content.statuses.map((report) => ({
    accountIds: accountsOf(report.phoneNumberId),
    report,
  }));
  const foreign = reports.filter(({ accountIds }) => accountIds.length === 0).length;
  const applied = await deps.applyReports({
    reports: reports.filter(({ accountIds }) => accountIds.length > 0),
  });
  if (content.templates.length > 0) await applyTemplates(deps, app, content);
  const numbers = content.numbers.map((report) => {
    const own = app.numbers.filter((number) => number.phone_number_id === report.phoneNumberId);
    return { ...report, senderIds: own.map(({ id }) => id) };
  });
  await reactToNumberErrors(deps, numbers);
  deps.log.debug(
    { senderId: app.sender.id, ...applied, foreign, ignored: content.ignored },
    'callback.applied',
  );
  if (applied.moved > 0) deps.metrics.statuses.inc({ outcome: 'moved' }, applied.moved);
  if (foreign + applied.unknown > 0) {
    deps.metrics.statuses.inc({ outcome: 'unmatched' }, foreign + applied.unknown);
    deps.log.info({ senderId: app.sender.id, foreign, unknown: applied.unknown }, 'callback.unmatched');
  }
}

async function applyTemplates(deps: CallbackDeps, app: App, content: CallbackContent): Promise<void> {
  const businessAccounts = app.numbers.map((number) => ({
    accountId: number.account_id,
    businessAccountId: number.business_account_id,
  }));
  const { startable, toRead, hasChanged } = await deps.db
    .transaction()
    .execute((tx) => applyTemplateReports(deps, tx, businessAccounts, content.templates));
  deps.deliveries.offer(startable);
  await requestReadings(deps.db, toRead);
  deps.nudgeQueue();
  if (toRead.length > 0 || hasChanged) deps.nudgeSync();
}
