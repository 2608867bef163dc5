// Counts by interval and group, read from rows of full hours and, at the edges, of quarter hours.
import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../db/array-text.ts';
import type { Db } from '../db/db.ts';
import type { Piece } from './intervals.ts';

/** The instant up to which everything is counted. */
export async function findFoldedUntil(db: Db): Promise<Date> {
  const { rows } = await sql<{ folded_until: Date }>`select folded_until from statistics_folds`.execute(db);
  return rows[0]?.folded_until ?? new Date(0);
}

/** What a reading returns of each interval and group. */
interface Group {
  /** The position of the interval. */
  index: number;
  /** What is grouped by, as text; null for replies, and without grouping. */
  key: string | null;
}

export interface Reading {
  accountId: string;
  pieces: readonly Piece[];
  /** The most rows that are returned. */
  limit: number;
}

/** Epoch seconds: years before 1 and after 9999 have no text that PostgreSQL reads. */
const seconds = (pieces: readonly Piece[], edge: 'from' | 'to') =>
  arrayText(pieces.map((piece) => piece[edge] / 1000));

/** The sums of columns of `c`, named like these. */
const sums = (columns: readonly string[]) =>
  sql.join(columns.map((column) => sql`sum(${sql.ref(`c.${column}`)})::int as ${sql.ref(column)}`));

/** Sums of the rows of `table` by piece and `groups`: a short index scan a piece. `groups` is a list of columns of `c`. */
const pieceSums = (
  table: string,
  { accountId, pieces }: Reading,
  groups: RawBuilder<unknown>,
  columns: readonly string[],
) => sql`
  select p.index, c.* from unnest(${arrayText(pieces.map(({ index }) => index))}::int[],
    ${arrayText(pieces.map(({ minutes }) => minutes))}::smallint[], ${seconds(pieces, 'from')}::float8[],
    ${seconds(pieces, 'to')}::float8[]) p(index, minutes, lower, upper)
  cross join lateral (
    select ${groups}, ${sums(columns)} from ${sql.table(table)} c
    where c.account_id = ${accountId} and c.minutes = p.minutes and c.at >= to_timestamp(p.lower) and c.at < to_timestamp(p.upper)
    group by 1 ${sql.raw(table === 'attempt_durations' ? ', 2' : '')}) c`;

/** The sums by interval and key. Where each interval is one piece, these are the sums of the pieces. */
const intervalSums = (
  table: string,
  reading: Reading,
  key: RawBuilder<unknown>,
  columns: readonly string[],
) => {
  const pieces = pieceSums(table, reading, sql`${key} as key`, columns);
  if (hasOnePieceEach(reading)) {
    const names = sql.join(columns.map((column) => sql.ref(`c.${column}`)));
    return sql`select c.index, c.key::text, ${names} from (${pieces}) c limit ${reading.limit}`;
  }
  return sql`
    select c.index, c.key::text, ${sums(columns)} from (${pieces}) c group by c.index, c.key limit ${reading.limit}`;
};

const hasOnePieceEach = ({ pieces }: Reading): boolean =>
  new Set(pieces.map(({ index }) => index)).size === pieces.length;

/** With more pieces, a reading is done in parts side by side. */
const piecesInOne = 250;
const partsMax = 3;

/** Reads long ranges in parts side by side, each with its own intervals: a backend of the server sums one row after the other. */
async function inParts<Row>(
  reading: Reading,
  piecesMax: number,
  read: (part: Reading) => Promise<Row[]>,
): Promise<Row[]> {
  const { pieces } = reading;
  const parts = Math.min(partsMax, Math.ceil(pieces.length / piecesMax));
  if (parts < 2) return read(reading);
  const last = pieces.at(-1)?.index ?? 0;
  const partOf = (index: number) => Math.floor((index * parts) / (last + 1));
  const rows = await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      read({ ...reading, pieces: pieces.filter(({ index }) => partOf(index) === part) }),
    ),
  );
  return rows.flat();
}

