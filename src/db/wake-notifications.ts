// Notifications by which a process with work wakes idle ones on the same database.
import { sql } from 'kysely';
import type { Db } from './db.ts';

/** The channel. The payload is the id of the process that has work. */
export const wakeChannel = 'gateway_work';

/** Wakes the other processes. Never call it in a transaction: NOTIFY locks all commits until its own. */
export async function notifyWork(db: Db, processId: number): Promise<void> {
  await sql`select pg_notify(${wakeChannel}, ${String(processId)})`.execute(db);
}
