// Release of the leases of requests that a database failure interrupted, as soon as the database is available again.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

export interface Releases {
  /** Schedules the release of leases of a subject (a send, a booking) that this process no longer uses. */
  release(subjectId: string): void;
  stop(): Promise<void>;
}

const retryEveryMs = 250;
/** More than the maximum of concurrent requests. Beyond it, leases expire by themselves. */
const waitingMax = 10_000;

/** `perform` releases many subjects together; it must be safe to repeat. */
export function openReleases(
  deps: { clock: Clock; log: Log },
  perform: (subjectIds: string[]) => Promise<void>,
): Releases {
  const waiting = new Set<string>();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.size > 0 && !stopping.signal.aborted) {
      const ids = [...waiting];
      try {
        await perform(ids);
        for (const id of ids) waiting.delete(id);
      } catch (error) {
        deps.log.warn({ err: error, count: ids.length }, 'leases.not_released');
        await deps.clock.sleep(retryEveryMs, stopping.signal);
      }
    }
    running = undefined;
  }

  return {
    release(subjectId) {
      if (waiting.size >= waitingMax || stopping.signal.aborted) return;
      waiting.add(subjectId);
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