/** Sorts rows by interval and key, null last. Rows are nearly in this order, so that this costs less than in the database. */
function inOrder<Row extends Group>(rows: Row[]): Row[] {
  return rows.sort((a, b) => {
    if (a.index !== b.index) return a.index - b.index;
    if (a.key === b.key) return 0;
    if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
    return a.key < b.key ? -1 : 1;
  });
}

export type MessageGroup = 'none' | 'sender' | 'template' | 'category';

export interface MessageCountRow extends Group {
  queued: number;
  accepted: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  opted_out: number;
}

const messageKeys: Record<MessageGroup, RawBuilder<unknown>> = {
  none: sql`null::text`,
  sender: sql`c.sender_id`,
  template: sql`c.template_id`,
  category: sql`c.category`,
};

/** Counts of messages by interval and sender, template or category (as a priority); a reading of more than `piecesMax` pieces in parts. */
export async function readMessageCounts(
  db: Db,
  reading: Reading,
  by: MessageGroup,
  piecesMax = piecesInOne,
): Promise<MessageCountRow[]> {
  const columns = ['queued', 'accepted', 'sent', 'delivered', 'read', 'failed', 'opted_out'];
  const rows = await inParts(reading, piecesMax, async (part) => {
    const counts = intervalSums('message_counts', part, messageKeys[by], columns);
    return (await sql<MessageCountRow>`${counts}`.execute(db)).rows;
  });
  return inOrder(rows);
}

export interface DeliveryCountRow extends Group {
  delivered: number;
  failed: number;
  dead: number;
}

const endpointKey = (isGrouped: boolean) => (isGrouped ? sql`c.endpoint_id` : sql`null::text`);

/** Counts of attempts and dead deliveries by interval and, if `isGrouped`, endpoint. */
export async function readDeliveryCounts(
  db: Db,
  reading: Reading,
  isGrouped: boolean,
): Promise<DeliveryCountRow[]> {
  const columns = ['delivered', 'failed', 'dead'];
  const { rows } =
    await sql<DeliveryCountRow>`${intervalSums('delivery_counts', reading, endpointKey(isGrouped), columns)}`.execute(
      db,
    );
  return inOrder(rows);
}

export interface PercentileRow extends Group {
  /** Classes of durations. */
  p50: number;
  p95: number;
}

/** The classes that hold the percentiles of the durations of attempts, by interval and, if `isGrouped`, endpoint. */
export async function readPercentiles(
  db: Db,
  reading: Reading,
  isGrouped: boolean,
): Promise<PercentileRow[]> {
  const groups = sql`${endpointKey(isGrouped)} as key, c.class`;
  const { rows } = await sql<PercentileRow>`
    select x.index, x.key::text, min(x.class) filter (where x.below >= x.total * 0.5) as p50,
      min(x.class) filter (where x.below >= x.total * 0.95) as p95
    from (
      select c.index, c.key, c.class, sum(sum(c.attempts)) over (partition by c.index, c.key order by c.class) as below,
        sum(sum(c.attempts)) over (partition by c.index, c.key) as total
      from (${pieceSums('attempt_durations', reading, groups, ['attempts'])}) c group by c.index, c.key, c.class) x
    group by x.index, x.key order by x.index, x.key limit ${reading.limit}`.execute(db);
  return rows;
}

export interface BookingCountRow extends Group {
  booked: number;
  rescheduled: number;
  cancelled: number;
}

/** Counts of bookings by interval and, if `isGrouped`, staff member. */
export async function readBookingCounts(
  db: Db,
  reading: Reading,
  isGrouped: boolean,
): Promise<BookingCountRow[]> {
  const key = isGrouped ? sql`c.staff_id` : sql`null::text`;
  const columns = ['booked', 'rescheduled', 'cancelled'];
  const { rows } =
    await sql<BookingCountRow>`${intervalSums('booking_counts', reading, key, columns)}`.execute(db);
  return inOrder(rows);
}
