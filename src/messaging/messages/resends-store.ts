// Table resends: failed messages and the new messages that repeat them.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { stateSql } from './sql-store.ts';

export interface Resend {
  message_id: string;
  new_id: string;
}

/**
 * Records that `newId` resends a failed message, and locks that message until `tx` ends. Returns false and writes nothing
 * if it is not failed, or was resent already.
 */
export async function insertResend(
  tx: Tx,
  resend: { accountId: string; messageId: string; newId: string },
): Promise<boolean> {
  const { rows } = await sql`
    with failed as (select account_id, id from messages
      where account_id = ${resend.accountId} and id = ${resend.messageId} and state = ${stateSql.failed} for share)
    insert into resends (account_id, message_id, new_id)
    select account_id, id, ${resend.newId} from failed
    on conflict (account_id, message_id) do nothing returning 1`.execute(tx);
  return rows.length === 1;
}

/** Finds the resends of these messages, as the failed message or as the new one. */
export async function findResends(db: Db, accountId: string, ids: readonly string[]): Promise<Resend[]> {
  const { rows } = await sql<Resend>`
    select message_id, new_id from resends where account_id = ${accountId} and message_id = any(${[...ids]}::uuid[])
    union
    select message_id, new_id from resends where account_id = ${accountId} and new_id = any(${[...ids]}::uuid[])`.execute(
    db,
  );
  return rows;
}
