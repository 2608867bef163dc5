// A calendar provider in memory that assigns event ids itself, and its adapter.
import { randomUUID } from 'node:crypto';
import { VendorError } from '../../src/base/errors.ts';
import type { Calendar, CalendarEvent, CallLimits, Interval, NewEvent } from '../../src/ports/calendar.ts';
import type { CalendarUnderTest, ExternalEvent } from './calendar-under-test.ts';

const zone = 'America/New_York';

interface StoredEvent extends Interval {
  id: string;
  bookingId: string | null;
  link: string | null;
  isDeleted: boolean;
  /** The number of the change in the provider's store: the event's version, and the position of the sync cursor. */
  revision: number;
  weeklyIn?: string;
}

const rejected = (code: string) => new VendorError('rejected', `The provider returned ${code}.`, { code });
const lost = (outcome: 'not_sent' | 'unknown') => new VendorError(outcome, 'The provider did not answer.');

/** The provider's store. Like Microsoft Graph, it creates one event per transaction id, even for repeated inserts. */
function openStore() {
  const calendars = new Map<string, Map<string, StoredEvent>>();
  const revoked = new Set<string>();
  let revision = 0;
  const state = { isDown: false, losesNextResponse: false };
  const eventsOf = (calendarId: string) => {
    const events = calendars.get(calendarId);
    if (!events) throw rejected('calendar_not_found');
    return events;
  };
  const write = (calendarId: string, event: Omit<StoredEvent, 'revision'>): StoredEvent => {
    revision += 1;
    const stored = { ...event, revision };
    eventsOf(calendarId).set(event.id, stored);
    return stored;
  };
  const ofBooking = (calendarId: string, bookingId: string) =>
    [...eventsOf(calendarId).values()].find((event) => event.bookingId === bookingId && !event.isDeleted);
  return { calendars, revoked, state, eventsOf, write, ofBooking, revision: () => revision };
}

type Store = ReturnType<typeof openStore>;

function guarded<T>(store: Store, credential: string, limits: CallLimits, act: () => T): Promise<T> {
  if (limits.signal?.aborted || store.state.isDown) return Promise.reject(lost('not_sent'));
  if (store.revoked.has(credential)) return Promise.reject(rejected('invalid_grant'));
  return new Promise((resolve) => resolve(act()));
}

const shown = (event: StoredEvent): CalendarEvent => ({
  eventId: event.id,
  status: event.isDeleted ? 'deleted' : 'live',
  bookingId: event.bookingId,
  start: event.start,
  end: event.end,
  allDay: false,
  meeting: event.link === null ? { status: 'none' } : { status: 'ready', link: event.link },
  link: `https://calendar.example/${event.id}`,
  version: String(event.revision),
  guestsInvited: true,
});

function insert({ ofBooking, write, state }: Store, event: NewEvent): CalendarEvent {
  const link = event.meeting.kind === 'link' ? event.meeting.link : event.meeting.fallbackLink;
  const { calendarId, bookingId, start, end } = event;
  const made =
    ofBooking(calendarId, bookingId) ??
    write(calendarId, { id: `AAMk${randomUUID()}`, bookingId, start, end, link, isDeleted: false });
  if (!state.losesNextResponse) return shown(made);
  state.losesNextResponse = false;
  return insert({ ofBooking, write, state } as Store, event);
}

function change(
  { eventsOf, write }: Store,
  of: { calendarId: string; eventId: string; version?: string | undefined },
  to: Partial<StoredEvent>,
) {
  const event = eventsOf(of.calendarId).get(of.eventId);
  if (!event) throw rejected('event_not_found');
  if (event.isDeleted) throw rejected('event_deleted');
  if (of.version !== undefined && of.version !== String(event.revision)) throw rejected('event_changed');
  return shown(write(of.calendarId, { ...event, ...to }));
}

function busyTimes(
  { eventsOf }: Store,
  { calendarIds, from, to, except }: Parameters<Calendar['busyTimes']>[1],
) {
  const merged: Interval[] = [];
  const all = calendarIds
    .flatMap((id) => [...eventsOf(id).values()])
    .filter(({ id, isDeleted }) => !isDeleted && id !== except?.eventId)
    .flatMap((event) => occurrences(event, to))
    .map(({ start, end }) => ({ start: Math.max(start, from), end: Math.min(end, to) }))
    .filter(({ start, end }) => start < end)
    .sort((a, b) => a.start - b.start);
  for (const each of all) {
    const last = merged.at(-1);
    if (last && each.start <= last.end) last.end = Math.max(last.end, each.end);
    else merged.push({ ...each });
  }
  return merged;
}

