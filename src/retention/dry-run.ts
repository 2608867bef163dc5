// What a run would remove, counted without changing anything.
import { nilUuid } from '../base/ids.ts';
import { noDays, type RetentionDays, retentionKinds } from '../base/retention-days.ts';
import type { Db } from '../db/db.ts';
import { findUnused } from '../messaging/media/remove-unused.ts';
import { countAudit, countBookings, countDeliveries, countMessages, countReceived } from './count-store.ts';
import { type Announcements, beginsAt, type Cutoffs, cutoffsOf } from './cutoffs.ts';
import { findCandidates } from './drop-partitions.ts';
import { findNotices, listAccountDays } from './settings-store.ts';

export interface DryRun {
  kinds: {
    kind: string;
    /** Of the gateway; null: for ever. */
    days: number | null;
    /** Rows that ended before; null: nothing is removed of this kind. */
    rows: number | null;
    /** The first removal begins then; null: now. */
    beginsAt: string | null;
  }[];
  media: number;
  /** Accounts that keep less than the gateway. */
  accountsWithOwnDays: number;
  /** Partitions that are dropped whole, if at most 5,000 of their rows stay. Their rows are in the counts above. */
  partitions: string[];
}

/** All accounts' times as if everything had been announced long ago. */
function afterNotice(gateway: RetentionDays): Announcements {
  const at = new Date(0);
  return Object.fromEntries(
    retentionKinds.map((kind) => [kind, { days: gateway[kind], announcedAt: at, firstAnnouncedAt: at }]),
  );
}

const filesPerStep = 1_000;

async function countMedia(db: Db, accountId: string, before: Date): Promise<number> {
  let n = 0;
  for (let after = nilUuid; ; ) {
    const files = await findUnused(db, { accountId, before, after, limit: filesPerStep });
    n += files.filter(({ isUnnamed }) => isUnnamed).length;
    const last = files.at(-1);
    if (!last) return n;
    after = last.id;
  }
}

async function countOf(db: Db, accountId: string, cutoffs: Cutoffs): Promise<Record<string, number>> {
  const { messages, received, deliveries, bookings, audit } = cutoffs;
  const of = (before: Date) => ({ accountId, before });
  return {
    messages: messages ? await countMessages(db, of(messages), deliveries ?? messages) : 0,
    media: messages ? await countMedia(db, accountId, messages) : 0,
    received: received ? await countReceived(db, of(received)) : 0,
    deliveries: deliveries ? await countDeliveries(db, of(deliveries)) : 0,
    bookings: bookings ? await countBookings(db, of(bookings)) : 0,
    audit: audit ? await countAudit(db, of(audit)) : 0,
  };
}

/** Counts what a run at that time would remove, whether its notice is over or not. */
export async function dryRun(db: Db, gateway: RetentionDays, now: Date): Promise<DryRun> {
  const announced = await findNotices(db);
  const accounts = (await listAccountDays(db)).map(({ accountId, own }) => ({
    ...{ accountId, own },
    cutoffs: cutoffsOf({ gateway, own, announced: afterNotice(gateway) }, now),
  }));
  const sums: Record<string, number> = {};
  for (const { accountId, cutoffs } of accounts)
    for (const [kind, n] of Object.entries(await countOf(db, accountId, cutoffs)))
      sums[kind] = (sums[kind] ?? 0) + n;
  const { candidates, attempts } = await findCandidates(
    db,
    accounts.map((account) => account.cutoffs),
  );
  return {
    kinds: retentionKinds.map((kind) => ({
      ...{ kind, days: gateway[kind] },
      rows: accounts.some(({ cutoffs }) => cutoffs[kind] !== null) ? (sums[kind] ?? 0) : null,
      beginsAt:
        gateway[kind] === null
          ? null
          : (beginsAt(kind, { gateway, own: noDays, announced }, now)?.toISOString() ?? null),
    })),
    media: sums.media ?? 0,
    accountsWithOwnDays: accounts.filter(({ own }) => retentionKinds.some((kind) => own[kind] !== null))
      .length,
    partitions: [...candidates.flatMap((one) => [one.partition, ...one.with]), ...attempts].map(
      ({ name }) => name,
    ),
  };
}
