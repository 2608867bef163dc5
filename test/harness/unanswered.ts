// Requests with an idempotency key whose process died before the response.
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';

/**
 * Takes the response of a key back, as if the process that handled the request had died a moment ago: the lease has not expired, and the
 * process that it names (if it names one) is no longer there.
 */
export async function leaveUnanswered(db: Db, key: string): Promise<void> {
  await sql`update idempotency_keys set status = null, body = null, answered_by = null, leased_until = now() + interval '45 seconds',
    leased_by = -leased_by where key = ${key}`.execute(db);
}
