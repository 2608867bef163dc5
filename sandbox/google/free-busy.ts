// POST /calendar/v3/freeBusy: busy times of calendars.
import { visibleCalendar } from './access.ts';
import { rfc3339, type Span } from './event-time.ts';
import { withOffset } from './event-view.ts';
import type { ApiCall, ApiResponse } from './events.ts';
import { apiError } from './google-error.ts';
import { occurrences } from './recurrence.ts';
import type { StoredEvent } from './resources.ts';
import type { State, StoredCalendar } from './state.ts';

/** Not documented; seen by others (calcom/cal.diy 11962: 90 days). */
const longestMs = 90 * 86_400_000;

interface CalendarBusy {
  busy: { start: string; end: string }[];
  errors?: { domain: string; reason: string }[];
}

/** Responds 200 even if single calendars cannot be read; `faulty` is an injected error for one or all. */
export function freeBusy(call: ApiCall, faulty: { calendarId?: string; reason: string } | null): ApiResponse {
  const { state, body } = call;
  const from = rfc3339(body.timeMin);
  const to = rfc3339(body.timeMax);
  if (from >= to) throw apiError('timeRangeEmpty');
  if (to - from > longestMs) throw apiError('timeRangeTooLong');
  const zone = typeof body.timeZone === 'string' ? body.timeZone : 'UTC';
  const items = Array.isArray(body.items) ? (body.items as { id: string }[]) : [];
  const limit = typeof body.calendarExpansionMax === 'number' ? Math.min(50, body.calendarExpansionMax) : 50;
  const calendars: Record<string, CalendarBusy> = {};
  items.forEach(({ id }, index) => {
    const calendar = visibleCalendar(state, call.caller, id);
    const hit = faulty !== null && (faulty.calendarId ?? id) === id;
    if (hit) calendars[id] = failed(faulty.reason);
    else if (index >= limit) calendars[id] = failed('tooManyCalendarsRequested');
    else if (calendar === undefined) calendars[id] = failed('notFound');
    else calendars[id] = { busy: busyOf(state, calendar, from, to).map((span) => spanView(span, zone)) };
  });
  return {
    status: 200,
    body: {
      kind: 'calendar#freeBusy',
      timeMin: withOffset(from, 'UTC'),
      timeMax: withOffset(to, 'UTC'),
      calendars,
    },
  };
}

function failed(reason: string): CalendarBusy {
  return { errors: [{ domain: 'global', reason }], busy: [] };
}

function spanView(span: Span, zone: string): { start: string; end: string } {
  return { start: withOffset(span.start, zone), end: withOffset(span.end, zone) };
}

/** Busy times of one calendar, merged, in order, cut to `[from, to)`. */
function busyOf(state: State, calendar: StoredCalendar, from: number, to: number): Span[] {
  const spans = state
    .eventsOf(calendar.id)
    .values()
    .flatMap((event) =>
      occurrences(event, calendar.timeZone, from, to).filter(() => blocks(event, calendar.owner)),
    )
    .filter((span) => span.end > span.start)
    .map((span) => ({ start: Math.max(span.start, from), end: Math.min(span.end, to) }))
    .sort((a, b) => a.start - b.start);
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else merged.push(span);
  }
  return merged;
}

function blocks(event: StoredEvent, owner: string): boolean {
  if (event.status === 'cancelled' || event.transparency === 'transparent') return false;
  if (event.eventType === 'workingLocation' || event.eventType === 'birthday') return false;
  return !event.attendees?.some((guest) => guest.email === owner && guest.responseStatus === 'declined');
}
