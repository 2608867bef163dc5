// Detects a connection pooler that shares sessions of the server between connections.
import type pg from 'pg';
import { checkClient } from './check-client.ts';
import type { Connection } from './db.ts';

const rounds = 5;
const timeoutMs = 10_000;

/**
 * Throws an error that says what to change if two open connections share a session of the server, as with pgbouncer in
 * transaction or statement mode. Settings, locks and prepared statements of the gateway belong to sessions. Other errors of
 * the connection pass.
 */
export async function rejectSharedSessions(connection: Connection): Promise<void> {
  const clients = [checkClient(connection, timeoutMs), checkClient(connection, timeoutMs)];
  try {
    for (const client of clients) await client.connect();
    const pids: number[][] = [[], []];
    // a pooler gives the second statement the session that the first one just left, or changes sessions in turn
    for (let round = 0; round < rounds; round++)
      for (const [index, client] of clients.entries()) pids[index]?.push(await sessionOf(client));
    if (areShared(pids)) throw new Error(sharedSessionsText);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/** True unless each connection always had one session, which no other had. */
export function areShared(pids: readonly (readonly number[])[]): boolean {
  const sessions = pids.map((seen) => new Set(seen));
  return sessions.some((seen) => seen.size > 1) || new Set(pids.flat()).size < pids.length;
}

const sharedSessionsText =
  'DATABASE_URL leads to a connection pooler in transaction or statement mode: several connections share one session of the ' +
  'server. The gateway needs sessions of its own, for settings, locks and prepared statements. Set the pooler to session ' +
  'mode (pgbouncer: pool_mode = session), or connect to the server directly.';

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid as number;
}
