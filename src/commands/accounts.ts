// `account` and `key`: creates and lists accounts and their keys, in the database.
import { createAccount, createKey, revoke } from '../accounts/keys.ts';
import { listAccounts, listKeys } from '../accounts/store.ts';
import { systemClock } from '../base/clock.ts';
import { isBlank } from '../base/visible.ts';
import { readConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { accountOf } from './account-of.ts';
import { onDatabase } from './database.ts';
import { CommandError } from './exit-codes.ts';
import { say } from './output.ts';

/** The id of the account that an argument names, or of the only one. Throws what `accountOf` throws. */
const accountIdOf = async (db: Db, id: string | undefined): Promise<string> =>
  (await accountOf(db, id, 'Add the id of one')).id;

/** Creates an account and prints its id and first key. */
export async function accountCreate(name: string): Promise<object> {
  if (isBlank(name)) throw new CommandError('usage', 'An account needs a name.');
  return onDatabase(async ({ db }) => {
    const { cell } = readConfig();
    const { accountId, key } = await createAccount({ db, clock: systemClock, cell }, name);
    say(`Account ${name} created.\n  id       ${accountId}\n  API key  ${key.apiKey}`);
    say('The key is shown only once. It has every scope; create keys with fewer scopes with "key create".');
    return { accountId, name, keyId: key.id, apiKey: key.apiKey };
  });
}

/** Prints all accounts. */
export async function accountList(): Promise<object> {
  return onDatabase(async ({ db }) => {
    const accounts = (await listAccounts(db)).map(({ id, name, created_at }) => ({
      accountId: id,
      name,
      createdAt: created_at.toISOString(),
    }));
    for (const { accountId, name, createdAt } of accounts) say(`${accountId}  ${createdAt}  ${name}`);
    return { accounts };
  });
}

/** Creates a key of an account and prints it. */
export async function keyCreate(
  ofAccount: string | undefined,
  options: { name: string; scopes: string[] },
): Promise<object> {
  return onDatabase(async ({ db }) => {
    const accountId = await accountIdOf(db, ofAccount);
    const { cell } = readConfig();
    const key = await createKey({ db, clock: systemClock, cell }, { accountId, ...options });
    say(`${key.apiKey}\nThe key is shown only once.`);
    return { keyId: key.id, name: key.name, scopes: key.scopes, apiKey: key.apiKey };
  });
}

/** Prints the active keys of an account, newest first. */
export async function keyList(ofAccount: string | undefined): Promise<object> {
  return onDatabase(async ({ db }) => {
    const accountId = await accountIdOf(db, ofAccount);
    const { rows } = await listKeys(db, accountId, { limit: 1000, offset: 0 }, new Date());
    for (const row of rows) say(`${row.id}  …${row.hint}  ${row.name}  ${row.scopes.join(',')}`);
    const keys = rows.map((row) => ({
      keyId: row.id,
      hint: row.hint,
      name: row.name,
      scopes: row.scopes,
      createdAt: row.created_at.toISOString(),
      expiresAt: row.expires_at?.toISOString() ?? null,
      lastUsedAt: row.last_used_at?.toISOString() ?? null,
    }));
    return { keys };
  });
}

/** Revokes a key. */
export async function keyRevoke(accountId: string, keyId: string): Promise<object> {
  return onDatabase(async ({ db }) => {
    await accountIdOf(db, accountId);
    await revoke({ db, clock: systemClock }, { accountId, keyId });
    say('Key revoked. Running gateways reject it within 5 seconds.');
    return { keyId, revoked: true };
  });
}
