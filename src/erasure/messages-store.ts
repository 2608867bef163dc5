// Statements that erase a person from recipients, messages and received messages, in steps.
import { sql } from 'kysely';
import { arrayText } from '../db/array-text.ts';
import type { Db, Tx } from '../db/db.ts';
import { erasedContent } from '../messaging/messages/erased-content.ts';
import type { Subject } from './subject.ts';

/** Sends of an account that have recipients apart from the queue. */
export async function listOpenSends(db: Db, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from sends where account_id = ${accountId} and is_open order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Removes recipients of a send that are not in the queue; returns how many. Locks the send, as the steps that feed it do. */
export async function deleteRecipients(
  tx: Tx,
  { accountId, sendId }: { accountId: string; sendId: string },
  phones: readonly string[],
): Promise<number> {
  await sql`select from sends where account_id = ${accountId} and id = ${sendId} for no key update`.execute(
    tx,
  );
  const { numAffectedRows } = await sql`
    delete from send_recipients where send_id = ${sendId} and phone = any (${[...phones]}::text[])`.execute(
    tx,
  );
  const removed = Number(numAffectedRows ?? 0);
  if (removed > 0)
    await sql`
      update sends set total = total - ${removed}::int where account_id = ${accountId} and id = ${sendId}`.execute(
      tx,
    );
  return removed;
}

/** A message to the person. */
export interface PersonMessage {
  id: string;
  sendId: string | null;
  state: number;
}

/** Messages that name the person as their recipient, up to `limit`: those that wait or are being sent (`open`), or the others. */
export async function findMessages(
  db: Db,
  accountId: string,
  { phones, userIds }: Pick<Subject, 'phones' | 'userIds'>,
  { isOpen, limit }: { isOpen: boolean; limit: number },
): Promise<PersonMessage[]> {
  const columns = sql`m.id, m.send_id as "sendId", m.state`;
  const isWanted = isOpen ? sql`m.due_at is not null` : sql`m.due_at is null`;
  const { rows } = await sql<PersonMessage>`
    select * from (
      (select ${columns} from messages m where m.account_id = ${accountId} and m.phone = any (${[...phones]}::text[]) and ${isWanted} limit ${limit}::int)
      union
      (select ${columns} from user_id_messages u join messages m on m.account_id = u.account_id and m.id = u.message_id
        where u.account_id = ${accountId} and u.user_id = any (${[...userIds]}::text[]) and ${isWanted} limit ${limit}::int)) x
    order by id`.execute(db);
  return rows;
}

/** Erases messages that have ended. Their ids, states and times stay. Locks them first, in the order of their ids, as status reports do. */
export async function eraseMessages(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await sql`
    select from (select id from unnest(${arrayText(ids)}::uuid[]) x(id) order by id) k
    join messages m on m.account_id = ${accountId} and m.id = k.id
    order by m.id for update of m`.execute(tx);
  await sql`
    update messages m set phone = case when m.phone is not null then '' end, user_id = case when m.user_id is not null then '' end,
      name = null, metadata = null, content = ${JSON.stringify(erasedContent)}::jsonb,
      error = case when m.error is not null then m.error || jsonb_build_object('message', m.error -> 'title') end
    from unnest(${arrayText(ids)}::uuid[]) x(id)
    where m.account_id = ${accountId} and m.id = x.id`.execute(tx);
  await sql`
    delete from user_id_messages where account_id = ${accountId} and message_id = any (${arrayText(ids)}::uuid[])`.execute(
    tx,
  );
}

/** Received messages of these identities, up to `limit`. */
export async function findReceived(
  db: Db,
  accountId: string,
  people: readonly string[],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from received_messages where account_id = ${accountId} and person = any (${[...people]}::text[])
    order by id limit ${limit}::int`.execute(db);
  return rows.map(({ id }) => id);
}

/** Erases received messages. The row stays: the platform may repeat its callback for a week, and must meet it. */
export async function eraseReceived(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update received_messages m set person = null, phone = null, user_id = null, name = null, content = '{}', raw = null,
      message_ref = null, media_ref = null, context_ref = null
    from unnest(${arrayText(ids)}::uuid[]) x(id)
    where m.account_id = ${accountId} and m.id = x.id`.execute(tx);
}
