// Notifications between processes on the same database: one with work wakes idle ones, one with event streams says who listens.
import { sql } from 'kysely';
import type { Db } from './db.ts';

/** The channel. The payload is the id of the process that has work. */
export const wakeChannel = 'gateway_work';

/** The channel of event streams. The payload is a list of accounts, separated by commas. */
export const listenersChannel = 'gateway_listeners';
/** A payload has less than 8,000 bytes. */
const accountsPerPayload = 200;

/** Notifies the other processes which accounts are listened to. Never call it in a transaction. */
export async function notifyListeners(db: Db, accountIds: readonly string[]): Promise<void> {
  for (let at = 0; at < accountIds.length; at += accountsPerPayload) {
    const payload = accountIds.slice(at, at + accountsPerPayload).join();
    await sql`select pg_notify(${listenersChannel}, ${payload})`.execute(db);
  }
}

/** Wakes the other processes. Never call it in a transaction: NOTIFY locks all commits until its own. */
export async function notifyWork(db: Db, processId: number): Promise<void> {
  await sql`select pg_notify(${wakeChannel}, ${String(processId)})`.execute(db);
}
