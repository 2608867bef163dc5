// Finds sessions that wait for a synchronous standby: in a commit, or behind one. No time limit of PostgreSQL ends such a commit.
import type pg from 'pg';
import { checkClient } from './check-client.ts';

const timeoutMs = 2_000;

export interface SilentSessions {
  /** Those that the server has. */
  present: Set<number>;
  /** Those that wait for a standby, or for the locks of one that does. */
  waiting: Set<number>;
}

/**
 * Returns what the server knows of these processes of its own, asked in a new session. Rejects if it does not respond within a
 * few seconds.
 */
export async function findSilentSessions(
  connection: pg.ClientConfig,
  pids: number[],
): Promise<SilentSessions> {
  const client = checkClient(connection, timeoutMs);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; waits: boolean }>(
      `select pid, (wait_event = 'SyncRep'
        or wait_event_type = 'Lock' and exists (select from pg_stat_activity other
          where other.pid = any (pg_blocking_pids(a.pid)) and other.wait_event = 'SyncRep')) is true as waits
      from pg_stat_activity a where pid = any ($1::int[])`,
      [pids],
    );
    return {
      present: new Set(rows.map(({ pid }) => pid)),
      waiting: new Set(rows.filter(({ waits }) => waits).map(({ pid }) => pid)),
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A statement had waited for a standby for too long. It takes effect if a standby confirms its commit later. */
export class StandbyWaitError extends Error {
  /** statement_completion_unknown */
  readonly code = '40003';

  constructor() {
    super('the commit waits for a synchronous standby, and none confirms it');
    this.name = 'StandbyWaitError';
  }
}
