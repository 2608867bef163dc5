// The worker loop: repeats one kind of work, and pauses when nothing is due.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

export interface Work {
  name: string;
  /** Claims and processes a bounded amount; returns how much it found (0: nothing was due). */
  perform: (signal: AbortSignal) => Promise<number>;
  /** The pause when nothing was due. */
  idleMs: number;
}

export interface Worker {
  /** Ends the current pause. */
  nudge(): void;
  /** Stops claiming and resolves when the running work has ended. */
  stop(): Promise<void>;
}

const failurePauseMs = 2_000;

/** Starts the loop of one kind of work. A failing round is logged, and the loop continues after a pause. */
export function startWorker(work: Work, deps: { clock: Clock; log: Log }): Worker {
  const stopping = new AbortController();
  let wake: AbortController | undefined;
  let nudged = false;

  async function pause(ms: number): Promise<void> {
    if (nudged || stopping.signal.aborted) return;
    wake = new AbortController();
    await deps.clock.sleep(ms, AbortSignal.any([wake.signal, stopping.signal]));
    wake = undefined;
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      nudged = false;
      try {
        const found = await work.perform(stopping.signal);
        if (found === 0) await pause(work.idleMs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        deps.log.error({ err: error, work: work.name }, 'work.failed');
        await pause(failurePauseMs);
      }
    }
  }

  const ended = loop();
  return {
    nudge() {
      nudged = true;
      wake?.abort();
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
