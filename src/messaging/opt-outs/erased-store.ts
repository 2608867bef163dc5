// Tables erasure_keys and erased_opt_outs: opt-outs of people whose numbers are no longer stored.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { recordChanged } from '../contacts/changed-contacts-store.ts';
import type { ContactKey } from '../contacts/contacts-store.ts';
import type { Scope, Source } from './opt-out.ts';

/** The encrypted key; undefined before the first erasure. */
export async function findErasureKey(db: Db | Tx): Promise<{ id: string; key: Buffer } | undefined> {
  const { rows } = await sql<{
    id: string;
    key: Buffer;
  }>`select id, key from erasure_keys where single`.execute(db);
  return rows[0];
}

/** Stores the key, unless another process was faster. */
export async function insertErasureKey(db: Db, row: { id: string; key: Buffer }): Promise<void> {
  await sql`insert into erasure_keys (id, key) values (${row.id}, ${row.key}) on conflict do nothing`.execute(
    db,
  );
}

/** Replaces the encrypted key, unless it was changed concurrently. */
export async function replaceErasureKey(
  db: Db,
  change: { id: string; before: Buffer; after: Buffer },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update erasure_keys set key = ${change.after} where id = ${change.id} and key = ${change.before}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

export interface ErasedOptOut {
  hash: Buffer;
  scope: Scope;
  source: Source;
  actedAtMs: number;
}

/** Stores opt-outs by hash; of two, the stricter one stays. */
export async function insertErased(tx: Tx, accountId: string, rows: readonly ErasedOptOut[]): Promise<void> {
  for (const { hash, scope, source, actedAtMs } of rows)
    await sql`
      insert into erased_opt_outs as e (account_id, hash, scope, source, acted_at)
      values (${accountId}, ${hash}, ${scope}, ${source}, to_timestamp(${actedAtMs}::float8 / 1000.0))
      on conflict (account_id, hash) do update set scope = excluded.scope, source = excluded.source, acted_at = excluded.acted_at
      where excluded.scope >= e.scope`.execute(tx);
}

/** True if the account has opt-outs of erased people. */
export async function hasErased(db: Db | Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from erased_opt_outs where account_id = ${accountId} limit 1`.execute(db);
  return rows.length > 0;
}

/** Removes and returns those of these hashes that are stored. */
export async function takeErased(
  tx: Tx,
  accountId: string,
  hashes: readonly Buffer[],
): Promise<ErasedOptOut[]> {
  const { rows } = await sql<ErasedOptOut>`
    delete from erased_opt_outs where account_id = ${accountId} and hash = any (${[...hashes]}::bytea[])
    returning hash, scope, source, (extract(epoch from acted_at) * 1000)::float8 as "actedAtMs"`.execute(tx);
  return rows;
}

/** Deletes contacts with all that belongs to them. Lock them first, and folding after them. */
export async function deleteContacts(tx: Tx, keys: readonly ContactKey[]): Promise<void> {
  for (const { accountId, contactId } of keys) {
    const own = sql`account_id = ${accountId} and contact_id = ${contactId}`;
    await sql`
      delete from conversation_words w using conversations v
      where v.account_id = ${accountId} and v.contact_id = ${contactId} and w.account_id = v.account_id
        and w.word = any (v.words) and w.contact_id = v.contact_id`.execute(tx);
    await sql`delete from conversations where ${own}`.execute(tx);
    await sql`delete from opt_outs where ${own}`.execute(tx);
    await sql`delete from contact_windows where ${own}`.execute(tx);
    await sql`delete from contact_identities where ${own}`.execute(tx);
    await sql`delete from contacts where account_id = ${accountId} and id = ${contactId}`.execute(tx);
  }
  // for pages that list them, and beside processes of earlier versions, which may be writing about them now
  await recordChanged(tx, keys);
}
