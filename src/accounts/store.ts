// Rows of accounts and API keys.
import { sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';

export interface KeyRow {
  id: string;
  account_id: string;
  name: string;
  scopes: string[];
  hint: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** Inserts an account. */
export async function insertAccount(db: Db | Tx, account: { id: string; name: string }): Promise<void> {
  await db.insertInto('accounts').values(account).execute();
}

/** The name of an account. */
export async function findAccount(db: Db, id: string): Promise<{ name: string } | undefined> {
  return db.selectFrom('accounts').select('name').where('id', '=', id).executeTakeFirst();
}

/** All accounts, oldest first. */
export async function listAccounts(db: Db): Promise<{ id: string; name: string; created_at: Date }[]> {
  return db.selectFrom('accounts').select(['id', 'name', 'created_at']).orderBy('id').execute();
}

/** Inserts a key with its hash. */
export async function insertKeyRow(
  db: Db | Tx,
  key: {
    id: string;
    accountId: string;
    name: string;
    scopes: string[];
    hash: Buffer;
    hint: string;
    expiresAt: Date | null;
  },
): Promise<KeyRow> {
  return db
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: key.accountId,
      name: key.name,
      scopes: key.scopes,
      hash: key.hash,
      hint: key.hint,
      expires_at: key.expiresAt,
    })
    .returning(['id', 'account_id', 'name', 'scopes', 'hint', 'created_at', 'expires_at', 'last_used_at'])
    .executeTakeFirstOrThrow();
}

/** The key with that hash, if it is neither revoked nor expired at `now`. */
export async function findActiveKey(db: Db, hash: Buffer, now: Date): Promise<KeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .select(['id', 'account_id', 'name', 'scopes', 'hint', 'created_at', 'expires_at', 'last_used_at'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst();
}

/** The account's active key with that id. */
export async function findKeyById(
  db: Db | Tx,
  accountId: string,
  id: string,
  now: Date,
): Promise<KeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .select(['id', 'account_id', 'name', 'scopes', 'hint', 'created_at', 'expires_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst();
}

/** One page of the account's active keys, newest first, and their number. */
export async function listKeys(
  db: Db,
  accountId: string,
  window: { limit: number; offset: number },
  now: Date,
): Promise<{ rows: KeyRow[]; total: number }> {
  const active = db
    .selectFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
  const rows = await active
    .select(['id', 'account_id', 'name', 'scopes', 'hint', 'created_at', 'expires_at', 'last_used_at'])
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  const { total } = await active
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Locks an account against concurrent changes of its keys until the transaction ends; false if it does not exist. */
export async function lockAccount(tx: Tx, accountId: string): Promise<boolean> {
  // "no key update" allows concurrent inserts of rows that reference the account
  const row = await tx
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Number of the account's active keys at `now`. */
export async function countActiveKeys(tx: Tx, accountId: string, now: Date): Promise<number> {
  const { total } = await tx
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Makes a key expire at `at`, unless it expires earlier. */
export async function endKeyAt(db: Db | Tx, id: string, at: Date): Promise<void> {
  await sql`update api_keys set expires_at = least(expires_at, ${at}) where id = ${id}`.execute(db);
}

/** Revokes a key; false if the account has no such active key. */
export async function revokeKey(db: Db | Tx, accountId: string, id: string, now: Date): Promise<boolean> {
  const result = await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Locks the account's active keys with the scope `manage`, so that concurrent revocations leave one. */
export async function lockManagingKeys(
  tx: Tx,
  accountId: string,
  now: Date,
): Promise<{ id: string; expires_at: Date | null }[]> {
  return tx
    .selectFrom('api_keys')
    .select(['id', 'expires_at'])
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .where(sql<boolean>`scopes @> array['manage']`)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Records when keys were last used. Locks rows in the order of their ids, so that writers do not deadlock. */
export async function touchKeys(db: Db, ids: string[], at: Date): Promise<void> {
  await sql`
    update api_keys k set last_used_at = ${at}
    from (select id from api_keys where id = any(${ids}::uuid[]) order by id for update skip locked) x
    where k.id = x.id and (k.last_used_at is null or k.last_used_at < ${at})`.execute(db);
}
