// A calendar with a span for each call that is made for a booking.
import { VendorError } from '../../base/errors.ts';
import type { Calendar } from '../../ports/calendar.ts';
import type { Tracing } from '../../ports/tracing.ts';

/** The same calendar; its calls are in the trace of the booking. */
export function traceCalendar(calendar: Calendar, bookingId: string, tracing: Tracing): Calendar {
  function traced<Input extends unknown[], Result>(
    name: string,
    call: (...input: Input) => Promise<Result>,
  ): (...input: Input) => Promise<Result> {
    return async (...input) => {
      const startMs = Date.now();
      let error: string | undefined;
      try {
        return await call(...input);
      } catch (caught) {
        error = caught instanceof VendorError ? caught.outcome : 'failed';
        throw caught;
      } finally {
        const attributes = { 'gateway.calendar': calendar.provider };
        tracing.record({
          ...{ subjectId: bookingId, name: `call: ${name}`, kind: 'client', attributes },
          ...{ startMs, endMs: Date.now(), error },
        });
      }
    };
  }
  const { eventIds } = calendar;
  return {
    ...calendar,
    eventIds:
      eventIds.kind === 'chosen' ? eventIds : { ...eventIds, find: traced('find event', eventIds.find) },
    busyTimes: traced('read busy times', calendar.busyTimes),
    getEvent: traced('read event', calendar.getEvent),
    insertEvent: traced('insert event', calendar.insertEvent),
    updateEvent: traced('change event', calendar.updateEvent),
    replaceMeeting: traced('replace meeting', calendar.replaceMeeting),
    deleteEvent: traced('delete event', calendar.deleteEvent),
    removeForGood: traced('remove event', calendar.removeForGood),
  };
}
