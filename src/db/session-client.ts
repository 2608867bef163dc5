// The sessions of a pool: they remember fatal errors of their server, and how long a statement has been unanswered.
import pg from 'pg';
import { isUnavailable } from './failure.ts';
import { StandbyWaitError } from './standby-waits.ts';

/**
 * Increased when a session finds its server read-only. All pools of this thread then drop older sessions before their next
 * use: they lead to the same server, and reads would return old rows.
 */
let current = 0;

/** Called when a session of the current generation found its server read-only. */
export function beginGeneration(): void {
  current += 1;
}

/** True if no session found the server read-only since this one was opened. */
export const isCurrent = (client: SessionClient): boolean => client.generation === current;

/** A statement in progress, as pg knows it. */
interface ActiveQuery {
  callback(error: Error): void;
}

/** A session that remembers fatal errors of its server, and how long a statement has been unanswered. */
export class SessionClient extends pg.Client {
  readonly generation = current;
  /** The server's process, also behind a pooler; 0 until the session has started. */
  serverPid = 0;
  /** The error after which the session must not be reused. */
  fatalError: unknown;
  /** Number of unanswered statements, and since when the first of them is in progress. */
  pendingStatements = 0;
  pendingSinceMs = 0;
  /** Ends when the server has answered a statement whose caller no longer waits. */
  standbyWait: Promise<void> | undefined;

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
  override query(...args: any[]): any {
    // such as the rollback after a commit that failed; the server would not read it
    if (this.standbyWait) return Promise.reject(this.fatalError);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const answer = (super.query as (...args: any[]) => any).apply(this, args);
    if (typeof answer?.then !== 'function') return answer;
    if (this.pendingStatements === 0) this.pendingSinceMs = performance.now();
    this.pendingStatements += 1;
    // a separate chain, so that the caller's promise chain gets no longer
    answer.then(this.#answered, this.#failed);
    return answer;
  }

  readonly #answered = (): void => {
    this.pendingStatements -= 1;
    if (this.pendingStatements > 0) this.pendingSinceMs = performance.now();
  };

  readonly #failed = (error: unknown): void => {
    this.#answered();
    if (isUnavailable(error)) this.fatalError = error;
  };

  /** Milliseconds without an answer. */
  silentMs(): number {
    return this.pendingStatements > 0 || this.standbyWait ? performance.now() - this.pendingSinceMs : 0;
  }

  /**
   * The server just said that the statement in progress waits for a standby: fails it for its caller. The session stays open
   * until the server answers, so that no more sessions wait than the pool may have.
   */
  noteStandbyWait(): void {
    this.pendingSinceMs = performance.now();
    const { _activeQuery: query } = this as unknown as { _activeQuery: ActiveQuery | null };
    if (this.standbyWait || !query) return;
    this.fatalError = new StandbyWaitError();
    const fail = query.callback;
    this.standbyWait = new Promise((resolve) => {
      query.callback = () => resolve();
    });
    fail.call(query, this.fatalError as Error);
  }

  /** Closes a session that does not answer. Its statements fail as after any lost connection. */
  abandon(): void {
    const { stream } = (this as unknown as { connection: { stream: { destroy(): void } } }).connection;
    stream.destroy();
  }
}
