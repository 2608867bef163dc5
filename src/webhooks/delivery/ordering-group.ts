// An ordering group: a delivery and the later stages of its message, attempted one after another.
import type { AttemptResult, FailedDelivery, LeasedDelivery, SucceededDelivery } from './delivery.ts';

/** The result of a group. Stages after the last one attempted still wait behind it in the database. */
export interface GroupResult {
  done: SucceededDelivery[];
  /** The stage that failed, after those done. */
  failure?: FailedDelivery;
  /** The stage that could not be attempted, after those done. */
  untried?: LeasedDelivery;
}

/**
 * Attempts the first delivery and, while each succeeds and `mayContinue`, its later stages. Receivers so get them in order, without a commit in
 * between. `attemptOne` returns undefined if the call could not be made. Rejects only if `attemptOne` does before any success.
 */
export async function attemptGroup(
  first: LeasedDelivery,
  attemptOne: (delivery: LeasedDelivery) => Promise<AttemptResult | undefined>,
  mayContinue: () => boolean,
): Promise<GroupResult> {
  const done: SucceededDelivery[] = [];
  for (const next of [first, ...(first.laterStages ?? [])]) {
    if (done.length > 0 && !mayContinue()) break;
    const result = await attemptOne(next).catch((error) => {
      if (done.length === 0) throw error;
      return undefined;
    });
    if (!result) return { done, untried: next };
    if (!result.delivered) return { done, failure: { ...next, ...result } };
    done.push({ ...next, ...result });
  }
  return { done };
}
