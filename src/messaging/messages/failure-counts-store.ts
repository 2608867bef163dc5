// Table messages: failures by their reason. No counter is kept for them: the partial index of failures is read.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { SendRow } from './sends-store.ts';
import { stateSql } from './sql-store.ts';

export interface FailureCount {
  code: number | null;
  title: string | null;
  failed: number;
  last_at: Date;
}

export interface FailureCounts {
  rows: FailureCount[];
  /** The oldest message that was read if there are more: earlier ones are not counted. */
  scannedTo: string | undefined;
}

/** The part of the failures that is read for a send: by its own index if it is small, else up to the id of its last recipient. */
function mayBeOf(send: FailureFilter['send']) {
  if (!send) return sql`true`;
  return send.last_recipient_id === null ? sql`send_id = ${send.id}` : sql`id <= ${send.last_recipient_id}`;
}

/** Failures that one reading counts: about 50 ms. */
const countedMax = 20_000;
const reasonsMax = 100;

export interface FailureFilter {
  /** The first id, and the first id after the range. */
  fromId: string;
  toId: string;
  senderId?: string | undefined;
  send?: Pick<SendRow, 'id' | 'last_recipient_id'> | undefined;
}

/** Counts the failed messages of the account with ids in the range by their reason, newest messages first, most frequent reason first. */
export async function countFailures(
  db: Db,
  accountId: string,
  { fromId, toId, senderId, send }: FailureFilter,
  limit = countedMax,
): Promise<FailureCounts> {
  type Row = { [K in keyof FailureCount]: FailureCount[K] | null } & {
    scanned: number;
    oldest: string | null;
  };
  const { rows } = await sql<Row>`
    with failures as materialized (
      select id, state, error, failed_at, sender_id, send_id from messages
      where account_id = ${accountId} and failed_at is not null and id >= ${fromId} and id < ${toId} and ${mayBeOf(send)}
      order by id desc limit ${limit}),
    reasons as (
      select (error ->> 'code')::int as code, max(error ->> 'title') as title, count(*)::int as failed, max(failed_at) as last_at
      from failures where state = ${stateSql.failed} and (${senderId ?? null}::uuid is null or sender_id = ${senderId ?? null}::uuid)
        and (${send?.id ?? null}::uuid is null or send_id = ${send?.id ?? null}::uuid)
      group by 1 order by 3 desc, 1 limit ${reasonsMax})
    select r.code, r.title, r.failed, r.last_at, (select count(*)::int from failures) as scanned,
      (select id from failures order by id limit 1) as oldest
    from (select 1) always left join reasons r on true order by r.failed desc nulls last, r.code`.execute(db);
  const [first] = rows;
  return {
    rows: rows.flatMap(({ code, title, failed, last_at }) =>
      failed === null || last_at === null ? [] : { code, title, failed, last_at },
    ),
    scannedTo: first && first.scanned >= limit ? (first.oldest ?? undefined) : undefined,
  };
}
