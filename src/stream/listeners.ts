// The event streams of one process, their limits, and the one poll a second that feeds all of them.
import type { Authenticator } from '../accounts/authenticate.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Changes } from '../changes/changes.ts';
import { deleteOldChanges, recentChanges } from '../changes/store.ts';
import type { Db } from '../db/db.ts';
import { notifyListeners } from '../db/wake-notifications.ts';
import type { Caller } from '../http/request.ts';
import { endOfStream } from './frames.ts';
import { Stream, type StreamOf } from './stream.ts';

export interface ListenersDeps {
  db: Db;
  clock: Clock;
  log: Log;
  authenticator: Pick<Authenticator, 'check'>;
  changes: Pick<Changes, 'listen'>;
  /** Notifies the other processes which accounts are listened to. */
  announceListeners: (accountIds: readonly string[]) => Promise<void>;
  isDraining: () => boolean;
}

const limits = { perCaller: 5, perAccount: 50, inAll: 1_000 };
/** Streams may look back this far with `Last-Event-ID`. */
export const lookBackSeconds = 60;
const pollEveryMs = 1_000;
/** Rows may appear this late after their time: their statement was slow. */
const lateSeconds = 5;
const announceEveryMs = 20_000;
const deleteEveryMs = 30_000;

/** Streams cost nothing while there is none. */
export class Listeners {
  readonly #deps: ListenersDeps;
  readonly #streams = new Set<Stream>();
  /** Ids of rows that were read, with the time when. */
  readonly #seen = new Map<string, number>();
  readonly #stopping = new AbortController();
  #isPolling = false;
  #polledMs = 0;
  #announcedMs = 0;
  #deletedMs = 0;

  constructor(deps: ListenersDeps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Throws 429 if the caller, its account or the process has too many streams. */
  requireRoom({ id, accountId }: Pick<Caller, 'id' | 'accountId'>): void {
    const all = [...this.#streams].map(({ caller }) => caller);
    const own = all.filter((caller) => caller.id === id).length;
    const ofAccount = all.filter((caller) => caller.accountId === accountId).length;
    if (own < limits.perCaller && ofAccount < limits.perAccount && all.length < limits.inAll) return;
    throw new AppError(
      'rate_limited',
      `A key or session has at most ${limits.perCaller} event streams, an account ${limits.perAccount}, a process ${limits.inAll}. Close one first.`,
      { retryAfterSeconds: 10 },
    );
  }

  /**
   * Opens a stream; with `since`, it begins with what changed since then, or asks for a reload if that time is unknown.
   * Returns what closes it.
   */
  async open(of: StreamOf, since: Date | 'unknown' | undefined): Promise<() => void> {
    const nowMs = this.#deps.clock.steady();
    const stream = new Stream(of, { nowMs, needsReload: since === 'unknown' });
    if (this.#streams.size === 0) this.#polledMs = nowMs;
    this.#streams.add(stream);
    try {
      // before reading: what changes from now on is recorded
      await this.#announce();
      const from = since instanceof Date ? since : null;
      const { at, rows } = await recentChanges(this.#deps.db, [of.caller.accountId], { from, lateSeconds });
      stream.begin(at, rows, { isContinued: from !== null });
    } catch (error) {
      this.#streams.delete(stream);
      throw error;
    }
    void this.#poll();
    return () => void this.#streams.delete(stream);
  }

  /** Ends every stream; browsers come back after a second. */
  stop(): void {
    this.#stopping.abort();
    for (const stream of this.#streams) this.#close(stream, endOfStream);
  }

  #close(stream: Stream, text: string): void {
    if (this.#streams.delete(stream)) stream.end(text);
  }

  #accountIds(): string[] {
    return [...new Set([...this.#streams].map(({ caller }) => caller.accountId))];
  }

  async #announce(): Promise<void> {
    this.#announcedMs = this.#deps.clock.steady();
    const ids = this.#accountIds();
    this.#deps.changes.listen(ids);
    await this.#deps.announceListeners(ids);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    const { clock, isDraining, log } = this.#deps;
    const { signal } = this.#stopping;
    const isEnding = () => signal.aborted || isDraining();
    while (this.#streams.size > 0 && !isEnding()) {
      await clock.sleep(pollEveryMs, signal);
      if (isEnding()) break;
      try {
        await this.#round(clock.steady());
      } catch (error) {
        log.warn({ err: error }, 'stream.poll_failed');
        for (const stream of this.#streams) stream.requireReload();
      }
    }
    if (isEnding()) for (const stream of this.#streams) this.#close(stream, endOfStream);
    this.#isPolling = false;
  }

  async #round(nowMs: number): Promise<void> {
    const { db, authenticator } = this.#deps;
    if (nowMs - this.#announcedMs >= announceEveryMs) await this.#announce();
    const isLate = nowMs - this.#polledMs > (lateSeconds - 1) * 1_000;
    const { at, rows } = await recentChanges(db, this.#accountIds(), { from: null, lateSeconds });
    this.#polledMs = nowMs;
    const fresh = rows.filter(({ id }) => !this.#seen.has(id));
    for (const { id } of rows) this.#seen.set(id, nowMs);
    for (const [id, ms] of this.#seen) if (nowMs - ms > 2 * lateSeconds * 1_000) this.#seen.delete(id);
    for (const stream of this.#streams) {
      if (isLate) stream.requireReload();
      for (const row of fresh) stream.take(row);
      if (!(await stream.keep(authenticator, at, nowMs))) this.#close(stream, '');
    }
    if (nowMs - this.#deletedMs < deleteEveryMs) return;
    this.#deletedMs = nowMs;
    await deleteOldChanges(db);
  }
}

/** Opens the streams of a process, which ends them when `isDraining`. */
export const openListeners = (
  parts: Omit<ListenersDeps, 'announceListeners' | 'isDraining'>,
  isDraining: () => boolean,
): Listeners =>
  new Listeners({
    ...parts,
    announceListeners: (accountIds) => notifyListeners(parts.db, accountIds),
    isDraining,
  });
