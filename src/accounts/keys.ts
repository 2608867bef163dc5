// Creation, rotation and revocation of API keys, and creation of an account with its first key.
import { audit, listAudit } from '../audit/store.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { isUuid, uuidv7 } from '../base/ids.ts';
import { scopes as allScopes } from '../contract/envelope.ts';
import type { Db, Tx } from '../db/db.ts';
import { boundsOf, type Creator } from './caller-bounds.ts';
import { hashKey, hintOf, makeKey } from './key.ts';
import { requireWithinBounds } from './key-bounds.ts';
import {
  countActiveKeys,
  endKeyAt,
  findKeyById,
  insertAccount,
  insertKeyRow,
  type KeyRow,
  lockAccount,
  lockManagingKeys,
  revokeKey,
} from './store.ts';

export interface KeysDeps {
  db: Db;
  clock: Clock;
  /** The cell that new keys name; null or omitted: none. */
  cell?: string | null;
}

/** A key's row with the key itself, which is shown only once. */
export type CreatedKey = KeyRow & { apiKey: string };

/** Creates an account and its first key, which has every scope. `accountId` is a new id. */
export async function createAccount(
  deps: KeysDeps,
  name: string,
  accountId = uuidv7(deps.clock.now()),
): Promise<{ accountId: string; key: CreatedKey }> {
  return deps.db.transaction().execute(async (tx) => {
    await insertAccount(tx, { id: accountId, name });
    await audit(tx, accountId, 'account.created', accountId, { name });
    const apiKey = makeKey(deps.cell);
    const row = await insertKeyRow(tx, {
      id: uuidv7(deps.clock.now()),
      accountId,
      name: 'first key',
      scopes: [...allScopes],
      hash: hashKey(apiKey),
      hint: hintOf(apiKey),
      expiresAt: null,
    });
    return { accountId, key: { ...row, apiKey } };
  });
}

/** Maximum active keys of an account, including replaced keys during their overlap. */
const keysMax = 100;

/**
 * Throws 409 `key_limit_reached` if the account has the maximum of active keys. Locks the account, so that no other
 * transaction adds a key.
 */
async function requireBelowLimit(tx: Tx, accountId: string, now: number): Promise<void> {
  await lockAccount(tx, accountId);
  if ((await countActiveKeys(tx, accountId, new Date(now))) < keysMax) return;
  throw new AppError(
    'key_limit_reached',
    `An account has at most ${keysMax} active keys. Revoke one first, or rotate one with overlapSeconds 0.`,
  );
}

/**
 * Creates a key. Throws 400 if `expiresAt` is in the past, and 409 `key_limit_reached` at 100 active keys. `creator` is the
 * requesting key or session: its expiry is the default for the new key; throws 403 `forbidden` if the new key would have more
 * scopes or expire later. Without `creator`, the operator creates the key, without these bounds.
 */
export async function createKey(
  deps: KeysDeps,
  input: { accountId: string; name: string; scopes: string[]; expiresAt?: Date; creator?: Creator },
): Promise<CreatedKey> {
  if (input.expiresAt && input.expiresAt.getTime() <= deps.clock.now()) {
    throw new AppError('invalid_request', 'expiresAt: is in the past. Set a future time, or omit it.', {
      errors: [{ path: 'expiresAt', message: 'is in the past; set a future time, or omit it' }],
    });
  }
  const apiKey = makeKey(deps.cell);
  const now = deps.clock.now();
  const row = await deps.db.transaction().execute(async (tx) => {
    await requireBelowLimit(tx, input.accountId, now);
    const own = input.creator && (await boundsOf(tx, input.accountId, input.creator, now));
    const expiresAt = input.expiresAt ?? (own ? own.expiresAt : null);
    if (own) requireWithinBounds(own, { scopes: input.scopes, expiresAt });
    const created = await insertKeyRow(tx, {
      id: uuidv7(now),
      accountId: input.accountId,
      name: input.name,
      scopes: input.scopes,
      hash: hashKey(apiKey),
      hint: hintOf(apiKey),
      expiresAt,
    });
    const { name, scopes } = created;
    await audit(tx, input.accountId, 'key.created', created.id, { name, scopes, expiresAt });
    return created;
  });
  return { ...row, apiKey };
}

