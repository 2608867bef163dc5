// One running gateway for each DATA_DIR: an advisory lock on the server itself, which dies with the process that holds it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** How a server is reached by its owner, without the name of a database. */
export interface Address {
  host: string;
  port: number;
  user: string;
  password?: string;
}

/** What asking came to: the held lock, another's, a server that is starting or stopping, one that does not know our role, or no answer at all. */
export type Guarding =
  | { kind: 'held'; client: pg.Client }
  | { kind: 'taken'; by: string }
  | { kind: 'not_ready' }
  | { kind: 'not_admitted' }
  | { kind: 'unreachable' };

// any two numbers that no other program on this server of ours would choose
const lock = [1_128_813_383, 1];
const connectTimeoutMs = 5000;
const answerTimeoutMs = 20_000;
/** A holder that was killed an instant ago is gone as soon as the server has noticed. */
const patienceMs = 1500;
// cannot_connect_now, admin_shutdown, crash_shutdown, too_many_connections
// invalid_authorization_specification (the role is missing), invalid_password, insufficient_privilege
const notAdmittedCodes = new Set(['28000', '28P01', '42501']);
const notReadyCodes = new Set(['57P03', '57P01', '57P02', '53300']);

async function tryLock(client: pg.Client): Promise<boolean> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>(
      'select pg_try_advisory_lock($1, $2) as mine',
      lock,
    );
    if (rows[0]?.mine) return true;
    if (performance.now() > until) return false;
    await sleep(50);
  }
}

async function holderOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    lock,
  );
  return rows[0]?.name ?? 'another process';
}

/**
 * Connects and takes the lock. The caller keeps the client open for as long as it runs, and listens for its end.
 * `isOurs` is asked about the server's data directory before anything else: a copied DATA_DIR names another's server.
 */
export async function takeGuard(
  address: Address,
  isOurs: (dataDirectory: string) => Promise<boolean>,
): Promise<Guarding> {
  const client = new pg.Client({
    ...address,
    database: 'postgres',
    application_name: `gateway process ${process.pid}`,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
  });
  // without a listener the loss of an idle connection would end the process; the caller acts on 'end'
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
