// Tables messages and send_recipients, read in steps by key for exports.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { MessageError } from '../messages/message.ts';

/** A message as an export shows it. */
export interface ExportedMessage {
  id: string;
  /** Of `messageKind`. */
  kind: number;
  send_id: string | null;
  template_id: string | null;
  sender_id: string;
  phone: string | null;
  user_id: string | null;
  name: string | null;
  state: number;
  wamid: string | null;
  error: MessageError | null;
  priority: number;
  price_category: string | null;
  billable: boolean | null;
  metadata: Record<string, string> | null;
  accepted_at: Date | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
}

/** The next messages of the account after `afterId` and before `toId`, by the primary key. */
export async function nextMessages(
  db: Db,
  accountId: string,
  { afterId, toId, limit }: { afterId: string; toId: string; limit: number },
): Promise<ExportedMessage[]> {
  const { rows } = await sql<ExportedMessage>`
    select id, kind, send_id, template_id, sender_id, phone, user_id, name, state, wamid, error, priority, price_category, billable,
      metadata, accepted_at, sent_at, delivered_at, read_at, failed_at
    from messages where account_id = ${accountId} and id > ${afterId} and id < ${toId} order by id limit ${limit}`.execute(
    db,
  );
  return rows;
}
