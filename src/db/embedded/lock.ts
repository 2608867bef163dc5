// The advisory lock that allows one gateway per DATA_DIR; the server releases it when the process that holds it ends.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Host and login of a server, without a database name. */
export interface Address {
  host: string;
  port: number;
  user: string;
  password?: string;
}

/**
 * The result of `lockServer`. `taken`: another process has the lock. `not_ready`: the server is starting or stopping.
 * `not_admitted`: it rejects the role or password. `unreachable`: it does not answer, or is the server of other data.
 */
export type LockResult =
  | { kind: 'held'; client: pg.Client }
  | { kind: 'taken'; by: string }
  | { kind: 'not_ready' }
  | { kind: 'not_admitted' }
  | { kind: 'unreachable' };

/** Two arbitrary numbers; only this program uses the embedded server. */
export const gatewayLock = [1_128_813_383, 1] as const;
const connectTimeoutMs = 5000;
const answerTimeoutMs = 20_000;
/** The server may need a moment to notice that the previous holder was killed. */
const lockRetryMs = 1500;
// invalid_authorization_specification (the role is missing), invalid_password, insufficient_privilege
const notAdmittedCodes = new Set(['28000', '28P01', '42501']);
// cannot_connect_now, admin_shutdown, crash_shutdown, too_many_connections
const notReadyCodes = new Set(['57P03', '57P01', '57P02', '53300']);

async function tryLock(client: pg.Client): Promise<boolean> {
  const until = performance.now() + lockRetryMs;
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1, $2) as mine', [
      ...gatewayLock,
    ]);
    if (rows[0]?.mine) return true;
    if (performance.now() > until) return false;
    await sleep(50);
  }
}

async function holderOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    [...gatewayLock],
  );
  return rows[0]?.name ?? 'another process';
}

/**
 * Connects and takes the lock. The caller keeps the client open as long as it runs, and listens for its `end` event.
 * `isOurs` checks the server's data directory first: the files of a copied DATA_DIR name the original's server.
 */
export async function lockServer(
  address: Address,
  isOurs: (dataDirectory: string) => Promise<boolean>,
): Promise<LockResult> {
  const client = new pg.Client({
    ...address,
    database: 'postgres',
    application_name: `gateway process ${process.pid}`,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
  });
  // without a listener, losing an idle connection would end the process; the caller listens for 'end'
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ folder: string }>(
      "select current_setting('data_directory') as folder",
    );
    if (!(await isOurs(rows[0]?.folder ?? ''))) {
      await client.end();
      return { kind: 'unreachable' };
    }
    if (await tryLock(client)) return { kind: 'held', client };
    const by = await holderOf(client);
    await client.end();
    return { kind: 'taken', by };
  } catch (error) {
    client.end().catch(() => {});
    const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
    if (notAdmittedCodes.has(code)) return { kind: 'not_admitted' };
    return { kind: notReadyCodes.has(code) ? 'not_ready' : 'unreachable' };
  }
}
