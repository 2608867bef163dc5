// Time zones: their names, and their offsets over a period. Pure.
import { openCache } from './cache.ts';

const dayMs = 86_400_000;

/** A period in which a zone's clock is `offset` milliseconds ahead of UTC. */
export interface ZoneSpan {
  /** Half-open `[from, to)`, epoch milliseconds. */
  from: number;
  to: number;
  offset: number;
}

/** The IANA spelling of a zone's name; undefined if there is no such zone. Offsets such as `+05:30` are not zones. */
export function zoneName(text: string): string | undefined {
  if (!/^[a-z]/i.test(text)) return undefined;
  try {
    return new Temporal.ZonedDateTime(0n, text).timeZoneId;
  } catch {
    return undefined;
  }
}

/** True for what Temporal takes as a zone: a name, or an offset such as `+05:30`. */
export function isZone(text: string): boolean {
  // Temporal also accepts a date-time in place of a zone
  if (/^\d|T\d/.test(text)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
    return true;
  } catch {
    return false;
  }
}

/** A zone's offsets are looked up for periods of this length and cached: they never change while the process runs. */
const periodMs = 400 * dayMs;
const periods = openCache<readonly ZoneSpan[]>({ max: 4_000 });

/** The offsets of a zone from one instant to another, in order and without a gap; throws RangeError for an unknown zone. */
export function zoneSpans(zone: string, from: number, to: number): ZoneSpan[] {
  const spans: ZoneSpan[] = [];
  for (let period = Math.floor(from / periodMs); period * periodMs < to; period += 1) {
    for (const span of periodSpans(zone, period)) {
      const start = Math.max(from, span.from);
      const end = Math.min(to, span.to);
      if (start >= end) continue;
      const last = spans.at(-1);
      // some transitions change only the zone's abbreviation
      if (last?.offset === span.offset) last.to = end;
      else spans.push({ from: start, to: end, offset: span.offset });
    }
  }
  return spans;
}

function periodSpans(zone: string, period: number): readonly ZoneSpan[] {
  const key = `${period} ${zone}`;
  const cached = periods.get(key);
  if (cached) return cached;
  const spans = lookUpSpans(zone, period * periodMs, (period + 1) * periodMs);
  periods.set(key, spans);
  return spans;
}

function lookUpSpans(zone: string, from: number, to: number): ZoneSpan[] {
  const spans: ZoneSpan[] = [];
  let at = new Temporal.ZonedDateTime(BigInt(from) * 1_000_000n, zone);
  let spanFrom = from;
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    const until = next === null ? to : Math.min(to, next.epochMilliseconds);
    spans.push({ from: spanFrom, to: until, offset: at.offsetNanoseconds / 1_000_000 });
    if (next === null || until >= to) return spans;
    at = next;
    spanFrom = until;
  }
}
