// Rows of recent changes: what event streams of any process read.
import { sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';
import type { FrameKinds } from './kinds.ts';

/** Minutes for which rows are kept: longer than a stream may look back. */
const keptMinutes = 2;

/** Records what changed, one row an account, and that deliveries of these endpoints changed, of those that belong to `accountIds`. */
export async function insertChanges(
  db: Db,
  changes: readonly { accountId: string; kinds: FrameKinds }[],
  { endpointIds, accountIds }: { endpointIds: readonly string[]; accountIds: readonly string[] },
): Promise<void> {
  const deliveries: FrameKinds = { deliveries: { ids: [], more: true } };
  await sql`
    /* insertRecentChanges */ insert into recent_changes (account_id, kinds)
    select account_id, kinds from unnest(${changes.map((one) => one.accountId)}::uuid[],
      ${changes.map((one) => JSON.stringify(one.kinds))}::jsonb[]) x(account_id, kinds)
    union all select distinct account_id, ${JSON.stringify(deliveries)}::jsonb from endpoints
      where id = any(${endpointIds}::uuid[]) and account_id = any(${accountIds}::uuid[])`.execute(db);
}

/** Records that every page has to be read again, once for each `reason` in 30 seconds. */
export async function insertReload(db: Db | Tx, reason: string): Promise<void> {
  const kinds = JSON.stringify({ reload: reason });
  await sql`
    insert into recent_changes (account_id, kinds) select null::uuid, ${kinds}::jsonb
    where not exists (select from recent_changes
      where account_id is null and at > clock_timestamp() - interval '30 seconds' and kinds = ${kinds}::jsonb)`.execute(
    db,
  );
}

export interface ChangeRow {
  id: string;
  /** Null: every page has to be read again. */
  account_id: string | null;
  kinds: FrameKinds;
}

/**
 * The changes of these accounts since `from` (null: now), and from `lateSeconds` before, and the time of the database's clock. A row may
 * appear after later ones, so read again what was read before.
 */
export async function recentChanges(
  db: Db,
  accountIds: readonly string[],
  { from, lateSeconds }: { from: Date | null; lateSeconds: number },
): Promise<{ at: Date; rows: ChangeRow[] }> {
  const { rows } = await sql<{ at: Date; rows: ChangeRow[] }>`
    /* recentChanges */ select clock_timestamp() as at, coalesce((
      select jsonb_agg(jsonb_build_object('id', id::text, 'account_id', account_id, 'kinds', kinds) order by id)
      from recent_changes where at > coalesce(${from}::timestamptz, clock_timestamp()) - ${lateSeconds}::float8 * interval '1 second'
        and (account_id is null or account_id = any(${accountIds}::uuid[]))), '[]') as rows`.execute(db);
  return rows[0] ?? { at: new Date(), rows: [] };
}

/** Deletes rows that are too old for any stream to read. */
export async function deleteOldChanges(db: Db): Promise<void> {
  await sql`
    delete from recent_changes where at < clock_timestamp() - ${keptMinutes}::float8 * interval '1 minute'`.execute(
    db,
  );
}
