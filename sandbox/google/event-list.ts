// The list operations: events of a calendar (of a time range, or changed since a sync token), and calendars.
import { calendarFor } from './access.ts';
import { rfc3339 } from './event-time.ts';
import { deletedView, eventView, timeView } from './event-view.ts';
import type { ApiCall, ApiResponse } from './events.ts';
import { apiError } from './google-error.ts';
import { occurrences } from './recurrence.ts';
import type { StoredEvent } from './resources.ts';
import type { State, StoredCalendar } from './state.ts';

/** Parameters that the API rejects together with a sync token. */
const notWithSyncToken = [
  'iCalUID',
  'orderBy',
  'privateExtendedProperty',
  'q',
  'sharedExtendedProperty',
  'timeMin',
  'timeMax',
  'updatedMin',
];

interface Item {
  view: Record<string, unknown>;
  start: number;
}

/** GET …/events, with `syncToken`, `timeMin`, `timeMax`, `singleEvents`, `privateExtendedProperty` and paging. */
export function listEvents(call: ApiCall): ApiResponse {
  const { state, query } = call;
  const calendar = calendarFor(state, call.caller, call.calendarId);
  const syncToken = query.get('syncToken');
  if (syncToken !== null && notWithSyncToken.some((name) => query.has(name))) {
    throw apiError('invalid', { message: 'Sync token cannot be combined with these parameters.' });
  }
  const since = syncToken === null ? null : sequenceOf(calendar, syncToken);
  const items = state
    .eventsOf(calendar.id)
    .values()
    .filter((event) => isWanted(event, query, since))
    .flatMap((event) => itemsOf(state, calendar, event, query));
  if (query.get('orderBy') === 'startTime') {
    if (query.get('singleEvents') !== 'true') {
      throw apiError('invalid', {
        message: 'The requested ordering is not available for the particular query.',
      });
    }
    items.sort((a, b) => a.start - b.start);
  }
  return { status: 200, body: page(calendar, items, query) };
}

function isWanted(event: StoredEvent, query: URLSearchParams, since: number | null): boolean {
  if (since !== null && event.changeNumber <= since) return false;
  if (event.status === 'cancelled' && since === null && query.get('showDeleted') !== 'true') return false;
  if (query.has('iCalUID') && event.iCalUID !== query.get('iCalUID')) return false;
  for (const property of query.getAll('privateExtendedProperty')) {
    const [name = '', value] = property.split('=', 2);
    if (event.extendedProperties?.private?.[name] !== value) return false;
  }
  return true;
}

function itemsOf(state: State, calendar: StoredCalendar, event: StoredEvent, query: URLSearchParams): Item[] {
  const from = query.has('timeMin') ? rfc3339(query.get('timeMin')) : Number.NEGATIVE_INFINITY;
  const to = query.has('timeMax') ? rfc3339(query.get('timeMax')) : Number.POSITIVE_INFINITY;
  if (from >= to) throw apiError('timeRangeEmpty');
  if (event.status === 'cancelled') return [{ view: deletedView(event), start: 0 }];
  const recurs = (event.recurrence?.length ?? 0) > 0;
  const single = query.get('singleEvents') === 'true';
  const far = { from: Math.max(from, -8e15), to: Math.min(to, state.clock.now() + 2 * 366 * 86_400_000) };
  const spans = occurrences(event, calendar.timeZone, far.from, recurs ? far.to : Math.min(to, 8e15));
  const view = eventView(state, calendar, event);
  const first = spans[0];
  if (first === undefined) return [];
  if (!recurs || !single) return [{ view, start: first.start }];
  const { recurrence: _, ...instance } = view;
  return spans.map((span) => {
    const end = (instant: number) => ({ dateTime: new Date(instant).toISOString() });
    const dated = (instant: number) => ({ date: dateIn(instant, calendar.timeZone) });
    const time = event.start.date === undefined ? end : dated;
    const start = timeView(time(span.start), calendar.timeZone);
    return {
      start: span.start,
      view: {
        ...instance,
        id: `${event.id}_${new Date(span.start).toISOString().replace(/[-:]|\.000/g, '')}`,
        recurringEventId: event.id,
        originalStartTime: start,
        start,
        end: timeView(time(span.end), calendar.timeZone),
      },
    };
  });
}

function dateIn(instant: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDate().toString();
}

function page(calendar: StoredCalendar, items: Item[], query: URLSearchParams): Record<string, unknown> {
  const size = Math.min(2500, Math.max(1, Number(query.get('maxResults') ?? 250) || 250));
  const at = Number(Buffer.from(query.get('pageToken') ?? '', 'base64url').toString()) || 0;
  const rest = at + size < items.length;
  const next = rest
    ? { nextPageToken: Buffer.from(String(at + size)).toString('base64url') }
    : { nextSyncToken: syncTokenOf(calendar) };
  return {
    kind: 'calendar#events',
    etag: `"${calendar.sequence}"`,
    summary: calendar.summary,
    timeZone: calendar.timeZone,
    accessRole: 'owner',
    defaultReminders: [],
    ...next,
    items: items.slice(at, at + size).map((item) => item.view),
  };
}

function syncTokenOf(calendar: StoredCalendar): string {
  return Buffer.from(JSON.stringify([calendar.id, calendar.syncEpoch, calendar.sequence])).toString(
    'base64url',
  );
}

function sequenceOf(calendar: StoredCalendar, token: string): number {
  try {
    const [id, epoch, sequence] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    if (id === calendar.id && epoch === calendar.syncEpoch && typeof sequence === 'number') return sequence;
  } catch {
    // Not our token: same error as for an expired one.
  }
  throw apiError('fullSyncRequired');
}

/** GET …/users/me/calendarList: the caller's own calendars and those shared with them. */
export function listCalendars(call: ApiCall): ApiResponse {
  const { account } = call.caller;
  const items = call.state.calendars.values().flatMap((calendar) => {
    const owns = calendar.owner === account;
    if (!owns && !calendar.readers.includes(account)) return [];
    const { id, summary, timeZone, conferenceTypes } = calendar;
    return {
      kind: 'calendar#calendarListEntry',
      id,
      summary,
      timeZone,
      accessRole: owns ? 'owner' : 'freeBusyReader',
      ...(id === account ? { primary: true } : {}),
      conferenceProperties: { allowedConferenceSolutionTypes: conferenceTypes },
    };
  });
  return { status: 200, body: { kind: 'calendar#calendarList', items } };
}
