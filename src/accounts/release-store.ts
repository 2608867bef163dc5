// Keys after a restore: some may have been revoked since the backup.
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';

/** Counts the active keys of all accounts. */
export async function countKeys(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from api_keys where revoked_at is null and (expires_at is null or expires_at > ${now})`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Revokes every active key; returns how many. */
export async function revokeAllKeys(db: Db, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update api_keys set revoked_at = ${now} where revoked_at is null`.execute(db);
  return Number(numAffectedRows ?? 0);
}
