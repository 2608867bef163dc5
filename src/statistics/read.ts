// Reading of statistics: the intervals of a range, and the counts of each.
import type { Clock } from '../base/clock.ts';
import { invalidRequest, type Problem } from '../base/errors.ts';
import { zoneName } from '../base/time-zones.ts';
import type { Db } from '../db/db.ts';
import { type IntervalLength, intervalStarts, piecesOf, type Range, wholeQuarters } from './intervals.ts';
import { findFoldedUntil, type Reading } from './read-store.ts';

export interface ReadDeps {
  db: Db;
  clock: Clock;
}

/** A range as a request names it. */
export interface RangeQuery {
  from?: string | undefined;
  to?: string | undefined;
  interval?: IntervalLength | undefined;
  timezone?: string | undefined;
}

/** The counts of each interval that has any, by time and key. */
export interface Statistics<Row> {
  foldedUntil: Date;
  rows: Row[];
  /** The start of a row's interval, RFC 3339. */
  startOf(row: Row): string;
}

const intervalsMax = 2_000;
const keysMax = 100;
const defaultRangeMs = 30 * 86_400_000;

/** The problem of an unknown time zone. */
export const noZone: Problem = {
  path: 'timezone',
  message: 'is not an IANA time zone, for example Europe/Berlin',
};

/** The range and its intervals; 400 if it is empty, too long or names an unknown time zone. */
function intervalsOf(deps: ReadDeps, query: RangeQuery): { starts: number[]; range: Range } {
  const { interval = 'day', timezone = 'UTC' } = query;
  const to = query.to === undefined ? deps.clock.now() : Date.parse(query.to);
  const from = query.from === undefined ? to - defaultRangeMs : Date.parse(query.from);
  const zone = zoneName(timezone);
  const problems: Problem[] = [];
  if (zone === undefined) problems.push(noZone);
  if (from >= to) problems.push({ path: 'to', message: 'must be later than from' });
  const range = wholeQuarters({ from, to });
  const starts = problems.length === 0 && zone ? intervalStarts(zone, interval, range, intervalsMax) : [];
  if (starts === undefined)
    problems.push({ path: 'from', message: `must be at most ${intervalsMax} intervals before to` });
  if (problems.length > 0) throw invalidRequest(problems);
  return { starts: starts ?? [], range };
}

/** Reads the counts of the account in a range; 400 as `intervalsOf`, and for more than 100 keys. */
export async function readStatistics<Row extends { index: number; key: string | null }>(
  deps: ReadDeps,
  accountId: string,
  query: RangeQuery,
  read: (reading: Reading) => Promise<Row[]>,
): Promise<Statistics<Row>> {
  const { starts, range } = intervalsOf(deps, query);
  // before the counts: what is folded in between is counted, and not promised
  const foldedUntil = await findFoldedUntil(deps.db);
  const limit = intervalsMax * keysMax + 1;
  const rows = await read({ accountId, pieces: piecesOf(starts, range), limit });
  if (rows.length >= limit || new Set(rows.map(({ key }) => key)).size > keysMax) {
    throw invalidRequest([
      { path: 'by', message: `has more than ${keysMax} values in this range; shorten the range` },
    ]);
  }
  // once an interval: 20 templates a month by hour are 14,880 rows
  const texts: string[] = [];
  const startOf = ({ index }: Row) => {
    texts[index] ??= new Date(starts[index] ?? 0).toISOString();
    return texts[index];
  };
  return { foldedUntil, rows, startOf };
}
