// The sealed keys of files, for sealing them anew.
import { sql } from 'kysely';
import type { Page, SealedChange, SealedRow } from '../../base/reseal.ts';
import type { Db } from '../../db/db.ts';

/** A page of the files of all accounts with their sealed keys, in the order of their ids. */
export async function listFileKeys(db: Db, page: Page): Promise<SealedRow<'file_key'>[]> {
  const { rows } = await sql<SealedRow<'file_key'>>`
    select id, file_key from media
    where ${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces one sealed key; false if its file was removed meanwhile. */
export async function replaceFileKey(db: Db, change: SealedChange<'file_key'>): Promise<boolean> {
  const { rows } = await sql`
    update media set file_key = ${change.after} where id = ${change.id} and file_key = ${change.before}
    returning 1`.execute(db);
  return rows.length === 1;
}
