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
  | { kind: 'searched'; rows: number };

/** Pages of a partition that one statement reads: 64 MB. */
const pagesPerStep = 8_192;
/** A partition with more rows that stay is not dropped: moving them would stop writers for too long. Its rows are removed one by one. */
const keptMax = 5_000;

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

/** Searches and drops one partition, in steps. A crash between two of them leaves nothing to clean up: the next search begins again. */
async function* drop(db: Db, { table, partition, with: others, before }: Candidate): AsyncGenerator<Step> {
  const { name } = partition;
  if (table === 'messages' && (await countDeliveriesBetween(db, partition, keptMax + 1)) > keptMax) return;
  const search = await watchPartition(db, partition);
  // rows that are written from here on are kept by the watch
  if (table === 'messages') await keepMessagesOfDeliveries(db, partition);
  for (let page = 0; page < (await countPages(db, name)); page += pagesPerStep) {
    await keep[table](db, { partition, before, fromPage: page, toPage: page + pagesPerStep });
    if ((await countKept(db, name, keptMax + 1)) > keptMax) return unwatchPartition(db, name);
    yield { kind: 'searched', rows: 0 };
  }
  if ((await countKept(db, name, keptMax + 1)) > keptMax) return unwatchPartition(db, name);
  const moved = await dropPartitions(db, [partition, ...others], search);
  yield moved === null ? { kind: 'busy', name } : { kind: 'partition', name, moved };
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

/** Drops what can be dropped, in steps. A partition whose locks are not free is left for the next run. */
export async function* dropOldPartitions(db: Db, all: readonly Cutoffs[]): AsyncGenerator<Step> {
  const { candidates, attempts } = await findCandidates(db, all);
  const names = candidates.map(({ partition }) => partition.name);
  await unwatchOthers(db, names).catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
  });
  for (const candidate of candidates) yield* unlessLocked(candidate.partition.name, drop(db, candidate));
  for (const partition of attempts) yield* unlessLocked(partition.name, dropAlone(db, partition));
}
