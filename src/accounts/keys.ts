// Making, rotating and revoking API keys, and making an account with its first key.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { isUuid, uuidv7 } from '../base/ids.ts';
import { scopes as allScopes } from '../contract/envelope.ts';
import type { Db, Tx } from '../db/db.ts';
import { hashKey, hintOf, makeKey } from './key.ts';
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

/** Makes a further key. `expiresAt` must lie in the future (400); 409 `key_limit_reached` past 100 active keys. */
export async function createKey(
  deps: KeysDeps,
  input: { accountId: string; name: string; scopes: string[]; expiresAt?: Date },
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
    return insertKeyRow(tx, {
      id: uuidv7(now),
      accountId: input.accountId,
      name: input.name,
      scopes: input.scopes,
      hash: hashKey(apiKey),
      hint: hintOf(apiKey),
      expiresAt: input.expiresAt ?? null,
    });
  });
  return { ...row, apiKey };
}

function keyNotFound(): AppError {
  return new AppError('key_not_found', 'There is no such key in this account.');
}

/**
 * A new key with the old one's name, scopes and end; the old one works for `overlapSeconds` more and counts until then:
 * 409 `key_limit_reached` if that makes more than 100 active keys.
 */
export async function rotateKey(
  deps: KeysDeps,
  input: { accountId: string; keyId: string; overlapSeconds: number },
): Promise<MadeKey> {
  const now = deps.clock.now();
  if (!isUuid(input.keyId)) throw keyNotFound();
  return deps.db.transaction().execute(async (tx) => {
    await lockAccount(tx, input.accountId);
    const old = await findKeyById(tx, input.accountId, input.keyId, new Date(now));
    if (!old) throw keyNotFound();
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
 * Revokes a key at once. The last key that may manage the account stays (409): without it nobody could make another. A
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
