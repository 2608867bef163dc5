// Bookings under everything at once: concurrent requests in two processes, people in the calendar, and a failing Google.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fault } from '../../sandbox/google/faults.ts';
import { book } from '../../src/appointments/booking/book.ts';
import { syncCalendars } from '../../src/appointments/booking/calendar-sync.ts';
import { reconcileDue } from '../../src/appointments/booking/reconcile.ts';
import type { Calendar } from '../../src/ports/calendar.ts';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import { problemsOfBookings } from './check-bookings.ts';
import { type Random, seededRandom } from './random.ts';

const seed = Number(process.env.RACES_SEED ?? 20_261_124);
const roundMs = 2_500;
const date = comingMonday();
const nextDate = Temporal.PlainDate.from(date).add({ days: 1 }).toString();
let fixture: AppointmentsFixture;

beforeAll(async () => {
  fixture = await openAppointmentsFixture({ speed: 50 });
});
afterAll(() => fixture.close());

/** A calendar that does not report events which were inserted and deleted since the last reading, as some CalDAV servers. */
function forgetful(calendar: Calendar): Calendar {
  /** The events that were there at each cursor. */
  const shownAt = new Map<string, ReadonlySet<string>>();
  const changedEvents: Calendar['changedEvents'] = async (credential, query, limits) => {
    const read = await calendar.changedEvents(credential, query, limits);
    const before = (!read.complete && shownAt.get(query.cursor ?? '')) || new Set<string>();
    const events = read.events.filter(({ status, eventId }) => status === 'live' || before.has(eventId));
    const live = events.filter(({ status }) => status === 'live').map(({ eventId }) => eventId);
    shownAt.set(read.cursor, new Set([...before, ...live]));
    return { ...read, events };
  };
  return new Proxy(calendar, {
    get: (target, name) => (name === 'changedEvents' ? changedEvents : Reflect.get(target, name)),
  });
}

interface Round {
  account: string;
  staffs: { id: string; email: string }[];
  otherCalendar: string;
  answered: string[];
  restored: Set<string>;
  isOver(): boolean;
}

const clockOf = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
/** A quarter of an hour between 09:00 and 11:30. */
const minuteOf = (random: Random) => 540 + 15 * random.between(0, 10);
const timeOf = (minute: number) => ({ dateTime: `${date}T${clockOf(minute)}:00Z`, timeZone: 'UTC' });

/** A caller who books, reschedules and cancels, often with one key twice; through `deps` or over HTTP. */
async function caller(round: Round, random: Random, deps?: AppointmentsFixture['deps']): Promise<void> {
  const { account, answered } = round;
  while (!round.isOver()) {
    const minute = minuteOf(random);
    const time = { date, from: clockOf(minute), to: clockOf(minute + 30) };
    const bookingId = random.pick(answered.slice(-8));
    const path = `/v1/appointments/bookings/${bookingId}`;
    const what = random.next();
    if (bookingId !== undefined && what > 0.9) await fixture.call(account, 'POST', `${path}/cancel`, {});
    else if (bookingId !== undefined && what > 0.55)
      await fixture.call(account, 'POST', `${path}/reschedule`, time, { 'idempotency-key': randomUUID() });
    else {
      const key = randomUUID();
      const body = bookingOf(random.pick(round.staffs).id, date, time.from, time.to);
      const request = async () => {
        if (deps) return (await book(deps, { accountId: account, key, body }).catch(() => undefined))?.body;
        const response = await fixture.book(account, body, key);
        expect([200, 409, 502, 503]).toContain(response.status);
        return response.status === 200 ? response.text : undefined;
      };
      const bodies = await Promise.all(random.next() < 0.3 ? [request(), request()] : [request()]);
      const [first, ...others] = new Set(bodies.filter((text) => text !== undefined));
      expect(others).toEqual([]);
      if (first !== undefined) answered.push(JSON.parse(first).data.bookingId);
    }
  }
}

/** A staff member who moves, deletes, repeats and restores events in the calendar. */
async function person(round: Round, random: Random): Promise<void> {
  const { control } = fixture;
  while (!round.isOver()) {
    await sleep(random.between(20, 80));
    const { email } = random.pick(round.staffs);
    const event = random.pick(await control.liveEvents(email));
    const minute = minuteOf(random);
    const time = { start: timeOf(minute), end: timeOf(minute + random.pick([15, 30, 60])) };
    const acts: [(id: string) => Promise<unknown>, number][] = [
      [() => control.addEvent(email, { summary: 'own', ...time }), 15],
      [(id) => control.changeEvent(email, id, time), 30],
      [(id) => control.removeEvent(email, id), 15],
      [(id) => control.changeEvent(email, id, { start: { date }, end: { date: nextDate } }), 5],
      [(id) => control.changeEvent(email, id, { ...time, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }), 7],
      [(id) => control.changeEvent(email, id, { transparency: 'transparent' }), 6],
      [(id) => control.moveEvent(email, id, round.otherCalendar), 5],
      [() => restore(round, random, email), 5],
    ];
    // the event may be gone by now
    await random
      .weighted(acts)(event?.id ?? '')
      .catch(() => undefined);
  }
}

