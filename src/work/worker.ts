// The worker loop: repeats one kind of work, and pauses when nothing is due.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Activity } from './activity.ts';

export interface Work {
  name: string;
  /** Claims and processes a bounded amount; returns how much it found (0: nothing was due). */
  perform: (signal: AbortSignal) => Promise<number>;
  /** The pause when nothing was due. */
  idleMs: number;
  /** The pause in the first second after an idle time. Default: `idleMs`. */
  freshMs?: number;
  /** Recurs for ever: what it finds does not keep the process awake. */
  isBackground?: boolean;
  /** Also asks while the process is idle. */
  runsIdle?: boolean;
}

export interface Worker {
  /** Ends the current pause. */
  nudge(): void;
  /** Stops claiming and resolves when the running work has ended. */
  stop(): Promise<void>;
}

const failurePauseMs = 2_000;
/** The pause of an idle process: the idle watch ends it. */
const idlePauseMs = 600_000;

/** Starts the loop of one kind of work. A failing round is logged, and the loop continues after a pause. */
export function startWorker(work: Work, deps: { clock: Clock; log: Log; activity?: Activity }): Worker {
  const stopping = new AbortController();
  let wake: AbortController | undefined;
  let nudged = false;

  async function pause(ms: number): Promise<void> {
    if (nudged || stopping.signal.aborted) return;
    wake = new AbortController();
    await deps.clock.sleep(ms, AbortSignal.any([wake.signal, stopping.signal]));
    wake = undefined;
  }

  const sleeps = () => !work.runsIdle && deps.activity?.isIdle() === true;

  function pauseMs(): number {
    if (sleeps()) return idlePauseMs;
    return deps.activity?.isFresh() ? (work.freshMs ?? work.idleMs) : work.idleMs;
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      nudged = false;
      try {
        const found = await work.perform(stopping.signal);
        if (found > 0 && !work.isBackground) deps.activity?.note();
        if (found === 0) await pause(pauseMs());
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
