// One event stream: what waits to be sent, and whether its caller is still admitted.
import type { Authenticator, Credential } from '../accounts/authenticate.ts';
import { AppError } from '../base/errors.ts';
import { addFrame, type ChangedKinds, frameOf } from '../changes/kinds.ts';
import type { ChangeRow } from '../changes/store.ts';
import type { Caller } from '../http/request.ts';
import { comment, frameText, reloadText } from './frames.ts';

/** Where a stream's text goes. */
export interface Sink {
  /** False: it takes no more until it is drained. */
  write(text: string): boolean;
  isFull(): boolean;
  end(text: string): void;
}

export interface StreamOf {
  caller: Pick<Caller, 'id' | 'accountId' | 'scopes'>;
  credential: Credential;
  sink: Sink;
}

const checkEveryMs = 5_000;
const commentEveryMs = 15_000;
/** A reader that takes nothing for this long is disconnected. */
const stuckMs = 60_000;

export class Stream {
  readonly caller: StreamOf['caller'];
  readonly #of: StreamOf;
  #pending: ChangedKinds = new Map();
  /** Rows from before the first frame. */
  #known: ReadonlySet<string> = new Set();
  #needsReload: boolean;
  #checkedMs: number;
  #writtenMs: number;

  constructor(of: StreamOf, { nowMs, needsReload }: { nowMs: number; needsReload: boolean }) {
    this.#of = of;
    this.caller = of.caller;
    this.#needsReload = needsReload;
    this.#checkedMs = nowMs;
    this.#writtenMs = nowMs;
  }

  /** Adds a change of this account, or of all, to what waits. */
  take(row: ChangeRow): void {
    if (this.#known.has(row.id)) return;
    if (row.account_id === null) this.#needsReload = true;
    else if (row.account_id === this.caller.accountId) addFrame(this.#pending, row.kinds, this.caller.scopes);
  }

  requireReload(): void {
    this.#needsReload = true;
  }

  /**
   * Writes the first frame: with `isContinued`, the changes in `rows`; else nothing but the time, because a page reads everything
   * after it has opened its stream.
   */
  begin(at: Date, rows: readonly ChangeRow[], { isContinued }: { isContinued: boolean }): void {
    if (isContinued) for (const row of rows) this.take(row);
    this.#known = new Set(rows.map(({ id }) => id));
    this.#of.sink.write(this.#takeText(at) || frameText(at, {}));
  }

  /** Checks the key or session every 5 s, and sends what waits. Returns whether the stream stays open. */
  async keep(authenticator: Pick<Authenticator, 'check'>, at: Date, nowMs: number): Promise<boolean> {
    if (nowMs - this.#checkedMs >= checkEveryMs) {
      this.#checkedMs = nowMs;
      if (!(await this.#isAdmitted(authenticator))) return false;
    }
    if (this.#of.sink.isFull()) return nowMs - this.#writtenMs <= stuckMs;
    const text = this.#takeText(at);
    if (text === '' && nowMs - this.#writtenMs < commentEveryMs) return true;
    this.#writtenMs = nowMs;
    this.#of.sink.write(text || comment);
    return true;
  }

  end(text: string): void {
    this.#of.sink.end(text);
  }

  async #isAdmitted(authenticator: Pick<Authenticator, 'check'>): Promise<boolean> {
    try {
      await authenticator.check(this.#of.credential);
      return true;
    } catch (error) {
      // any other error says nothing about the key or session
      return !(error instanceof AppError);
    }
  }

  #takeText(at: Date): string {
    const [pending, needsReload] = [this.#pending, this.#needsReload];
    this.#pending = new Map();
    this.#needsReload = false;
    if (needsReload) return reloadText(at);
    return pending.size > 0 ? frameText(at, frameOf(pending)) : '';
  }
}
