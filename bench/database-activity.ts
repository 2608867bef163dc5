// What the database did beside a measurement: checkpoints, vacuums, WAL and full-page images.
import { sql } from 'kysely';
import type { Db } from '../src/db/db.ts';

export interface DatabaseActivity {
  checkpoints: number;
  vacuums: number;
  walBytes: number;
  fullPageImages: number;
  transactions: number;
}

/** The position of the log is exact; sessions report transactions and full-page images up to ten seconds late. */
export async function readActivity(db: Db): Promise<DatabaseActivity> {
  const { rows } = await sql<DatabaseActivity>`
    select (select num_timed + num_requested from pg_stat_checkpointer)::int as checkpoints,
      coalesce((select sum(autovacuum_count) from pg_stat_user_tables), 0)::int as vacuums,
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes", wal_fpi::float8 as "fullPageImages",
      (select (xact_commit + xact_rollback)::float8 from pg_stat_database where datname = current_database()) as transactions
    from pg_stat_wal`.execute(db);
  return rows[0] as DatabaseActivity;
}

/** What happened between two readings. */
export function activityBetween(before: DatabaseActivity, after: DatabaseActivity): DatabaseActivity {
  return {
    checkpoints: after.checkpoints - before.checkpoints,
    vacuums: after.vacuums - before.vacuums,
    walBytes: after.walBytes - before.walBytes,
    fullPageImages: after.fullPageImages - before.fullPageImages,
    transactions: after.transactions - before.transactions,
  };
}

/** Rows of a table about `pieces` pieces of work, such as messages. */
export function activityRows(
  activity: DatabaseActivity,
  pieces: number,
  piece: string,
): (string | number)[][] {
  return [
    ['checkpoints', activity.checkpoints],
    ['autovacuums', activity.vacuums],
    [`WAL bytes per ${piece}`, activity.walBytes / pieces],
    [`full-page images per ${piece}`, activity.fullPageImages / pieces],
    [`transactions per ${piece}`, activity.transactions / pieces],
  ];
}
