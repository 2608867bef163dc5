// The counts of today and of the last 30 days, for the overview.
import { invalidRequest } from '../base/errors.ts';
import { zoneName } from '../base/time-zones.ts';
import { intervalStarts, type Piece, piecesOf, wholeQuarters } from './intervals.ts';
import { bookingCountsOf, deliveryCountsOf, messageCountsOf } from './presenter.ts';
import { noZone, type ReadDeps } from './read.ts';
import {
  findFoldedUntil,
  readBookingCounts,
  readDeliveryCounts,
  readMessageCounts,
  readPercentiles,
} from './read-store.ts';

/** The counts of a period, as the statistics show them. */
export interface Period {
  messages: ReturnType<typeof messageCountsOf>;
  webhooks: ReturnType<typeof deliveryCountsOf>;
  appointments: ReturnType<typeof bookingCountsOf>;
}

const monthDays = 30;
const dayMs = 86_400_000;

/** The pieces of the last 30 days (index 0) and of today (index 1) in a time zone; 400 for an unknown one. */
function piecesUntil(now: number, timezone: string): Piece[] {
  const zone = zoneName(timezone);
  if (zone === undefined) throw invalidRequest([noZone]);
  const range = wholeQuarters({ from: now - monthDays * dayMs, to: now });
  const starts = intervalStarts(zone, 'day', range, 2 * monthDays) ?? [];
  return [monthDays, 1].flatMap((days, index) => {
    const from = starts.at(-days) ?? range.from;
    return piecesOf([from], { ...range, from }).map((piece) => ({ ...piece, index }));
  });
}

/** Reads the counts of today and of the last 30 days with today. */
export async function readPeriods(
  { db, clock }: ReadDeps,
  accountId: string,
  timezone = 'UTC',
): Promise<{ foldedUntil: Date; last30Days: Period; today: Period }> {
  const reading = { accountId, pieces: piecesUntil(clock.now(), timezone), limit: 2 };
  const foldedUntil = await findFoldedUntil(db);
  const messages = await readMessageCounts(db, reading, 'none');
  const deliveries = await readDeliveryCounts(db, reading, false);
  const percentiles = await readPercentiles(db, reading, false);
  const bookings = await readBookingCounts(db, reading, false);
  const of = <Row extends { index: number }>(rows: Row[], index: number) =>
    rows.find((row) => row.index === index);
  const period = (index: number): Period => ({
    messages: messageCountsOf(of(messages, index)),
    webhooks: deliveryCountsOf(of(deliveries, index), of(percentiles, index)),
    appointments: bookingCountsOf(of(bookings, index)),
  });
  return { foldedUntil, last30Days: period(0), today: period(1) };
}