async function restore({ restored }: Round, random: Random, email: string): Promise<void> {
  const gone = (await fixture.control.events(email)).filter(({ status, extendedProperties }) => {
    const { bookingId, tombstone } = extendedProperties?.private ?? {};
    return status === 'cancelled' && bookingId !== undefined && tombstone === undefined;
  });
  const event = random.pick(gone);
  if (event === undefined) return;
  restored.add(event.id);
  await fixture.control.changeEvent(email, event.id, { status: 'confirmed' });
}

/** Google's failures, revoked authorizations and new ones. */
async function trouble(round: Round, random: Random): Promise<void> {
  const { control } = fixture;
  const operations = ['events.insert', 'events.get', 'events.patch', 'events.delete', 'events.list'] as const;
  const reasons = ['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'backendError'];
  while (!round.isOver()) {
    await sleep(random.between(30, 150));
    const on = random.pick([...operations, 'freebusy.query'] as const);
    const times = random.between(1, 3);
    const when = random.pick(['before', 'after'] as const);
    const { id, email } = random.pick(round.staffs);
    const fail = (fault: Fault) => () => control.addFault({ ...fault, on, times });
    const acts: [() => Promise<unknown>, number][] = [
      [fail({ does: 'refuse', reason: random.pick(reasons) }), 20],
      [fail({ does: 'refuse', reason: 'backendError', when }), 10],
      [fail({ does: 'reset', when }), 20],
      [fail({ does: 'delay', ms: 100 }), 5],
      [() => control.expireSyncTokens(), 5],
      [() => control.expireAccessTokens(), 5],
      [() => control.set({ invitationsLeft: random.pick([0, 1, null]) }), 5],
      [() => control.revokeGrants({ account: email }), 2],
      [() => control.clearFaults().then(() => fixture.connect(round.account, id)), 15],
      [() => control.clearFaults(), 15],
    ];
    await random
      .weighted(acts)()
      .catch(() => undefined);
  }
}

const makeDue = () =>
  sql`update calendar_connections set changes_due_at = now() where dead_at is null`.execute(
    fixture.database.db,
  );
const aMinuteLater = () =>
  sql`update bookings set gone_at = gone_at - interval '61 seconds' where gone_at is not null`.execute(
    fixture.database.db,
  );

/** The workers of a process, for which minutes are seconds. */
async function workers(round: Round, random: Random, deps: AppointmentsFixture['deps']): Promise<void> {
  while (!round.isOver()) {
    await sleep(20);
    if (random.next() < 0.5) await makeDue();
    if (random.next() < 0.2) await aMinuteLater();
    await syncCalendars(deps);
    await reconcileDue(deps);
  }
}

async function openRound(random: Random): Promise<Round> {
  const account = await fixture.account();
  const shared = `shared-${randomUUID()}@clinic.example`;
  const options = () => ({
    onCalendarMove: random.pick(['follow', 'keep'] as const),
    onCalendarDelete: random.pick(['cancel', 'keep'] as const),
    schedule: {
      ...{ slotStepMinutes: 15, bufferBeforeMinutes: random.pick([0, 10]) },
      dailyLimit: random.pick([null, 4, 8]),
    },
  });
  const staffs = [
    await fixture.staff(account, { ...options(), email: shared }),
    await fixture.staff(account, { ...options(), email: shared }),
    await fixture.staff(account, options()),
  ];
  const otherCalendar = `other-${shared}`;
  await fixture.control.putCalendar({ id: otherCalendar, owner: shared, timeZone: 'UTC' });
  const endsAt = performance.now() + roundMs;
  const isOver = () => performance.now() >= endsAt;
  return { account, staffs, otherCalendar, answered: [], restored: new Set(), isOver };
}

/** Ends all failures, then lets the workers finish and the readings notice everything. */
async function settle({ account, staffs }: Round, deps: AppointmentsFixture['deps']): Promise<void> {
  await fixture.control.clearFaults();
  await fixture.control.set({ invitationsLeft: null });
  for (const { id } of staffs) await fixture.connect(account, id);
  for (let reading = 0; reading < 4; reading += 1) {
    await fixture.reconcileAll();
    await makeDue();
    await aMinuteLater();
    for (let read = 1; read > 0; ) read = await syncCalendars(deps);
  }
}

test.each([
  ['reports every deletion', (calendar: Calendar) => calendar],
  ['forgets events that nobody read', forgetful],
])(
  'bookings, events, times and webhooks agree after a storm in a calendar that %s',
  async (name, wrap) => {
    const google = wrap(fixture.calendar);
    const [first, second] = [1, 2].map(() => fixture.depsOn(fixture.deps.db, { google }));
    if (!first || !second) throw new Error('there are two processes');
    for (let round = 0; round < 6; round += 1) {
      const random = seededRandom(seed + round).fork(name);
      const storm = await openRound(random);
      await Promise.all([
        ...['a', 'b', 'c'].map((each) => caller(storm, random.fork(each))),
        ...['d', 'e'].map((each) => caller(storm, random.fork(each), second)),
        ...['f', 'g'].map((each) => person(storm, random.fork(each))),
        trouble(storm, random.fork('h')),
        workers(storm, random.fork('i'), first),
        workers(storm, random.fork('j'), second),
      ]);
      await settle(storm, first);
      const emails = new Map(storm.staffs.map(({ id, email }) => [id, email]));
      const problems = await problemsOfBookings(fixture, { ...storm, accountId: storm.account, emails });
      expect({ seed, round, problems }).toEqual({ seed, round, problems: [] });
      expect(storm.answered.length).toBeGreaterThan(0);
    }
  },
  120_000,
);
