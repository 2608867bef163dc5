// When a staff member's calendars are busy, asked in real time: questions that wait at the same time share one call.
import { openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import { type CalendarDeps, type LiveConnection, useCalendar } from './connection.ts';

/** Half-open `[from, to)`, epoch milliseconds. */
export interface Span {
  from: number;
  to: number;
}

export interface BusyTimes {
  /**
   * Busy times that overlap the span. The answer never rests on a call begun before the question came. Throws
   * VendorError where the calendar could not be asked, or `waitMs` passed.
   */
  ask(connection: LiveConnection, span: Span, waitMs?: number): Promise<Span[]>;
  /** What the calendar answered last, if that was of late and covers the span: good for hints, never for a promise. */
  lastKnown(staffId: string, span: Span): Span[] | undefined;
}

export type BusyTimesDeps = CalendarDeps & { clock: Clock };

/** A call that is still gathering questions. */
interface Round {
  span: Span;
  connection: LiveConnection;
  answer: Promise<Span[]>;
  start: () => void;
}

interface Lane {
  running: boolean;
  next: Round | undefined;
}

const callTimeoutMs = 6_000;
const waitDefaultMs = 10_000;
/** Questions further apart than this do not share a call: calendars limit how long a time they answer for. */
const maxSpanMs = 31 * 86_400_000;
const cachedForMs = 5 * 60_000;
const cachedStaffMax = 5_000;

/** Opens the asking of busy times for one process. */
export function openBusyTimes(deps: BusyTimesDeps): BusyTimes {
  const lanes = new Map<string, Lane>();
  const lifetime = { ms: cachedForMs, clock: deps.clock };
  const known = openCache<{ span: Span; busy: Span[] }>({ max: cachedStaffMax, lifetime });

  async function call(connection: LiveConnection, span: Span): Promise<Span[]> {
    const intervals = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.busyTimes(
        credential,
        { calendarIds: connection.busyCalendarIds, ...span, timeZone: connection.timeZone },
        { timeoutMs: callTimeoutMs },
      ),
    );
    const busy = intervals.map(({ start, end }) => ({ from: start, to: end }));
    known.set(connection.staffId, { span: { ...span }, busy });
    return busy;
  }

  function newRound(lane: Lane, connection: LiveConnection, span: Span): Round {
    const begun = Promise.withResolvers<void>();
    const round: Round = {
      span: { ...span },
      connection,
      start: begun.resolve,
      answer: begun.promise
        .then(() => {
          lane.running = true;
          lane.next = undefined;
          return call(round.connection, round.span);
        })
        .finally(() => {
          lane.running = false;
          if (lane.next) lane.next.start();
          else lanes.delete(connection.id);
        }),
    };
    // whoever asked has its own hold on the answer; nobody is told twice
    round.answer.catch(() => {});
    return round;
  }

  function roundFor(connection: LiveConnection, span: Span): Promise<Span[]> {
    const lane = lanes.get(connection.id) ?? { running: false, next: undefined };
    lanes.set(connection.id, lane);
    if (lane.next) {
      const wide = {
        from: Math.min(lane.next.span.from, span.from),
        to: Math.max(lane.next.span.to, span.to),
      };
      if (wide.to - wide.from > maxSpanMs) return call(connection, span);
      lane.next.span = wide;
      lane.next.connection = connection;
      return lane.next.answer;
    }
    const round = newRound(lane, connection, span);
    lane.next = round;
    if (!lane.running) round.start();
    return round.answer;
  }

  return {
    async ask(connection, span, waitMs = waitDefaultMs) {
      const stop = new AbortController();
      const tooLate = deps.clock.sleep(waitMs, stop.signal).then((): Span[] => {
        // nobody waits for it any more
        if (stop.signal.aborted) return [];
        throw new VendorError('not_sent', 'The calendar did not answer in time.', { code: 'timeout' });
      });
      tooLate.catch(() => {});
      try {
        const busy = await Promise.race([roundFor(connection, span), tooLate]);
        return busy.filter(({ from, to }) => from < span.to && to > span.from);
      } finally {
        // a reason of our own spares making one
        stop.abort(null);
      }
    },

    lastKnown(staffId, span) {
      const last = known.get(staffId);
      if (!last) return undefined;
      return last.span.from <= span.from && last.span.to >= span.to ? last.busy : undefined;
    },
  };
}
