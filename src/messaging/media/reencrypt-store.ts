// Queries for re-encrypting the keys of files.
import { sql } from 'kysely';
import type { EncryptedChange, EncryptedRow, Page } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';

/** One page of the encrypted file keys of all accounts, in the order of their ids. */
export async function listFileKeys(db: Db, page: Page): Promise<EncryptedRow<'file_key'>[]> {
  const { rows } = await sql<EncryptedRow<'file_key'>>`
    select id, file_key from media
    where ${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces one encrypted key; false if its file was removed concurrently. */
export async function replaceFileKey(db: Db, change: EncryptedChange<'file_key'>): Promise<boolean> {
  const { rows } = await sql`
    update media set file_key = ${change.after} where id = ${change.id} and file_key = ${change.before}
    returning 1`.execute(db);
  return rows.length === 1;
}
