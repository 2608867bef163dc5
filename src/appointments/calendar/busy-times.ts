// Live busy times of staff calendars: concurrent reads of one calendar share a call.
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
   * Busy times that overlap the span, from a call that began after this one. Throws VendorError if the calendar cannot
   * be read, or after `waitMs`.
   */
  read(connection: LiveConnection, span: Span, waitMs?: number): Promise<Span[]>;
  /** The busy times of the last call, if it is recent and covers the span; for alternatives only. */
  lastKnown(staffId: string, span: Span): Span[] | undefined;
}

export type BusyTimesDeps = CalendarDeps & { clock: Clock };

/** A call that has not begun, and can serve further reads. */
interface WaitingCall {
  span: Span;
  connection: LiveConnection;
  busy: Promise<Span[]>;
  start: () => void;
}

/** The calls of one connection: at most one runs, and at most one waits. */
interface CallQueue {
  isRunning: boolean;
  waiting: WaitingCall | undefined;
}

const callTimeoutMs = 6_000;
const waitDefaultMs = 10_000;
/** Reads further apart than this do not share a call, because calendars limit the span of one call. */
const maxSpanMs = 31 * 86_400_000;
const cachedForMs = 5 * 60_000;
const cachedStaffMax = 5_000;

type Call = (connection: LiveConnection, span: Span) => Promise<Span[]>;

/** Opens busy times for one process. */
export function openBusyTimes(deps: BusyTimesDeps): BusyTimes {
  const lifetime = { ms: cachedForMs, clock: deps.clock };
  const known = openCache<{ span: Span; busy: Span[] }>({ max: cachedStaffMax, lifetime });
  const call: Call = async (connection, span) => {
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
  };
  const readShared = openSharedCalls(call);
  return {
    async read(connection, span, waitMs = waitDefaultMs) {
      const stop = new AbortController();
      const tooLate = deps.clock.sleep(waitMs, stop.signal).then((): Span[] => {
        // the calendar responded in time
        if (stop.signal.aborted) return [];
        throw new VendorError('not_sent', 'The calendar did not answer in time.', { code: 'timeout' });
      });
      tooLate.catch(() => {});
      try {
        const busy = await Promise.race([readShared(connection, span), tooLate]);
        return busy.filter(({ from, to }) => from < span.to && to > span.from);
      } finally {
        // an explicit reason avoids creating an error
        stop.abort(null);
      }
    },
    lastKnown(staffId, span) {
      const last = known.get(staffId);
      return last && last.span.from <= span.from && last.span.to >= span.to ? last.busy : undefined;
    },
  };
}

/** Shares `call` between reads. A read that arrives while a call runs joins the waiting one. */
function openSharedCalls(call: Call): Call {
  const queues = new Map<string, CallQueue>();

  function newWaitingCall(queue: CallQueue, connection: LiveConnection, span: Span): WaitingCall {
    const begun = Promise.withResolvers<void>();
    const waiting: WaitingCall = {
      span: { ...span },
      connection,
      start: begun.resolve,
      busy: begun.promise
        .then(() => {
          queue.isRunning = true;
          queue.waiting = undefined;
          return call(waiting.connection, waiting.span);
        })
        .finally(() => {
          queue.isRunning = false;
          if (queue.waiting) queue.waiting.start();
          else queues.delete(connection.id);
        }),
    };
    // each caller handles the rejection itself
    waiting.busy.catch(() => {});
    return waiting;
  }

  return (connection, span) => {
    const queue = queues.get(connection.id) ?? { isRunning: false, waiting: undefined };
    queues.set(connection.id, queue);
    const { waiting } = queue;
    if (waiting) {
      const wide = {
        from: Math.min(waiting.span.from, span.from),
        to: Math.max(waiting.span.to, span.to),
      };
      if (wide.to - wide.from > maxSpanMs) return call(connection, span);
      waiting.span = wide;
      waiting.connection = connection;
      return waiting.busy;
    }
    const next = newWaitingCall(queue, connection, span);
    queue.waiting = next;
    if (!queue.isRunning) next.start();
    return next.busy;
  };
}
