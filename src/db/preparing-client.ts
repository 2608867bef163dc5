// The sessions of hot transactions: prepared statements, and `begin` and `commit` in the round trips of others.
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { isStalePlan } from './failure.ts';
import { SessionClient } from './session-client.ts';

/** What pg writes to the server. */
interface ProtocolConnection {
  stream: { cork(): void; uncork(): void };
  bind(portal: { statement: string }): void;
  execute(portal: object): void;
}

/** At the end of a statement whose transaction is committed with it. */
const thenCommitMark = '/* then commit */';

/** Marks the last statement of a hot transaction: it is committed in the same round trip. Nothing may fail after it but the commit. */
export const thenCommit = (isLast: boolean): RawBuilder<unknown> =>
  isLast ? sql.raw(thenCommitMark) : sql``;

/**
 * Prepares each statement once per connection, named by a digest of its text. For connections with few, fixed statements
 * (measured under load: planning took a quarter to a third of the server's time). Sends `begin` with the first statement of a transaction, and
 * `commit` with the one marked by `thenCommit`: two round trips less. The server skips what follows a failed message, so nothing is committed then.
 */
export class PreparingClient extends SessionClient {
  /** A transaction was begun, and the server does not know yet. */
  #begins = false;
  /** The last statement has committed, before the caller asked for it. */
  #hasCommitted = false;

  /** Prepares what transactions send with their statements. Call it once, for a new session. */
  async prepareTransactions(): Promise<void> {
    for (const text of ['begin', 'commit']) await super.query({ name: text, text });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    if (rest.length === 0 && typeof text === 'string' && typeof values !== 'function') {
      if (text === 'begin') return this.#begin();
      if (text === 'commit' || text === 'rollback') return this.#end(text);
    }
    if (this.#hasCommitted)
      return Promise.reject(new Error('A statement follows the last one of its transaction.'));
    const prepared = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    if (this.#begins) {
      this.#begins = false;
      if (prepared && this.#isIdle) return this.#sendWith(text, values, true);
      return super.query('begin').then(() => this.query(...args));
    }
    if (!prepared) return super.query(...args);
    if (text.endsWith(thenCommitMark) && this.#isIdle) return this.#sendWith(text, values, false);
    const answer = super.query({ name: nameOf(text), text, values }, ...rest);
    return typeof answer?.then === 'function'
      ? answer.then(undefined, this.#retryStale(text, values))
      : answer;
  }

  /** True if pg writes a statement to the server before `query` returns. */
  get #isIdle(): boolean {
    return (this as unknown as { readyForQuery: boolean }).readyForQuery;
  }

  #begin(): Promise<Partial<pg.QueryResult>> {
    this.#begins = true;
    this.#hasCommitted = false;
    return Promise.resolve({ command: 'BEGIN', rows: [], rowCount: null });
  }

  /** Nothing is left to do if the server does not know the transaction, or has committed it with its last statement. */
  #end(text: 'commit' | 'rollback'): Promise<Partial<pg.QueryResult>> {
    const isEnded = this.#begins || (this.#hasCommitted && text === 'commit');
    this.#begins = false;
    this.#hasCommitted = false;
    if (!isEnded) return super.query(text);
    return Promise.resolve({ command: text.toUpperCase(), rows: [], rowCount: null });
  }

  /**
   * Sends a statement of a transaction with `begin` before it or, if it is marked, `commit` after it, in one write. Rejects if one of
   * them fails.
   */
  async #sendWith(text: string, values: unknown[], begins: boolean): Promise<pg.QueryResult> {
    const commits = text.endsWith(thenCommitMark);
    const { connection } = this as unknown as { connection: ProtocolConnection };
    const add = (statement: string) => {
      connection.bind({ statement });
      connection.execute({});
    };
    connection.stream.cork();
    if (begins) add('begin');
    // before the `sync` that ends the statement: the server skips everything up to it after an error
    if (commits)
      connection.execute = (portal) => {
        Reflect.deleteProperty(connection, 'execute');
        connection.execute(portal);
        add('commit');
      };
    const answer: Promise<pg.QueryResult[]> = super.query({ name: nameOf(text), text, values });
    Reflect.deleteProperty(connection, 'execute');
    connection.stream.uncork();
    const results = await answer.catch(forgetStale);
    this.#hasCommitted = commits;
    return results[begins ? 1 : 0] as pg.QueryResult;
  }

  /**
   * After a migration of a later version, statements with `select *` fail until they are prepared again. Such a statement did
   * nothing, so outside a transaction it is repeated.
   */
  readonly #retryStale = (text: string, values: unknown[]) => (error: unknown) => {
    if (!isStalePlan(error)) throw error;
    forgetNames();
    if (this.getTransactionStatus() !== 'I') throw error;
    return super.query({ name: nameOf(text), text, values });
  };
}

const names = new Map<string, string>();
/** Part of every name: increased when the statements of all sessions have to be prepared again. */
let preparations = 0;

function forgetNames(): void {
  names.clear();
  preparations += 1;
}

/** Throws the error of a statement in a transaction, which is aborted. After a stale plan, its repetition prepares the statement again. */
function forgetStale(error: unknown): never {
  if (isStalePlan(error)) forgetNames();
  throw error;
}

/** A short name for a statement; PostgreSQL truncates names to 63 bytes. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(`${preparations} ${text}`).digest('base64url');
  names.set(text, name);
  return name;
}
