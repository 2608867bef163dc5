// Taking what is due: endpoint after endpoint in turn, each delivery with the later stages that wait for it alone.
import type { Db } from '../../db/db.ts';
import { type LeasedDelivery, lastStage } from './delivery.ts';
import { claimDeliveries, findLaterStages } from './store.ts';

export interface Claim {
  perEndpoint: number;
  total: number;
  /** Endpoints of which nothing is wanted. */
  except: readonly string[];
}

/** Makes a way to claim for a process. A claim that brought all it may goes on behind its last endpoint, so that none is passed over. */
export function openClaims(db: Db, processId: number): (claim: Claim) => Promise<LeasedDelivery[]> {
  let after: string | undefined;

  return async function take(claim): Promise<LeasedDelivery[]> {
    const heads = await claimDeliveries(db, { ...claim, after, processId });
    const wasBehind = after !== undefined;
    after = heads.length < claim.total ? undefined : lastEndpoint(heads);
    // Nothing is left behind it: those before it have their turn at once.
    if (heads.length === 0 && wasBehind) return take(claim);
    return withLaterStages(db, heads);
  };
}

/** The one whose id stands last. */
const lastEndpoint = (heads: readonly LeasedDelivery[]): string =>
  heads.reduce((last, { endpointId }) => (endpointId > last ? endpointId : last), '');

async function withLaterStages(db: Db, heads: LeasedDelivery[]): Promise<LeasedDelivery[]> {
  const awaited = new Map(
    heads.filter(({ stage }) => stage > 0 && stage < lastStage).map((head) => [head.id, head]),
  );
  if (awaited.size === 0) return heads;
  for (const { headId, ...later } of await findLaterStages(db, [...awaited.values()])) {
    const head = awaited.get(headId);
    if (!head) continue;
    head.laterStages ??= [];
    head.laterStages.push({ ...later, version: head.version, failures: head.failures });
  }
  return heads;
}