function keyNotFound(): AppError {
  return new AppError('key_not_found', 'There is no such key in this account.');
}

/** Throws 409 for a key that was rotated: another new one would expire with the overlap of the old one. */
async function requireNotReplaced(tx: Tx, accountId: string, keyId: string): Promise<void> {
  // an overlap is at most 30 days, and the audit log is kept for at least 90
  const [rotation] = await listAudit(tx, accountId, { action: 'key.rotated', subjectId: keyId, limit: 1 });
  if (!rotation) return;
  throw new AppError(
    'rotation_in_progress',
    `This key was replaced by the key ${rotation.changes.replacedBy}, and works until its overlap ends. Rotate that one, or revoke this one.`,
  );
}

/**
 * Creates a key with the old one's name, scopes and expiry. The old key works and counts for `overlapSeconds` more; throws 409
 * `rotation_in_progress` if it was rotated already, and `key_limit_reached` beyond 100 active keys. The caller receives the new key, so throws 403 `forbidden` if the old key has
 * more scopes than the caller's key or expires later.
 */
export async function rotateKey(
  deps: KeysDeps,
  input: { accountId: string; keyId: string; overlapSeconds: number; creator: Creator },
): Promise<CreatedKey> {
  const now = deps.clock.now();
  if (!isUuid(input.keyId)) throw keyNotFound();
  return deps.db.transaction().execute(async (tx) => {
    await lockAccount(tx, input.accountId);
    const old = await findKeyById(tx, input.accountId, input.keyId, new Date(now));
    if (!old) throw keyNotFound();
    const own = await boundsOf(tx, input.accountId, input.creator, now);
    requireWithinBounds(own, { scopes: old.scopes, expiresAt: old.expires_at });
    await requireNotReplaced(tx, input.accountId, old.id);
    await endKeyAt(tx, old.id, new Date(now + input.overlapSeconds * 1000));
    await requireBelowLimit(tx, input.accountId, now);
    const apiKey = makeKey(deps.cell);
    const row = await insertKeyRow(tx, {
      id: uuidv7(now),
      accountId: input.accountId,
      name: old.name,
      scopes: old.scopes,
      hash: hashKey(apiKey),
      hint: hintOf(apiKey),
      expiresAt: old.expires_at,
    });
    const { overlapSeconds } = input;
    await audit(tx, input.accountId, 'key.rotated', old.id, { replacedBy: row.id, overlapSeconds });
    return { ...row, apiKey };
  });
}

/**
 * Revokes a key immediately. Throws 409 for the last key with the scope `manage`: without it no key could be created. Keys that
 * expire earlier, such as replaced ones, do not count as another one.
 */
export async function revoke(deps: KeysDeps, input: { accountId: string; keyId: string }): Promise<void> {
  const now = new Date(deps.clock.now());
  if (!isUuid(input.keyId)) throw keyNotFound();
  await deps.db.transaction().execute(async (tx) => {
    const managing = await lockManagingKeys(tx, input.accountId, now);
    const revoked = managing.find((key) => key.id === input.keyId);
    const end = (key: { expires_at: Date | null }) => key.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
    if (revoked && !managing.some((key) => key !== revoked && end(key) >= end(revoked))) {
      throw new AppError(
        'last_manage_key',
        'This is the last key that can manage the account. Create another one with the scope manage first.',
      );
    }
    if (!(await revokeKey(tx, input.accountId, input.keyId, now))) throw keyNotFound();
    await audit(tx, input.accountId, 'key.revoked', input.keyId);
  });
}
