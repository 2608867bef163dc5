// Intervals of a time zone: the hours or days of a range, and the rows of counts that each is made of. Pure.
import { zoneSpans } from '../base/time-zones.ts';

const quarterMs = 15 * 60_000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** Half-open `[from, to)`, epoch milliseconds. */
export interface Range {
  from: number;
  to: number;
}

export type IntervalLength = 'hour' | 'day';

/** Longer than any day or hour of any zone. */
const longestMs: Record<IntervalLength, number> = { hour: 2 * hourMs, day: 49 * hourMs };

/**
 * The starts of the intervals that a range touches, in order: instants at which clocks of the zone show a full hour, or
 * begin a date. The first may lie before the range. Undefined if there are more than `max`.
 */
export function intervalStarts(
  zone: string,
  length: IntervalLength,
  { from, to }: Range,
  max: number,
): number[] | undefined {
  const unit = length === 'hour' ? hourMs : dayMs;
  // a clock change makes an interval longer or shorter by at most a few hours in all
  if ((to - from) / unit > max + 10) return undefined;
  const starts: number[] = [];
  let lastDay = Number.NEGATIVE_INFINITY;
  for (const span of zoneSpans(zone, from - longestMs[length], to)) {
    for (
      let local = Math.floor((span.from + span.offset) / unit) * unit;
      local - span.offset < span.to;
      local += unit
    ) {
      const start = Math.max(local - span.offset, span.from);
      if (length === 'hour') {
        if (local - span.offset >= span.from) starts.push(start);
      } else if (local > lastDay) {
        // clocks that skip midnight begin the date later; a repeated date goes on
        starts.push(start);
        lastDay = local;
      }
    }
  }
  const first = starts.findLastIndex((start) => start <= from);
  const kept = starts.slice(Math.max(0, first));
  return kept.length > max ? undefined : kept;
}

/** Rows of counts of one width, in minutes, that belong to an interval. */
export interface Piece extends Range {
  /** The position of the interval. */
  index: number;
  minutes: 15 | 60;
}

/** The range, widened to whole quarter hours: the counts have no finer times. */
export const wholeQuarters = ({ from, to }: Range): Range => ({
  from: Math.floor(from / quarterMs) * quarterMs,
  to: Math.ceil(to / quarterMs) * quarterMs,
});

/** The rows of counts that make up each interval within a range of whole quarter hours: full hours of UTC, and quarters at the edges. */
export function piecesOf(starts: readonly number[], range: Range): Piece[] {
  return starts.flatMap((start, index) => {
    const from = Math.max(range.from, start);
    const to = Math.min(range.to, starts[index + 1] ?? range.to);
    const firstHour = Math.min(to, Math.ceil(from / hourMs) * hourMs);
    const lastHour = Math.max(firstHour, Math.floor(to / hourMs) * hourMs);
    const pieces: Piece[] = [
      { index, minutes: 15, from, to: firstHour },
      { index, minutes: 60, from: firstHour, to: lastHour },
      { index, minutes: 15, from: lastHour, to },
    ];
    return pieces.filter((piece) => piece.from < piece.to);
  });
}
