// Table conversation_changes: contacts whose place in lists has to be written again.
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../db/db.ts';
import { type ContactKey, contactKeys } from './contacts-store.ts';

/**
 * An insert of changed contacts, for a CTE of the statement that changes them. `rows` selects the account, the contact and, if all that changed is
 * that they wrote a message, its id, else null.
 */
export const insertChanged = (rows: RawBuilder<unknown>) =>
  sql`insert into conversation_changes (account_id, contact_id, last_id) ${rows}`;

/** Records changed contacts in the transaction that changes them. */
export async function recordChanged(tx: Tx, keys: readonly ContactKey[]): Promise<void> {
  const given = sql`select a, c, null::uuid from unnest(${contactKeys(keys)}) x(a, c)`;
  await sql`/* recordChanged */ ${insertChanged(given)}`.execute(tx);
}

/** An arbitrary number that no other lock of its class uses. */
const foldLock = sql.raw('1128813383, 46');

/** Locks folding until `tx` ends; false if another process is folding: an older reading must not replace a newer one. */
export async function lockFolding(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    /* lockConversations */ select pg_try_advisory_xact_lock(${foldLock}) as locked`.execute(tx);
  return rows[0]?.locked ?? false;
}

/** Waits until nobody is folding, and locks it until `tx` ends: it would write about contacts that it read before `tx` deletes them. */
export async function awaitFolding(tx: Tx): Promise<void> {
  await sql`/* awaitFolding */ select pg_advisory_xact_lock(${foldLock})`.execute(tx);
}
