// Making, rotating and revoking API keys, and making an account with its first key.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { isUuid, uuidv7 } from '../base/ids.ts';
import { scopes as allScopes } from '../contract/envelope.ts';
import type { Db, Tx } from '../db/db.ts';
import { invalidKey } from './authenticate.ts';
import { hashKey, hintOf, makeKey } from './key.ts';
import { type KeyBounds, requireWithin } from './key-bounds.ts';
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
}

/** A key row with the key itself, which is shown this once. */
export type MadeKey = KeyRow & { apiKey: string };

/** Makes an account and its first key, which carries every scope. */
export async function createAccount(
  deps: KeysDeps,
  name: string,
): Promise<{ accountId: string; key: MadeKey }> {
  const accountId = uuidv7(deps.clock.now());
  return deps.db.transaction().execute(async (tx) => {
    await insertAccount(tx, { id: accountId, name });
    const apiKey = makeKey();
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

/** Active keys of one account; those that were replaced and still work count too. */
const keysMax = 100;

/**
 * Throws 409 `key_limit_reached` if the account has as many active keys as it may have. Until the transaction ends,
 * nobody else adds one.
 */
async function requireRoom(tx: Tx, accountId: string, now: number): Promise<void> {
  await lockAccount(tx, accountId);
  if ((await countActiveKeys(tx, accountId, new Date(now))) < keysMax) return;
  throw new AppError(
    'key_limit_reached',
    `An account has at most ${keysMax} active keys. Revoke one first, or rotate one with overlapSeconds 0.`,
  );
}

/**
 * The bounds of the caller's key as they are now: a process may remember it for seconds after it was revoked (401) or
 * given an earlier end.
 */
async function boundsOf(tx: Tx, accountId: string, keyId: string, now: number): Promise<KeyBounds> {
  const row = await findKeyById(tx, accountId, keyId, new Date(now));
  if (!row) throw invalidKey();
  return { scopes: row.scopes, expiresAt: row.expires_at };
}

/**
 * Creates another key. `expiresAt` must be in the future (400); 409 `key_limit_reached` past 100 active keys. `callerKeyId`
 * is the key that asks for it: the new one expires with it unless told otherwise, and 403 `forbidden` if the new one would
 * have more scopes or expire later. Without it, the operator asks, and nothing is limited.
 */
export async function createKey(
  deps: KeysDeps,
  input: { accountId: string; name: string; scopes: string[]; expiresAt?: Date; callerKeyId?: string },
): Promise<MadeKey> {
  if (input.expiresAt && input.expiresAt.getTime() <= deps.clock.now()) {
    throw new AppError(
      'invalid_request',
      'expiresAt: lies in the past. Give an instant to come, or leave it out.',
      {
        errors: [{ path: 'expiresAt', message: 'lies in the past' }],
      },
    );
  }
  const apiKey = makeKey();
  const now = deps.clock.now();
  const row = await deps.db.transaction().execute(async (tx) => {
    await requireRoom(tx, input.accountId, now);
    const own = input.callerKeyId && (await boundsOf(tx, input.accountId, input.callerKeyId, now));
    const expiresAt = input.expiresAt ?? (own ? own.expiresAt : null);
    if (own) requireWithin(own, { scopes: input.scopes, expiresAt });
    return insertKeyRow(tx, {
      id: uuidv7(now),
      accountId: input.accountId,
      name: input.name,
      scopes: input.scopes,
      hash: hashKey(apiKey),
      hint: hintOf(apiKey),
      expiresAt,
    });
  });
  return { ...row, apiKey };
}

function keyNotFound(): AppError {
  return new AppError('key_not_found', 'There is no such key in this account.');
}

/**
 * A new key with the old one's name, scopes and end; the old one works for `overlapSeconds` more and counts until then:
 * 409 `key_limit_reached` if that makes more than 100 active keys. The caller gets to see the new key, so 403 `forbidden`
 * if the old one has more scopes than the key that asks, or expires later.
 */
export async function rotateKey(
  deps: KeysDeps,
  input: { accountId: string; keyId: string; overlapSeconds: number; callerKeyId: string },
): Promise<MadeKey> {
  const now = deps.clock.now();
  if (!isUuid(input.keyId)) throw keyNotFound();
  return deps.db.transaction().execute(async (tx) => {
    await lockAccount(tx, input.accountId);
    const old = await findKeyById(tx, input.accountId, input.keyId, new Date(now));
    if (!old) throw keyNotFound();
    const own = await boundsOf(tx, input.accountId, input.callerKeyId, now);
    requireWithin(own, { scopes: old.scopes, expiresAt: old.expires_at });
    await endKeyAt(tx, old.id, new Date(now + input.overlapSeconds * 1000));
    await requireRoom(tx, input.accountId, now);
    const apiKey = makeKey();
    const row = await insertKeyRow(tx, {
      id: uuidv7(now),
      accountId: input.accountId,
      name: old.name,
      scopes: old.scopes,
      hash: hashKey(apiKey),
      hint: hintOf(apiKey),
      expiresAt: old.expires_at,
    });
    return { ...row, apiKey };
  });
}

/**
 * Revokes a key immediately. The last key that may manage the account stays (409): without it no key could be created. A
 * key that ends sooner, such as one that was replaced and only works on for a while, does not count as another.
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
        'This is the last key that may manage the account. Make another one with the scope manage first.',
      );
    }
    if (!(await revokeKey(tx, input.accountId, input.keyId, now))) throw keyNotFound();
  });
}
