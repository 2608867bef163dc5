// The database that a backup is restored into: it must be empty, and says that it is incomplete until the end.
import { sql } from 'kysely';
import pg from 'pg';
import type { Connection, Db } from './db.ts';

/** The second key of the advisory lock of restores; the first is that of backups. */
const restoreLock = [0x63_67_62, 2] as const;

export interface IncompleteRestore {
  backupId: string;
  beganAt: string;
}

/** The restore that began and did not end; undefined if there is none. Works on an empty database too. */
export async function findIncompleteRestore(db: Db): Promise<IncompleteRestore | undefined> {
  const { rows } = await sql<{ there: boolean; about: string | null }>`
    select to_regclass('incomplete_restore') is not null as there,
      obj_description(to_regclass('incomplete_restore'), 'pg_class') as about`.execute(db);
  if (!rows[0]?.there) return undefined;
  const [backupId = 'unknown', beganAt = 'an unknown time'] = (rows[0].about ?? '').split(' ');
  return { backupId, beganAt };
}

/** Why a database with an incomplete restore cannot be used. */
export function incompleteRestoreText({ backupId, beganAt }: IncompleteRestore): string {
  return (
    `The database is incomplete: the restore of the backup ${backupId}, which began at ${beganAt}, did not end. ` +
    'Run "restore" again, with this backup or another one; it starts from the beginning.'
  );
}

/** Drops everything in the schema that belongs to no extension. */
const dropAll = `
  do $$
  declare it record;
  begin
    for it in
      select c.oid::regclass as name, c.relkind from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    loop execute format('drop table %s cascade', it.name); end loop;
    for it in
      select p.oid::regprocedure as name from pg_proc p
      where p.pronamespace = current_schema()::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    loop execute format('drop function %s cascade', it.name); end loop;
  end $$`;

/** The tables and views of the schema, other than those of extensions. */
export async function findTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') order by 1`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

/** Removes what an incomplete restore left. */
export async function dropEverything(tx: Db): Promise<void> {
  await sql.raw(dropAll).execute(tx);
}

/** Marks the database as incomplete, until `endRestore`. */
export async function markIncomplete(tx: Db, { backupId, beganAt }: IncompleteRestore): Promise<void> {
  await sql.raw('create table incomplete_restore ()').execute(tx);
  await sql`
    select set_config('gateway.restore', ${`${backupId} ${beganAt}`}, true)`.execute(tx);
  await sql
    .raw(
      `do $$ begin execute format('comment on table incomplete_restore is %L', current_setting('gateway.restore')); end $$`,
    )
    .execute(tx);
}

/**
 * Ends a restore in the caller's transaction: the database is whole from its commit on, and the gateway is held. Messages with ids
 * before `held_since` are those of the backup, also if this server's clock is behind.
 */
export async function endRestore(tx: Db, snapshotAt: Date): Promise<void> {
  await sql`
    update gateway_state set held_since = greatest(now(), ${snapshotAt}::timestamptz + interval '1 minute')`.execute(
    tx,
  );
  // single-use links and sign-ins may have been used since the backup, and sessions may have ended
  await sql`delete from dashboard_links`.execute(tx);
  await sql`delete from sessions`.execute(tx);
  await sql`delete from oauth_states`.execute(tx);
  await sql.raw('drop table incomplete_restore').execute(tx);
}

/** Runs `work` while no other restore into this database runs; throws if one does. */
export async function withRestoreLock<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connection, application_name: 'gateway restore', keepAlive: true });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as locked', [...restoreLock]);
    if (rows[0].locked !== true)
      throw new Error('Another restore into this database is running. Wait until it ends.');
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}
