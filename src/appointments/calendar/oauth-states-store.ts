// Rows of OAuth sign-ins in progress: from the link to the return from the consent page.
import { type Insertable, type Selectable, sql } from 'kysely';
import type { EncryptedChange, EncryptedRow, Page } from '../../base/reencrypt.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';

export type OAuthStateRow = Selectable<DB['oauth_states']>;

/** Inserts a sign-in. */
export async function insertOAuthState(db: Db, state: Insertable<DB['oauth_states']>): Promise<void> {
  await db.insertInto('oauth_states').values(state).execute();
}

/** A sign-in, expired or not; undefined if it was used or never existed. */
export async function findOAuthState(db: Db, id: string): Promise<OAuthStateRow | undefined> {
  const { rows } = await sql<OAuthStateRow>`select * from oauth_states where id = ${id}`.execute(db);
  return rows[0];
}

/** Deletes a sign-in; false if it was used before. */
export async function deleteOAuthState(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`delete from oauth_states where id = ${id} returning 1`.execute(tx);
  return rows.length === 1;
}

/** Deletes expired sign-ins. */
export async function deleteOldOAuthStates(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('oauth_states').where('expires_at', '<=', now).execute();
}

/** A page of the sign-ins, ordered by id. */
export async function listCodeVerifiers(db: Db, page: Page): Promise<EncryptedRow<'code_verifier'>[]> {
  const { rows } = await sql<EncryptedRow<'code_verifier'>>`
    select id, code_verifier from oauth_states
    where ${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces an encrypted verifier; false if the sign-in was used. */
export async function replaceCodeVerifier(
  db: Db,
  change: EncryptedChange<'code_verifier'>,
): Promise<boolean> {
  const { rows } = await sql`
    update oauth_states set code_verifier = ${change.after}
    where id = ${change.id} and code_verifier = ${change.before} returning 1`.execute(db);
  return rows.length === 1;
}
