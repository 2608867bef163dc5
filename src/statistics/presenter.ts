// Statistics as the API shows them. Pure.
import { durationOf } from './measures.ts';
import type { Statistics } from './read.ts';
import type {
  BookingCountRow,
  DeliveryCountRow,
  MessageCountRow,
  MessageGroup,
  PercentileRow,
} from './read-store.ts';

/** Below 0 only if a failure from before an upgrade that began counting was replaced after it. */
const atLeastZero = (count: number) => Math.max(0, count);

const categories = ['AUTHENTICATION', 'UTILITY', 'MARKETING'];

/** What the row is grouped by, under its name. */
function keyOf(by: MessageGroup, key: string | null) {
  if (by === 'sender') return { senderId: key ?? '' };
  if (by === 'template') return { templateId: key };
  if (by === 'category') return { category: key === null ? null : (categories[Number(key)] ?? null) };
  return {};
}

/** One object for each row, without copies: a response has up to 200,000. */
const present = <Row, Item>(
  { foldedUntil, rows, startOf }: Statistics<Row>,
  item: (at: string, row: Row) => Item,
): { foldedUntil: string; items: Item[] } => ({
  foldedUntil: foldedUntil.toISOString(),
  items: rows.map((row) => item(startOf(row), row)),
});

/** The counts of messages of a row; zeros without one. */
export const messageCountsOf = (row: MessageCountRow | undefined) => ({
  queued: row?.queued ?? 0,
  accepted: row?.accepted ?? 0,
  sent: row?.sent ?? 0,
  delivered: row?.delivered ?? 0,
  read: row?.read ?? 0,
  failed: atLeastZero(row?.failed ?? 0),
  optedOut: row?.opted_out ?? 0,
});

/** The counts of attempts and deliveries of a row, with the percentiles of durations; zeros without one. */
export const deliveryCountsOf = (
  row: DeliveryCountRow | undefined,
  percentiles: PercentileRow | undefined,
) => ({
  attempts: (row?.delivered ?? 0) + (row?.failed ?? 0),
  delivered: row?.delivered ?? 0,
  failed: row?.failed ?? 0,
  dead: row?.dead ?? 0,
  p50Ms: percentiles ? durationOf(percentiles.p50) : null,
  p95Ms: percentiles ? durationOf(percentiles.p95) : null,
});

/** The counts of bookings of a row; zeros without one. */
export const bookingCountsOf = (row: BookingCountRow | undefined) => ({
  booked: row?.booked ?? 0,
  rescheduled: row?.rescheduled ?? 0,
  cancelled: row?.cancelled ?? 0,
});

/** Statistics of messages. */
export const presentMessages = (statistics: Statistics<MessageCountRow>, by: MessageGroup) =>
  present(statistics, (at, row) => ({ at, ...keyOf(by, row.key), ...messageCountsOf(row) }));

/** Statistics of webhooks. */
export const presentDeliveries = (
  statistics: Statistics<DeliveryCountRow & { percentiles: PercentileRow | undefined }>,
  isGrouped: boolean,
) =>
  present(statistics, (at, row) => ({
    at,
    ...(isGrouped ? { endpointId: row.key ?? '' } : {}),
    ...deliveryCountsOf(row, row.percentiles),
  }));

/** Statistics of bookings. */
export const presentBookings = (statistics: Statistics<BookingCountRow>, isGrouped: boolean) =>
  present(statistics, (at, row) => ({
    at,
    ...(isGrouped ? { appointmentUserId: row.key ?? '' } : {}),
    ...bookingCountsOf(row),
  }));
