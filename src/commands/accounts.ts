// `account` and `key`: creates and lists accounts and their keys, without an API key.
import { createAccount, createKey, revoke } from '../accounts/keys.ts';
import { listAccounts, listKeys } from '../accounts/store.ts';
import { systemClock } from '../base/clock.ts';
import type { Db } from '../db/db.ts';
import { onDatabase } from './database.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Throws unless the account exists. */
async function requireAccount(db: Db, accountId: string): Promise<void> {
  const accounts = await listAccounts(db);
  if (accounts.some(({ id }) => id === accountId)) return;
  throw new Error(`There is no account ${accountId}. Run "account list" to see all accounts.`);
}

/** Creates an account and prints its id and first key. */
export async function accountCreate(name: string): Promise<void> {
  if (name.trim() === '') throw new Error('An account needs a name.');
  await onDatabase(async ({ db }) => {
    const { accountId, key } = await createAccount({ db, clock: systemClock }, name);
    print(`Account ${name} created.\n  id       ${accountId}\n  API key  ${key.apiKey}`);
    print(
      'The key is shown only once. It has every scope; create keys with fewer scopes with POST /v1/keys.',
    );
  });
}

/** Prints all accounts. */
export async function accountList(): Promise<void> {
  await onDatabase(async ({ db }) => {
    for (const { id, name, created_at } of await listAccounts(db))
      print(`${id}  ${created_at.toISOString()}  ${name}`);
  });
}

/** Creates a key of an account and prints it. */
export async function keyCreate(
  accountId: string,
  options: { name: string; scopes: string[] },
): Promise<void> {
  await onDatabase(async ({ db }) => {
    await requireAccount(db, accountId);
    const key = await createKey({ db, clock: systemClock }, { accountId, ...options });
    print(`${key.apiKey}\nThe key is shown only once.`);
  });
}

/** Prints the active keys of an account, newest first. */
export async function keyList(accountId: string): Promise<void> {
  await onDatabase(async ({ db }) => {
    await requireAccount(db, accountId);
    const { rows } = await listKeys(db, accountId, { limit: 1000, offset: 0 }, new Date());
    for (const row of rows) print(`${row.id}  …${row.hint}  ${row.name}  ${row.scopes.join(',')}`);
  });
}

/** Revokes a key. */
export async function keyRevoke(accountId: string, keyId: string): Promise<void> {
  await onDatabase(async ({ db }) => {
    await requireAccount(db, accountId);
    await revoke({ db, clock: systemClock }, { accountId, keyId });
    print('Key revoked. Running gateways reject it within 5 seconds.');
  });
}
