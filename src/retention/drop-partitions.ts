// Drops partitions whose rows have all ended for longer than any account keeps them.
import { lowestUuidAt } from '../base/uuid-time.ts';
import type { Db } from '../db/db.ts';
import { isLockTimeout } from '../db/failure.ts';
import { type Cutoffs, earliest } from './cutoffs.ts';
import {
  countDeliveriesBetween,
  countKept,
  countPages,
  dropPartitions,
  keepDeliveries,
  keepMessages,
  keepMessagesOfDeliveries,
  keepReceived,
  listPartitions,
  type Partition,
  type PartitionedTable,
  type Search,
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

/** The partitions of which every row began before every account's time. */
export async function findCandidates(db: Db, all: readonly Cutoffs[]): Promise<Candidate[]> {
  const partitions = await listPartitions(db, [...order, 'attempts']);
  return order.flatMap((table) => {
    const before = earliest(all, kindOf[table]);
    if (before === null) return [];
    const limit = lowestUuidAt(before);
    return partitions
      .filter((one) => one.table === table && one.to <= limit)
      .map((partition) => ({
        ...{ table, partition, before },
        with:
          table === 'deliveries'
            ? partitions.filter(
                (one) => one.table === 'attempts' && one.from === partition.from && one.to === partition.to,
              )
            : [],
      }));
  });
}

/** Searches and drops one partition, in steps. A crash between two of them leaves nothing to clean up: the next search begins again. */
async function* drop(db: Db, { table, partition, with: others, before }: Candidate): AsyncGenerator<Step> {
  const { name } = partition;
  if (table === 'messages' && (await countDeliveriesBetween(db, partition, keptMax + 1)) > keptMax) return;
  await watchPartition(db, partition);
  // rows that are written from here on are kept by the watch
  if (table === 'messages') await keepMessagesOfDeliveries(db, partition);
  for (let page = 0; page < (await countPages(db, name)); page += pagesPerStep) {
    await keep[table](db, { partition, before, fromPage: page, toPage: page + pagesPerStep });
    if ((await countKept(db, name, keptMax + 1)) > keptMax) return unwatchPartition(db, name);
    yield { kind: 'searched', rows: 0 };
  }
  if ((await countKept(db, name, keptMax + 1)) > keptMax) return unwatchPartition(db, name);
  const moved = await dropPartitions(db, [partition, ...others], name);
  yield moved === null ? { kind: 'busy', name } : { kind: 'partition', name, moved };
}

/** Drops what can be dropped, in steps. A partition whose locks are not free is left for the next run. */
export async function* dropOldPartitions(db: Db, all: readonly Cutoffs[]): AsyncGenerator<Step> {
  for (const candidate of await findCandidates(db, all)) {
    try {
      yield* drop(db, candidate);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      yield { kind: 'busy', name: candidate.partition.name };
    }
  }
}
