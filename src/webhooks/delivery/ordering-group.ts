// One delivery and the later stages that wait for it alone, tried one after another.
import type { AttemptResult, FailedDelivery, LeasedDelivery, SucceededDelivery } from './delivery.ts';

/** What became of a chain. Stages after the last one tried still wait behind it in the database. */
export interface GroupResult {
  done: SucceededDelivery[];
  /** The stage that failed, after those done. */
  failure?: FailedDelivery;
  /** The stage that could not be tried, after those done. */
  untried?: LeasedDelivery;
}

/**
 * Tries the head and, as long as each arrives and `mayGoOn`, those that follow it: first arrivals keep their order,
 * though nothing is on disk in between. `tryOne` answers undefined where the call could not be made. Rejects only if
 * `tryOne` does before anything arrived.
 */
export async function attemptGroup(
  head: LeasedDelivery,
  tryOne: (delivery: LeasedDelivery) => Promise<AttemptResult | undefined>,
  mayGoOn: () => boolean,
): Promise<GroupResult> {
  const done: SucceededDelivery[] = [];
  for (const next of [head, ...(head.laterStages ?? [])]) {
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