function occurrences({ start, end, weeklyIn }: StoredEvent, to: number): Interval[] {
  if (weeklyIn === undefined) return [{ start, end }];
  const found: Interval[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(weeklyIn);
  for (; at.epochMilliseconds < to; at = at.add({ weeks: 1 }))
    found.push({ start: at.epochMilliseconds, end: at.epochMilliseconds + end - start });
  return found;
}

/** The adapter over the store: `provider` is `assigned`, sign-in by password. */
function adapter(store: Store): Calendar {
  const { eventsOf, ofBooking, write } = store;
  const remove = (calendarId: string, event: StoredEvent | undefined) => {
    if (event && !event.isDeleted) write(calendarId, { ...event, isDeleted: true });
  };
  return {
    provider: 'assigned',
    supports: { meetings: false, signIn: 'password' },
    eventIds: {
      kind: 'assigned',
      find: (credential, { calendarId, bookingId }, limits) =>
        guarded(store, credential, limits, () => {
          const event = ofBooking(calendarId, bookingId);
          return event ? shown(event) : null;
        }),
    },
    password: {
      connect: ({ username }, limits) =>
        guarded(store, username, limits, () => {
          store.calendars.set(username, new Map());
          const calendar = { calendarId: username, identity: username, accountEmail: username };
          return { ...calendar, credential: username, sameAs: null, scopes: [] };
        }),
    },
    busyTimes: (credential, question, limits) =>
      guarded(store, credential, limits, () => busyTimes(store, question)),
    getEvent: (credential, { calendarId, eventId }, limits) =>
      guarded(store, credential, limits, () => {
        const event = eventsOf(calendarId).get(eventId);
        return event ? shown(event) : null;
      }),
    insertEvent: (credential, event, limits) =>
      guarded(store, credential, limits, () => insert(store, event)),
    updateEvent: (credential, of, limits) =>
      guarded(store, credential, limits, () => change(store, of, { ...of.time })),
    replaceMeeting: (credential, of, limits) =>
      guarded(store, credential, limits, () => change(store, of, { link: of.link })),
    deleteEvent: (credential, { calendarId, eventId }, limits) =>
      guarded(store, credential, limits, () => remove(calendarId, eventsOf(calendarId).get(eventId))),
    removeForGood: (credential, { calendarId, bookingId }, limits) =>
      guarded(store, credential, limits, () => {
        remove(calendarId, ofBooking(calendarId, bookingId));
        return { certain: false, retryAfterMs: 30_000 };
      }),
    changedEvents: (credential, { calendarId, cursor, since }, limits) =>
      guarded(store, credential, limits, () => {
        const all = [...eventsOf(calendarId).values()];
        const isNew = (event: StoredEvent) =>
          cursor === null ? event.end > since && !event.isDeleted : event.revision > Number(cursor);
        const events = all.filter((event) => event.bookingId !== null && isNew(event)).map(shown);
        return { events, cursor: String(store.revision()), complete: cursor === null };
      }),
    disconnect: async (credential) => void store.revoked.add(credential),
  };
}

/** Opens the provider for the port's suites and for bookings. */
export async function openAssignedIds(): Promise<CalendarUnderTest> {
  const store = openStore();
  const add = (calendarId: string, more: Partial<StoredEvent> & Interval) =>
    store.write(calendarId, { id: randomUUID(), bookingId: null, link: null, isDeleted: false, ...more });
  return {
    calendar: adapter(store),
    zone,
    connect: async () => {
      const credential = randomUUID();
      const [calendarId, secondCalendarId] = [credential, `second-${credential}`];
      for (const id of [calendarId, secondCalendarId]) store.calendars.set(id, new Map());
      return { credential, calendarId, secondCalendarId };
    },
    addExternally: async (calendarId, event) => {
      const marks: (string | undefined)[] = ['transparent', 'cancelled', 'declined'];
      if (!marks.includes(event.mark))
        add(calendarId, { ...intervalOf(event), ...(event.weekly ? { weeklyIn: event.zone ?? zone } : {}) });
    },
    moveExternally: async (calendarId, eventId, start, end) =>
      void change(store, { calendarId, eventId }, { start, end }),
    deleteExternally: async (calendarId, eventId) =>
      void change(store, { calendarId, eventId }, { isDeleted: true }),
    liveEventIds: async (calendarId) =>
      [...store.eventsOf(calendarId).values()].filter(({ isDeleted }) => !isDeleted).map(({ id }) => id),
    loseNextResponse: async () => {
      store.state.losesNextResponse = true;
    },
    outage: async (on) => {
      store.state.isDown = on;
    },
    revokeCredential: async (credential) => void store.revoked.add(credential),
    close: async () => {},
  };
}

function intervalOf({ allDay, from = '', to = '', zone: named = zone }: ExternalEvent): Interval {
  if (allDay === undefined) {
    const at = (text: string) => Temporal.PlainDateTime.from(text).toZonedDateTime(named).epochMilliseconds;
    return { start: at(from), end: at(to) };
  }
  const start = Temporal.PlainDate.from(allDay).toZonedDateTime(zone);
  return { start: start.epochMilliseconds, end: start.add({ days: 1 }).epochMilliseconds };
}
