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

const present = <Row, Item>(
  { foldedUntil, items }: Statistics<Row>,
  item: (row: Row) => Item,
): { foldedUntil: string; items: ({ at: string } & Item)[] } => ({
  foldedUntil: foldedUntil.toISOString(),
  items: items.map(({ at, row }) => ({ at: at.toISOString(), ...item(row) })),
});

/** Counts of messages. */
export const presentMessages = (statistics: Statistics<MessageCountRow>, by: MessageGroup) =>
  present(statistics, (row) => ({
    ...keyOf(by, row.key),
    queued: row.queued,
    accepted: row.accepted,
    sent: row.sent,
    delivered: row.delivered,
    read: row.read,
    failed: atLeastZero(row.failed),
    optedOut: row.opted_out,
  }));

/** Counts of attempts, with their percentiles. */
export const presentDeliveries = (
  statistics: Statistics<DeliveryCountRow & { percentiles: PercentileRow | undefined }>,
  isGrouped: boolean,
) =>
  present(statistics, ({ key, delivered, failed, dead, percentiles }) => ({
    ...(isGrouped ? { endpointId: key ?? '' } : {}),
    attempts: delivered + failed,
    delivered,
    failed,
    dead,
    p50Ms: percentiles ? durationOf(percentiles.p50) : null,
    p95Ms: percentiles ? durationOf(percentiles.p95) : null,
  }));

/** Counts of bookings. */
export const presentBookings = (statistics: Statistics<BookingCountRow>, isGrouped: boolean) =>
  present(statistics, ({ key, booked, rescheduled, cancelled }) => ({
    ...(isGrouped ? { appointmentUserId: key ?? '' } : {}),
    booked,
    rescheduled,
    cancelled,
  }));
