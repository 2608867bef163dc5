// Rows with addresses and secrets of external systems, to replace them in a restored copy.
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';

/** The tables with such rows. */
export type ExternalTable = 'endpoints' | 'senders' | 'calendar_connections';

/** Lists up to `limit` ids of a table after `afterId`. */
export async function listIds(
  db: Db,
  table: ExternalTable,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Replaces the address and secret of an endpoint. */
export async function replaceEndpoint(
  db: Db,
  to: { id: string; url: string; secret: Buffer },
): Promise<void> {
  await sql`
    update endpoints set url = ${to.url}, secret = ${to.secret}, next_secret = null, overlap_until = null,
      next_activated = false, version = version + 1
    where id = ${to.id}`.execute(db);
}

/** Replaces the address and tokens of a number. Callbacks of the platform no longer find it. */
export async function replaceSender(
  db: Db,
  to: { id: string; apiUrl: string; accessToken: Buffer; appSecret: Buffer; verifyToken: Buffer },
): Promise<void> {
  await sql`
    update senders set api_url = ${to.apiUrl}, access_token = ${to.accessToken}, app_secret = ${to.appSecret},
      app_secret_hash = '', verify_token = ${to.verifyToken}
    where id = ${to.id}`.execute(db);
}

/** Replaces the authorization of a calendar and disconnects it. */
export async function replaceCalendar(
  db: Db,
  to: { id: string; credential: Buffer; failure: string },
): Promise<void> {
  await sql`
    update calendar_connections set credential = ${to.credential}, dead_at = now(), failure = ${to.failure}
    where id = ${to.id}`.execute(db);
}

/** Revokes every key. */
export async function revokeKeys(db: Db): Promise<void> {
  await sql`
    update api_keys set revoked_at = now() where revoked_at is null`.execute(db);
}
