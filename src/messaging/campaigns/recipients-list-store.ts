// Tables send_recipients and messages: the recipients of a send in the order in which they were added.
import { sql } from 'kysely';
import { nilUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import type { MessageError } from '../messages/message.ts';
import type { SendRow } from '../messages/sends-store.ts';

/** A recipient; `state` is null while it is kept apart from the queue. */
export interface ListedRecipient {
  id: string;
  phone: string;
  name: string | null;
  metadata: Record<string, string> | null;
  state: number | null;
  wamid: string | null;
  error: MessageError | null;
  price_category: string | null;
  billable: boolean | null;
}

/** Messages that one page reads: those of other sends lie between. */
const scannedMax = 20_000;

/**
 * Lists up to `limit` recipients after `afterId`, in the order of their ids; `state` null: those that wait. `scannedTo`: where
 * the next page starts if this one ended before its end.
 */
export async function listRecipients(
  db: Db,
  send: SendRow,
  {
    afterId = nilUuid,
    state,
    limit,
  }: { afterId?: string | undefined; state?: number | null | undefined; limit: number },
  scanLimit = scannedMax,
): Promise<{ rows: ListedRecipient[]; scannedTo: string | undefined }> {
  const kept = sql`
    (select id, phone, name, metadata, null::smallint as state, null as wamid, error, null as price_category,
      null::boolean as billable from send_recipients
    where send_id = ${send.id} and id > ${afterId} order by id limit ${limit})`;
  const within =
    send.last_recipient_id === null
      ? sql`messages where send_id = ${send.id}`
      : // the ids of its recipients lie between two ids, so that no page sorts all of them
        sql`messages where account_id = ${send.account_id} and id >= ${send.first_recipient_id ?? nilUuid} and id <= ${send.last_recipient_id}`;
  const read = sql`select * from ${within} and id > ${afterId} order by id limit ${scanLimit}`;
  const written = sql`
    (select id, phone, name, metadata, state, wamid, error, price_category, billable from (${read}) m
    where send_id = ${send.id} and account_id = ${send.account_id} ${typeof state === 'number' ? sql`and state = ${state}` : sql``}
    order by id limit ${limit})`;
  const both =
    state === null ? kept : typeof state === 'number' ? written : sql`(${kept} union all ${written})`;
  const { rows } = await sql<ListedRecipient>`select * from ${both} x order by id limit ${limit}`.execute(db);
  if (state === null || rows.length === limit) return { rows, scannedTo: undefined };
  const { rows: scanned } = await sql<{ id: string; n: number }>`
    select id, count(*) over ()::int n from (${read}) m order by id desc limit 1`.execute(db);
  return { rows, scannedTo: scanned[0]?.n === scanLimit ? scanned[0].id : undefined };
}
