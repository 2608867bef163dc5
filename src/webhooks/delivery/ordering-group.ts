// One delivery and the later stages that wait for it alone, tried one after another.
import type { Failed, Outcome, Startable, Succeeded } from './delivery.ts';

/** What became of a chain. Stages after the last one tried still wait behind it in the database. */
export interface ChainOutcome {
  done: Succeeded[];
  /** The stage that failed, after those done. */
  failure?: Failed;
  /** The stage that could not be tried, after those done. */
  untried?: Startable;
}

/**
 * Tries the head and, as long as each arrives and `mayGoOn`, those that follow it: first arrivals keep their order,
 * though nothing is on disk in between. `tryOne` answers undefined where the call could not be made. Rejects only if
 * `tryOne` does before anything arrived.
 */
export async function tryChain(
  head: Startable,
  tryOne: (delivery: Startable) => Promise<Outcome | undefined>,
  mayGoOn: () => boolean,
): Promise<ChainOutcome> {
  const done: Succeeded[] = [];
  for (const next of [head, ...(head.followers ?? [])]) {
    if (done.length > 0 && !mayGoOn()) break;
    const outcome = await tryOne(next).catch((error) => {
      if (done.length === 0) throw error;
      return undefined;
    });
    if (!outcome) return { done, untried: next };
    if (!outcome.delivered) return { done, failure: { ...next, ...outcome } };
    done.push({ ...next, ...outcome });
  }
  return { done };
}
