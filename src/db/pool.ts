// The pool of sessions under Kysely: a session of a server that cannot serve us is dropped, never used again.
import { createHash } from 'node:crypto';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { isAway, isReadOnly } from './failure.ts';

export interface PoolOptions extends pg.PoolConfig {
  /** Prepares every statement with values once a session. */
  hot: boolean;
  /** Statements that every new session begins with. */
  settings: string;
  /** A session whose statement got no answer for this long is given up. */
  answerWithinMs: number | undefined;
  onLostConnection: ((error: Error) => void) | undefined;
}

/** A server that takes no writes, found when a session with it was opened. */
export class ReadOnlyServerError extends Error {
  readonly code = '25006';

  constructor(isStandby: boolean) {
    super(
      isStandby
        ? 'the server is a standby, which takes no writes'
        : 'the server is read-only (default_transaction_read_only is on)',
    );
    this.name = 'ReadOnlyServerError';
  }
}

/** After a server was found read-only, no session is opened for this long. */
const readOnlyRestMs = 250;
const lookForSilenceMs = 1_000;
/** The system's own first probe of an idle connection comes after two hours. */
const keepAliveMs = 10_000;

/**
 * Counts up whenever a session finds its server read-only: sessions older than that are dropped when they are next
 * wanted, in every pool of this thread. They lead to the same server, and some would go on reading old rows from it.
 */
let generation = 0;

/** A session that notes what its server says, and since when it owes an answer. */
class SessionClient extends pg.Client {
  generation = generation;
  /** What the server said that makes the session useless. */
  trouble: unknown;
  /** Statements without an answer, and since when the first of them is in progress. */
  owed = 0;
  owedSinceMs = 0;

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
  override query(...args: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const answer = (super.query as (...args: any[]) => any).apply(this, args);
    if (typeof answer?.then !== 'function') return answer;
    if (this.owed === 0) this.owedSinceMs = performance.now();
    this.owed += 1;
    // beside the caller's own chain, which gets no longer by it
    answer.then(this.#answered, this.#failed);
    return answer;
  }

  readonly #answered = (): void => {
    this.owed -= 1;
    if (this.owed > 0) this.owedSinceMs = performance.now();
  };

  readonly #failed = (error: unknown): void => {
    this.#answered();
    if (isAway(error)) this.trouble = error;
  };

  /** Gives up a session that does not answer: its statements fail as with any lost connection. */
  abandon(): void {
    const { stream } = (this as unknown as { connection: { stream: { destroy(): void } } }).connection;
    stream.destroy();
  }
}

/**
 * Prepares each statement once a connection: its text is its name. For connections whose statements are few and fixed
 * (measured under load: a quarter to a third of the server's time went to planning them again).
 */
class PreparingClient extends SessionClient {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    const prepared = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    return prepared ? super.query({ name: nameOf(text), text, values }, ...rest) : super.query(...args);
  }
}

const names = new Map<string, string>();

/** A short name for a statement; PostgreSQL cuts names at 63 bytes. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('base64url');
  names.set(text, name);
  return name;
}

/** Opens the pool; nothing connects before the first `connect`. */
export function openPool(options: PoolOptions): PostgresPool {
  const { hot, settings, answerWithinMs, onLostConnection, ...config } = options;
  const pool = new pg.Pool({
    ...config,
    Client: hot ? PreparingClient : SessionClient,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    onConnect: (client) => begin(client, settings),
  });
  pool.on('error', (error) => onLostConnection?.(error));
  // the pool listens to idle clients alone: one lost while a caller holds it between two statements (or while it
  // closes) would end the process. Its next statement fails, and that is enough.
  pool.on('connect', (client) => client.on('error', () => {}));
  const held = new Set<SessionClient>();
  const watch =
    answerWithinMs === undefined
      ? undefined
      : setInterval(() => dropSilent(held, answerWithinMs), lookForSilenceMs);
  watch?.unref();
  let readOnly: { error: unknown; untilMs: number } | undefined;

  async function newest(): Promise<SessionClient & pg.PoolClient> {
    for (;;) {
      const client = (await pool.connect()) as SessionClient & pg.PoolClient;
      if (client.generation === generation) return client;
      client.release(true);
    }
  }

  async function connect() {
    if (readOnly && pool.idleCount === 0 && performance.now() < readOnly.untilMs) throw readOnly.error;
    const client = await newest().catch((error: unknown) => {
      if (isReadOnly(error)) readOnly = { error, untilMs: performance.now() + readOnlyRestMs };
      throw error;
    });
    const { release } = client;
    held.add(client);
    client.release = (destroy) => {
      held.delete(client);
      if (isReadOnly(client.trouble) && client.generation === generation) generation += 1;
      release.call(client, destroy === true || client.trouble !== undefined);
    };
    return client;
  }

  return {
    connect: connect as unknown as PostgresPool['connect'],
    end() {
      clearInterval(watch);
      return pool.end();
    },
    options: pool.options,
    Client: pg.Client as unknown as NonNullable<PostgresPool['Client']>,
  };
}

/** The settings of a new session; throws ReadOnlyServerError where it could not write. One round trip. */
async function begin(client: pg.ClientBase, settings: string): Promise<void> {
  const look =
    "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only";
  const results = (await client.query(`${settings}; ${look}`)) as unknown as pg.QueryResult[];
  const { standby, read_only: isReadOnlyNow } = results.at(-1)?.rows[0] ?? {};
  if (isReadOnlyNow) throw new ReadOnlyServerError(standby === true);
}

function dropSilent(held: Set<SessionClient>, afterMs: number): void {
  const now = performance.now();
  for (const client of held) if (client.owed > 0 && now - client.owedSinceMs > afterMs) client.abandon();
}
