// The encrypted columns of calendar connections and of consent pages under way, for encrypting them anew.
import { sql } from 'kysely';
import type { EncryptedChange, EncryptedRow, Page } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';

/** A page of the calendar connections of all accounts with their credentials, in the order of their ids. */
export async function listCredentials(db: Db, page: Page): Promise<EncryptedRow<'credential'>[]> {
  const { rows } = await sql<EncryptedRow<'credential'>>`
    select id, credential from calendar_connections
    where ${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces a encrypted credential; false if the connection is another by now. */
export async function replaceCredential(db: Db, change: EncryptedChange<'credential'>): Promise<boolean> {
  const { rows } = await sql`
    update calendar_connections set credential = ${change.after}
    where id = ${change.id} and credential = ${change.before} returning 1`.execute(db);
  return rows.length === 1;
}

/** A page of the consent pages under way, in the order of their ids. */
export async function listCodeVerifiers(db: Db, page: Page): Promise<EncryptedRow<'code_verifier'>[]> {
  const { rows } = await sql<EncryptedRow<'code_verifier'>>`
    select id, code_verifier from oauth_states
    where ${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces a encrypted verifier; false if somebody returned from the consent page meanwhile. */
export async function replaceCodeVerifier(
  db: Db,
  change: EncryptedChange<'code_verifier'>,
): Promise<boolean> {
  const { rows } = await sql`
    update oauth_states set code_verifier = ${change.after}
    where id = ${change.id} and code_verifier = ${change.before} returning 1`.execute(db);
  return rows.length === 1;
}
