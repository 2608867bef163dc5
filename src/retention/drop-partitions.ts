// Drops partitions whose rows have all ended for longer than any account keeps them.
import type { RetentionKind } from '../base/retention-days.ts';
import { lowestUuidAt } from '../base/uuid-time.ts';
import type { Db } from '../db/db.ts';
import { isLockTimeout } from '../db/failure.ts';
import { type Cutoffs, earliest } from './cutoffs.ts';
import {
  countAttempts,
  countDeliveriesBetween,
  countKept,
  countPages,
  dropAttempts,
  dropPartitions,
  keepDeliveries,
  keepMessages,
  keepMessagesOfDeliveries,
  keepReceived,
  listPartitions,
  type Partition,
  type PartitionedTable,
  type Search,
  unwatchOthers,
  unwatchPartition,
  watchPartition,
} from './partitions-store.ts';

/** What a step did. */
export type Step =
  | { kind: 'partition'; name: string; moved: number }
  | { kind: 'busy'; name: string }
  | { kind: 'searched' }
  | { kind: 'kept'; name: string };

/** Pages of a partition that one statement reads: 64 MB. */
const pagesPerStep = 8_192;
/** A partition with more rows that stay is not dropped: moving them would stop writers for too long. Its rows are removed one by one. */
const keptMax = 5_000;
/** Such a partition is searched again after a day: its rows may stay for ever, for example deliveries of a paused endpoint. */
const searchAgainMs = 86_400_000;

const kindOf = { messages: 'messages', deliveries: 'deliveries', received_messages: 'received' } as const;
const keep: Record<PartitionedTable, (db: Db, search: Search) => Promise<void>> = {
  messages: keepMessages,
  deliveries: keepDeliveries,
  received_messages: keepReceived,
};

/** Deliveries before the messages from which their bodies are made. */
const order: readonly PartitionedTable[] = ['deliveries', 'messages', 'received_messages'];

/** A partition that may be dropped, with those that go with it. */
export interface Candidate {
  table: PartitionedTable;
  partition: Partition;
  with: Partition[];
  before: Date;
}

interface Candidates {
  candidates: Candidate[];
  /** Partitions of attempts without one of their deliveries: a switch between months and days may leave them. */
  attempts: Partition[];
}

/** The partitions of which every row began before every account's time. */
export async function findCandidates(db: Db, all: readonly Cutoffs[]): Promise<Candidates> {
  const partitions = await listPartitions(db, [...order, 'attempts']);
  const old = (table: string, kind: RetentionKind) => {
    const before = earliest(all, kind);
    const limit = before && lowestUuidAt(before);
    return partitions.flatMap((partition) =>
      before && limit && partition.table === table && partition.to <= limit ? [{ partition, before }] : [],
    );
  };
  const attempts = old('attempts', 'deliveries').map(({ partition }) => partition);
  const deliveries = partitions.filter((one) => one.table === 'deliveries');
  return {
    candidates: order.flatMap((table) =>
      old(table, kindOf[table]).map(({ partition, before }) => ({
        ...{ table, partition, before },
        with:
          table === 'deliveries'
            ? attempts.filter((one) => one.from >= partition.from && one.to <= partition.to)
            : [],
      })),
    ),
    attempts: attempts.filter(({ from, to }) => !deliveries.some((one) => one.from < to && from < one.to)),
  };
}

/** When partitions were searched of which too many rows stay, by name. */
export type LastSearches = Map<string, number>;

/** Searches and drops one partition, in steps. A crash between two of them leaves nothing to clean up: the next search begins again. */
async function* drop(db: Db, { table, partition, with: others, before }: Candidate): AsyncGenerator<Step> {
  const { name } = partition;
  if (table === 'messages' && (await countDeliveriesBetween(db, partition, keptMax + 1)) > keptMax) return;
  const search = await watchPartition(db, partition);
  // rows that are written from here on are kept by the watch
  if (table === 'messages') await keepMessagesOfDeliveries(db, partition);
  for (let page = 0; page < (await countPages(db, name)); page += pagesPerStep) {
    await keep[table](db, {
      ...{ partition, before, fromPage: page, toPage: page + pagesPerStep },
      limit: keptMax + 1,
    });
    if ((await countKept(db, name, keptMax + 1)) > keptMax) return yield* giveUp(db, name);
    yield { kind: 'searched' };
  }
  if ((await countKept(db, name, keptMax + 1)) > keptMax) return yield* giveUp(db, name);
  const moved = await dropPartitions(db, [partition, ...others], search);
  yield moved === null ? { kind: 'busy', name } : { kind: 'partition', name, moved };
}

async function* giveUp(db: Db, name: string): AsyncGenerator<Step> {
  await unwatchPartition(db, name);
  yield { kind: 'kept', name };
}

async function* dropAlone(db: Db, partition: Partition): AsyncGenerator<Step> {
  if ((await countAttempts(db, partition, keptMax + 1)) > keptMax) return;
  const { name } = partition;
  const moved = await dropAttempts(db, partition);
  yield moved === null ? { kind: 'busy', name } : { kind: 'partition', name, moved };
}

/** Does the steps of one partition; it is busy if a lock was not free. */
async function* unlessLocked(name: string, steps: AsyncGenerator<Step>): AsyncGenerator<Step> {
  try {
    yield* steps;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    yield { kind: 'busy', name };
  }
}

/**
 * Drops what can be dropped, in steps. A partition whose locks are not free is left for the next run; one of which too many rows stay,
 * for a run a day after its search, which is noted in `searches`.
 */
export async function* dropOldPartitions(
  db: Db,
  all: readonly Cutoffs[],
  { now, searches }: { now: number; searches: LastSearches },
): AsyncGenerator<Step> {
  const { candidates, attempts } = await findCandidates(db, all);
  const due = candidates.filter(({ partition }) => {
    const searched = searches.get(partition.name);
    return searched === undefined || Math.abs(now - searched) >= searchAgainMs;
  });
  const names = due.map(({ partition }) => partition.name);
  await unwatchOthers(db, names).catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
  });
  for (const candidate of due)
    for await (const step of unlessLocked(candidate.partition.name, drop(db, candidate))) {
      if (step.kind === 'kept') searches.set(step.name, now);
      yield step;
    }
  for (const partition of attempts) yield* unlessLocked(partition.name, dropAlone(db, partition));
}
