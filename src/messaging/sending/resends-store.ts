// Which messages repeat failed ones.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { state } from './message.ts';

export interface Resend {
  message_id: string;
  new_id: string;
}

/**
 * Notes that `newId` repeats a message, if that is failed at this moment; it is kept from changing until `tx` ends.
 * False, and nothing is written, if it is not failed, or is repeated by another message.
 */
export async function insertResend(
  tx: Tx,
  resend: { accountId: string; messageId: string; newId: string },
): Promise<boolean> {
  const { rows } = await sql`
    with failed as (select account_id, id from messages
      where account_id = ${resend.accountId} and id = ${resend.messageId} and state = ${state.failed} for share)
    insert into resends (account_id, message_id, new_id)
    select account_id, id, ${resend.newId} from failed
    on conflict (account_id, message_id) do nothing returning 1`.execute(tx);
  return rows.length === 1;
}

/** The resends that these messages of the account are part of, as the failed one or as its repeat. */
export async function findResends(db: Db, accountId: string, ids: readonly string[]): Promise<Resend[]> {
  const { rows } = await sql<Resend>`
    select message_id, new_id from resends where account_id = ${accountId} and message_id = any(${[...ids]}::uuid[])
    union
    select message_id, new_id from resends where account_id = ${accountId} and new_id = any(${[...ids]}::uuid[])`.execute(
    db,
  );
  return rows;
}
