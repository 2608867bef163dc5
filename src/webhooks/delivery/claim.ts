// Claims of due deliveries, endpoint by endpoint in turn, each with the later stages that wait for it alone.
import type { Db } from '../../db/db.ts';
import { type LeasedDelivery, lastStage } from './delivery.ts';
import type { Claim } from './queue.ts';
import { claimDeliveries, findLaterStages } from './store.ts';

/** Returns the claim function of a process. A claim that reached its limit continues behind its last endpoint, so that each gets its turn. */
export function openClaims(db: Db, processId: number): (claim: Claim) => Promise<LeasedDelivery[]> {
  let after: string | undefined;

  return async function claimNext(claim): Promise<LeasedDelivery[]> {
    const claimed = await claimDeliveries(db, { ...claim, after, processId });
    const continued = after !== undefined;
    after = claimed.length < claim.total ? undefined : lastEndpoint(claimed);
    // nothing is due after the last endpoint: start over immediately
    if (claimed.length === 0 && continued) return claimNext(claim);
    return withLaterStages(db, claimed);
  };
}

/** The greatest endpoint id. */
const lastEndpoint = (claimed: readonly LeasedDelivery[]): string =>
  claimed.reduce((last, { endpointId }) => (endpointId > last ? endpointId : last), '');

async function withLaterStages(db: Db, claimed: LeasedDelivery[]): Promise<LeasedDelivery[]> {
  const awaited = new Map(
    claimed.filter(({ stage }) => stage > 0 && stage < lastStage).map((first) => [first.id, first]),
  );
  if (awaited.size === 0) return claimed;
  for (const { firstId, ...later } of await findLaterStages(db, [...awaited.values()])) {
    const first = awaited.get(firstId);
    if (!first) continue;
    first.laterStages ??= [];
    first.laterStages.push({ ...later, version: first.version, failures: first.failures });
  }
  return claimed;
}
