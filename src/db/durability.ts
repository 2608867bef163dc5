// Settings of the database server on which the guarantees depend: whether a commit survives a crash, a power loss and a failover.
import { sql } from 'kysely';
import type { Db } from './db.ts';

export interface Durability {
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  synchronousStandbyNames: string;
  /** Connected servers and programs that receive the write-ahead log, except backups and archives. */
  standbys: number;
}

/** Reads the settings as they are for the gateway's sessions: those of its role and database take precedence. */
export async function readDurability(db: Db): Promise<Durability> {
  // the name is null for roles that may not see it
  const { rows } = await sql<Durability>`
    select current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('synchronous_standby_names') as "synchronousStandbyNames",
      (select count(*) from pg_stat_replication
        where coalesce(application_name, '') not in ('pg_basebackup', 'pg_receivewal')) as standbys`.execute(
    db,
  );
  return rows[0] as Durability;
}

/**
 * What the settings put at risk, and what to do; empty: nothing. A single server without standbys needs no synchronous
 * replication.
 */
export function durabilityProblems(server: Durability): string[] {
  const { fsync, fullPageWrites, synchronousCommit, synchronousStandbyNames, standbys } = server;
  const problems: string[] = [];
  if (fsync !== 'on')
    problems.push('fsync is off: a crash of the machine can destroy the database. Set fsync = on.');
  if (fullPageWrites !== 'on')
    problems.push(
      'full_page_writes is off: a crash of the machine can destroy pages that were being written. Set it to on, unless the file system writes pages atomically.',
    );
  if (synchronousCommit === 'off')
    problems.push(
      'synchronous_commit is off: a crash loses the last commits, so requests that had a response are lost and messages are sent twice. Set synchronous_commit = on.',
    );
  if (synchronousStandbyNames !== '' && synchronousCommit === 'local')
    problems.push(
      'synchronous_commit is local: commits do not wait for the synchronous standby, so a failover loses requests that had a response and sends messages twice. Set synchronous_commit = on.',
    );
  if (synchronousStandbyNames === '' && standbys > 0)
    problems.push(
      `synchronous_standby_names is empty, and ${standbys === 1 ? 'one server replicates' : `${standbys} servers replicate`} asynchronously. If one of them takes over, requests that had a response are lost and messages are sent twice. Set synchronous_standby_names, or Patroni's synchronous_mode.`,
    );
  return problems;
}
