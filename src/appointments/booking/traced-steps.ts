// The spans of bookings that requests and the reconciler record, if traces are on.
import { AppError, VendorError } from '../../base/errors.ts';
import type { Calendar } from '../../ports/calendar.ts';
import type { FinishedSpan, SpanRef, Tracing } from '../../ports/tracing.ts';
import type { LiveConnection } from '../calendar/connection.ts';

export interface TracedDeps {
  /** Where spans are recorded, if traces are on. */
  tracing?: Tracing | undefined;
  /** The calendar with its calls in the trace of a booking, if traces are on. */
  traceCalendar?: ((calendar: Calendar, bookingId: string) => Calendar) | undefined;
}

/** What a request's span needs of the request. */
export interface TracedRequest {
  startMs: number;
  /** The caller's own span. */
  caller: SpanRef | undefined;
}

type Step = Pick<FinishedSpan, 'name' | 'kind'> &
  Partial<Pick<FinishedSpan, 'isRoot'>> & {
    bookingId: string;
    /** Default: no request, from now. */
    request?: TracedRequest | undefined;
  };

/** The error of requests without a booking: they add no span to a trace of another account. */
const notFoundCode = 'booking_not_found';

const codeOf = (error: unknown): string =>
  error instanceof AppError ? error.code : error instanceof VendorError ? error.outcome : 'failed';

/** Runs `act`, with a span in the booking's trace if traces are on. The span of an error has its code. */
export async function traceStep<T>(
  { tracing }: TracedDeps,
  { bookingId: subjectId, name, kind, isRoot = false, request }: Step,
  act: () => Promise<T>,
): Promise<T> {
  if (!tracing) return act();
  const startMs = request?.startMs ?? Date.now();
  let error: string | undefined;
  try {
    return await act();
  } catch (caught) {
    error = codeOf(caught);
    throw caught;
  } finally {
    if (error !== notFoundCode)
      tracing.record({
        ...{ subjectId, isRoot, name, kind, startMs, endMs: Date.now(), error },
        links: [request?.caller],
      });
  }
}

/** The connection whose calls are in the booking's trace, if traces are on. */
export function tracedConnection(
  { traceCalendar }: TracedDeps,
  connection: LiveConnection,
  bookingId: string,
): LiveConnection {
  if (!traceCalendar) return connection;
  return { ...connection, calendar: traceCalendar(connection.calendar, bookingId) };
}
