// Reading the bodies of deliveries, those included that are made from the message.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { stages } from './delivery.ts';
import type { BodyRow } from './derived-body.ts';

const stage = sqlConstants(stages);

/** The columns of `BodyRow`, of the delivery `d` with `joinMessage`. */
export const bodyColumns = sql`d.body, d.made_ms as "madeMs", d.stage, d.subject_id as "subjectId", m.wamid, m.phone,
  m.send_id as "sendId", m.metadata, m.reached_at as "reachedAt"`;

/** Joins as `m` what the body of the delivery `d` is made of; one probe of the primary key, and none if the body is stored. */
export const joinMessage = sql`left join lateral (
    select s.wamid, s.phone, s.send_id, s.metadata, floor(extract(epoch from case d.stage when ${stage.sent} then s.sent_at
      when ${stage.delivered} then s.delivered_at else s.read_at end))::float8 as reached_at
    from messages s where d.body_form is not null and s.account_id = d.account_id and s.id = d.subject_id limit 1) m on true`;

type MessageColumn = 'wamid' | 'phone' | 'sendId' | 'metadata' | 'reachedAt';

/** A delivery read without its message. */
export interface UnjoinedRow extends Omit<BodyRow, MessageColumn> {
  accountId: string;
  bodyForm: number | null;
}

const noMessage: Pick<BodyRow, MessageColumn> = {
  wamid: null,
  phone: null,
  sendId: null,
  metadata: null,
  reachedAt: null,
};

/**
 * Adds to deliveries what their bodies are made of, for statements that lock: these must not join a partitioned table. No statement
 * if every body is stored.
 */
export async function withMessages<Row extends UnjoinedRow>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & BodyRow)[]> {
  const derived = rows.filter(({ bodyForm }) => bodyForm !== null);
  const messages = derived.length === 0 ? [] : await findMessagesOf(db, derived);
  const byNumber = new Map(messages.map(({ no, ...message }) => [derived[no - 1], message]));
  return rows.map((row) => ({ ...row, ...(byNumber.get(row) ?? noMessage) }));
}

async function findMessagesOf(
  db: Db,
  rows: readonly UnjoinedRow[],
): Promise<({ no: number } & Pick<BodyRow, MessageColumn>)[]> {
  const found = await sql<{ no: number } & Pick<BodyRow, MessageColumn>>`
    select d.no::int, m.wamid, m.phone, m.send_id as "sendId", m.metadata, m.reached_at as "reachedAt"
    from unnest(${arrayText(rows.map((row) => row.accountId))}::uuid[], ${arrayText(rows.map((row) => row.subjectId))}::uuid[],
      ${arrayText(rows.map((row) => row.stage))}::smallint[], ${arrayText(rows.map((row) => row.bodyForm))}::smallint[])
      with ordinality d(account_id, subject_id, stage, body_form, no)
    ${joinMessage}`.execute(db);
  return found.rows;
}
