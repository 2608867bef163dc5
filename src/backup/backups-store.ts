// Table backups: what ran when, and how it ended.
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';

/** Records that a backup begins. Call it while its lock is held: unfinished ones are those of processes that ended. */
export async function insertBackup(
  db: Db,
  backup: { id: string; place: string; name: string },
): Promise<void> {
  await sql`
    update backups set ended_at = now(), failure = 'The process ended before the backup did.'
    where ended_at is null`.execute(db);
  await sql`
    insert into backups (id, place, name) values (${backup.id}, ${backup.place}, ${backup.name})`.execute(db);
}

/** Records the beginning of the snapshot. */
export async function recordSnapshot(db: Db, id: string, at: Date): Promise<void> {
  await sql`update backups set snapshot_at = ${at} where id = ${id}`.execute(db);
}

/** Records that the snapshot ended. */
export async function recordSnapshotEnd(db: Db, id: string): Promise<void> {
  await sql`update backups set snapshot_ended_at = now() where id = ${id}`.execute(db);
}

/** Records the end of a backup; `failure` null: it is good. */
export async function recordBackupEnd(
  db: Db,
  id: string,
  { bytes, failure }: { bytes: number; failure: string | null },
): Promise<void> {
  await sql`
    update backups set ended_at = now(), snapshot_ended_at = coalesce(snapshot_ended_at, now()), bytes = ${bytes}, failure = ${failure}
    where id = ${id}`.execute(db);
}

const keptDays = 400;

/** Deletes records of old backups. */
export async function deleteOldBackups(db: Db): Promise<void> {
  await sql`delete from backups where began_at < now() - ${keptDays} * interval '1 day'`.execute(db);
}

/** How backups are doing. Seconds are counted by the database. */
export interface BackupState {
  /** Since the last good backup's snapshot; null: there is none. */
  goodSeconds: number | null;
  /** How long the last good one took, and its size. */
  tookSeconds: number | null;
  bytes: number | null;
  /** Since the beginning of the last one, however it ended. */
  beganSeconds: number | null;
  /** Age of the running backup's snapshot. */
  snapshotSeconds: number | null;
  /** Failures since the last good backup. */
  failures: number;
  lastFailure: string | null;
}

/** Reads the state of backups. A backup without an end is running, or its process died. */
export async function findBackupState(db: Db): Promise<BackupState> {
  const { rows } = await sql<BackupState>`
    with good as (
      select began_at, snapshot_at, ended_at, bytes from backups
      where ended_at is not null and failure is null order by began_at desc limit 1),
    failed as (
      select b.failure, b.began_at from backups b
      where b.failure is not null and b.began_at > coalesce((select began_at from good), '-infinity'))
    select
      (select extract(epoch from now() - snapshot_at)::float8 from good) as "goodSeconds",
      (select extract(epoch from ended_at - began_at)::float8 from good) as "tookSeconds",
      (select bytes from good) as bytes,
      (select extract(epoch from now() - max(began_at))::float8 from backups) as "beganSeconds",
      (select extract(epoch from now() - max(snapshot_at))::float8 from backups
        where ended_at is null and snapshot_ended_at is null) as "snapshotSeconds",
      (select count(*)::int from failed) as failures,
      (select failure from failed order by began_at desc limit 1) as "lastFailure"`.execute(db);
  return rows[0] as BackupState;
}
