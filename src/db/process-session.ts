// The database session that shows that this process is alive; when it ends, other processes release its leases.
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Connection, Tx } from './db.ts';
import { lockClass } from './process-lock.ts';
import type { Program } from './programs.ts';
import { listenersChannel, wakeChannel } from './wake-notifications.ts';

const reconnectMs = 500;
/** Leases of an ended process are released repeatedly for this long: its last statements may commit after its session ended. */
const lateStatementsSeconds = 10;

/**
 * If this machine vanishes, the server ends the session after about 5 s without an answer. These settings have no effect
 * over a Unix socket.
 */
const settings = [
  'set statement_timeout = 5000',
  // it is idle for most of the time, and other processes take its end for the end of this process
  'set idle_session_timeout = 0',
  'set tcp_keepalives_idle = 2',
  'set tcp_keepalives_interval = 1',
  'set tcp_keepalives_count = 3',
  `listen ${wakeChannel}`,
  `listen ${listenersChannel}`,
].join('; ');

export interface ProcessSession {
  /** The id by which this process leases rows (`leased_by`); never given to another process. */
  readonly id: number;
  /** Calls `listener` when another process has work, and when notifications may have been lost. */
  onWork(listener: () => void): void;
  /** Calls `listener` with the accounts of which some process has event streams. */
  onListeners(listener: (accountIds: string[]) => void): void;
  /** Ends the session. Other processes release the remaining leases. */
  close(): Promise<void>;
}

export interface ProcessSessionDeps {
  connection: Connection;
  program: Program;
  /** Logs a lost session. It is reopened until `close`. */
  log: { warn(about: object, message: string): void };
}

/** Registers this process and keeps the session open. Throws if the database cannot be reached now. */
export async function openProcessSession(deps: ProcessSessionDeps): Promise<ProcessSession> {
  const closing = new AbortController();
  let client = await connect(deps.connection);
  const id = await register(client, deps.program).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });
  const listeners: (() => void)[] = [];
  const accountListeners: ((accountIds: string[]) => void)[] = [];
  const tellListeners = () => {
    for (const listener of listeners) listener();
  };
  watch(client);

  function watch(opened: pg.Client): void {
    opened.on('error', lost);
    opened.on('notification', ({ channel, payload = '' }) => {
      if (channel === listenersChannel) for (const listener of accountListeners) listener(payload.split(','));
      else if (payload !== String(id)) tellListeners();
    });
  }

  function lost(error: Error): void {
    client.removeListener('error', lost);
    client.on('error', () => {});
    if (closing.signal.aborted) return;
    deps.log.warn({ err: error }, 'process.session_lost');
    void reconnect();
  }

  async function reconnect(): Promise<void> {
    while (!closing.signal.aborted) {
      const opened = await connect(deps.connection).catch(() => undefined);
      const held = opened && (await registerAgain(opened, id, deps.program).then(isTrue, () => false));
      if (held && !closing.signal.aborted) {
        client = opened;
        watch(client);
        tellListeners();
        return;
      }
      await opened?.end().catch(() => undefined);
      await sleep(reconnectMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    id,
    onWork: (listener) => void listeners.push(listener),
    onListeners: (listener) => void accountListeners.push(listener),
    async close() {
      closing.abort();
      await client.end().catch(() => undefined);
    },
  };
}

const isTrue = () => true;

async function connect(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({
    ...connection,
    application_name: 'gateway process',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // a lost connection fails the current statement; without a listener it would end the process
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(settings);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** Other processes see the row only after its lock is held. */
async function register(client: pg.Client, program: Program): Promise<number> {
  await client.query('begin');
  await registerProgram(client, program);
  const { rows } = await client.query<{ id: number }>(
    'insert into processes (program) values ($1) returning id',
    [program.id],
  );
  const id = rows[0]?.id as number;
  await client.query('select pg_advisory_lock($1, $2)', [lockClass, id]);
  await client.query('commit');
  return id;
}

async function registerProgram(client: pg.Client, { id, version, migrations }: Program): Promise<void> {
  await client.query(
    'insert into programs (id, version, migrations) values ($1, $2, $3) on conflict (id) do update set seen_at = now(), version = $2',
    [id, version, migrations],
  );
}

/** Fails while the server still keeps the lock for the lost session. */
async function registerAgain(client: pg.Client, id: number, program: Program): Promise<void> {
  await client.query('select pg_advisory_lock($1, $2)', [lockClass, id]);
  await registerProgram(client, program);
  await client.query(
    `insert into processes (id, program) overriding system value values ($1, $2)
      on conflict (id) do update set ended_at = null`,
    [id, program.id],
  );
}

/**
 * True if the process that `leasedBy` names has ended; false for null. For leases that are read by key: nothing has to release them. The
 * row of an ended process is deleted, so a missing row counts as ended.
 */
export const hasEnded = (
  leasedBy: RawBuilder<unknown>,
): RawBuilder<boolean> => sql<boolean>`(${leasedBy} is not null
  and not exists (select from processes p where p.id = ${leasedBy} and p.ended_at is null))`;

/**
 * Returns the ids of processes whose session has ended, as long as their last statements may still commit. Call it in the
 * transaction that releases their leases: its locks keep others from doing the same, and the process from coming back.
 */
export async function findEndedProcesses(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from processes where pg_try_advisory_xact_lock(${lockClass}, id)`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  await sql`
    with old as (delete from processes where id = any (${ids}::int[])
      and ended_at < now() - ${lateStatementsSeconds} * interval '1 second')
    update processes set ended_at = now() where id = any (${ids}::int[]) and ended_at is null`.execute(tx);
  return ids;
}
