// Tables send_recipients and messages: feeding a send whose template changed, one checked portion at a time.
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../db/db.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { type TemplateRow, versionOf } from '../templates/store.ts';
import { counted, messageColumns, recipientValues, startedSend } from './feeds-store.ts';

/** A recipient to be checked before it is fed. */
export interface PortionRow {
  accountId: string;
  id: string;
  content: FilledTemplate;
  /** It was in the queue before a pause. */
  wasQueued: boolean;
}

/**
 * Locks up to `limit` recipients of a send that may be fed, in the order in which they were added, and `template` against
 * the check of its messages. Returns none if the template is not as it was read.
 */
export async function lockPortion(
  tx: Tx,
  of: SendKey,
  template: Pick<TemplateRow, 'id' | 'components_changed_at'>,
  limit: number,
): Promise<PortionRow[]> {
  const { rows } = await sql<PortionRow>`
    with send as (${startedSend(of)}),
    template as (
      select ${versionOf(sql`t.components_changed_at`)} as version from templates t where t.id = ${template.id} for key share)
    select r.account_id as "accountId", r.id, r.content, r.was_queued as "wasQueued" from send, template t, lateral (
      select q.account_id, q.id, q.content, q.was_queued from send_recipients q where q.send_id = send.id order by q.id limit ${limit}
      for update skip locked) r
    where t.version = ${versionOf(sql`${template.components_changed_at}::timestamptz`)}`.execute(tx);
  return rows;
}

const idsOf = (rows: readonly { id: string }[]): RawBuilder<unknown> =>
  sql`${rows.map(({ id }) => id)}::uuid[]`;

/** Moves locked recipients into the queue; those in `misfits` as messages that no claim finds, to be failed in `tx`. */
export async function movePortion(
  tx: Tx,
  { accountId, sendId }: SendKey,
  portion: readonly { id: string }[],
  misfits: readonly { id: string }[],
): Promise<void> {
  await sql`
    with send as (select s.* from sends s where s.account_id = ${accountId} and s.id = ${sendId}),
    moved as (
      delete from send_recipients r where r.send_id = ${sendId} and r.id = any(${idsOf(portion)}) returning r.*),
    ${counted}
    insert into messages (${messageColumns})
    select ${recipientValues}, send.expires_at, case when not m.id = any(${idsOf(misfits)}) then now() end
    from moved m, send`.execute(tx);
}
