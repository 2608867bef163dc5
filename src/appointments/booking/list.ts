// Lists of bookings for callers.
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { type CursorPage, cursorPageOf, cursorPosition, isInstant, isOrder } from '../../http/paging.ts';
import type { BookingRow } from './booking.ts';
import { type BookingFilter, listBookings, listBookingsByStart, staffNames } from './booking-lists-store.ts';
import { bookingItem } from './presenter.ts';

/** Presents a booking with the name of its staff member. */
export async function showBooking(db: Db, row: BookingRow) {
  const names = await staffNames(db, [row.staff_id]);
  return { ...bookingItem(row), staffName: names.get(row.staff_id) ?? '' };
}

/** Presents bookings with the names of their staff, in the order of `rows`. */
export async function showBookings(db: Db, rows: readonly BookingRow[]) {
  const names = await staffNames(
    db,
    rows.map((row) => row.staff_id),
  );
  return rows.map((row) => ({ ...bookingItem(row), staffName: names.get(row.staff_id) ?? '' }));
}

export interface BookingsPage {
  limit: number;
  cursor?: string | undefined;
  /** Default: newest booking first. */
  sort?: 'startsAt' | '-startsAt' | undefined;
}

const orderedBy = ['`sort`'];

/** A page of the account's bookings. Throws 400 for a malformed cursor, and for one of another order. */
export async function pageOfBookings(
  db: Db,
  accountId: string,
  filter: BookingFilter,
  { limit, cursor, sort }: BookingsPage,
): Promise<CursorPage<Awaited<ReturnType<typeof showBookings>>[number]>> {
  if (sort === undefined) {
    const [before] = cursorPosition('bookings', cursor, 1, orderedBy) ?? [];
    const rows = await listBookings(db, accountId, filter, { limit: limit + 1, before });
    return shown(
      db,
      cursorPageOf('bookings', rows, limit, ({ id }) => [id]),
    );
  }
  const [startsAt, id] =
    cursorPosition('bookings', cursor, [isInstant, isUuid, isOrder(sort)], orderedBy) ?? [];
  const after = startsAt === undefined || id === undefined ? undefined : { startsAt: new Date(startsAt), id };
  const isDescending = sort === '-startsAt';
  const rows = await listBookingsByStart(db, accountId, filter, { limit: limit + 1, after, isDescending });
  return shown(
    db,
    cursorPageOf('bookings', rows, limit, (row) => [row.starts_at.toISOString(), row.id, sort]),
  );
}

async function shown(db: Db, { items, pagination }: CursorPage<BookingRow>) {
  return { items: await showBookings(db, items), pagination };
}
