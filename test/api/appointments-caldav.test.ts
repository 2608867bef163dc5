// Bookings in CalDAV calendars: late inserts, shared calendars, and external changes.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caldavCalendar } from '../../src/adapters/caldav/calendar.ts';
import { book } from '../../src/appointments/booking/book.ts';
import { cancelBooking } from '../../src/appointments/booking/cancel.ts';
import { reconcileDue } from '../../src/appointments/booking/reconcile.ts';
import { putCalendar } from '../../src/appointments/calendar/connect.ts';
import { findStaff } from '../../src/appointments/directory/store.ts';
import type { AppError } from '../../src/base/errors.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import { type CaldavServer, debianPackages, isInstalled, startCaldav } from '../harness/caldav-server.ts';
import { calendarChanges } from '../harness/calendar-changes.ts';

if (await isInstalled('radicale')) describe('with Radicale', bookingsInCaldav);
else {
  console.warn(`Bookings in CalDAV calendars are NOT tested: apt-get install ${debianPackages.radicale}`);
  test('NOT TESTED with Radicale, which is not installed here', () =>
    expect(bookingsInCaldav).toBeTypeOf('function'));
}

function bookingsInCaldav(): void {
  const person = { username: 'ada@clinic.example', password: 'correct horse' };
  const home = `/${encodeURIComponent(person.username)}/work/`;
  const date = comingMonday();
  const outgoing = openOutgoing({ connectionsPerOrigin: null, keepAliveMs: 1_000 });
  let fixture: AppointmentsFixture;
  let server: CaldavServer;
  let account: string;
  let deps: AppointmentsFixture['deps'];
  /** The same with short inserts, for inserts that hang. */
  let impatient: AppointmentsFixture['deps'];
  let staffId: string;

  beforeAll(async () => {
    [fixture, server] = await Promise.all([
      openAppointmentsFixture({ speed: 1 }),
      startCaldav('radicale', { shared: true }),
    ]);
    account = await fixture.account();
    await server.addAccount(person.username, person.password);
    await server.direct(person, 'MKCALENDAR', home);
    const adapter = (attemptTimeoutMs: number) =>
      caldavCalendar({ outgoing, clock: fixture.clock, attemptTimeoutMs });
    deps = fixture.depsOn(fixture.deps.db, { caldav: adapter(15_000) });
    const { insertEvent } = adapter(250);
    const caldav = new Proxy(adapter(15_000), {
      get: (calendar, name) => (name === 'insertEvent' ? insertEvent : Reflect.get(calendar, name)),
    });
    impatient = fixture.depsOn(fixture.deps.db, { caldav });
    ({ id: staffId } = await fixture.staff(account, { calendar: 'unconnected' }));
    const staff = await findStaff(deps.db, account, staffId);
    if (!staff) throw new Error('the staff member is gone');
    await putCalendar(deps, staff, { provider: 'caldav', url: server.url, ...person });
  });
  afterAll(async () => {
    await outgoing.close();
    await server?.close();
    await fixture?.close();
  });

  const files = async () => {
    const { text } = await server.direct(person, 'PROPFIND', home, { headers: { depth: '1' } });
    return [...text.matchAll(/([\w-]+)\.ics</g)].map(([, id]) => id);
  };
  const tryBook = (key: string, by = deps) =>
    book(by, { accountId: account, key, body: bookingOf(staffId, date, '10:00', '10:30') }).then(
      () => 'booked',
      ({ code }: AppError) => code,
    );
  const states = async () => (await fixture.bookingRows(staffId)).map(({ state }) => state);
  /** Makes unfinished bookings due and runs the worker once. */
  const runWorker = async () => {
    await sql`update bookings set due_at = now() where due_at is not null`.execute(deps.db);
    await reconcileDue(deps);
  };

  test('removes the event of a late insert, and frees the slot once no insert can succeed any more', async () => {
    server.proxy.holdPuts = true;
    const late = tryBook(staffId, impatient);
    const puts = () => server.proxy.requests.filter((request) => request.startsWith(`PUT ${home}`)).length;
    const before = puts();
    await expect.poll(puts).toBeGreaterThan(before);
    // the request's time is up while its insert hangs
    fixture.clock.aheadMs += 15_000;
    expect(await late).toBe('provider_unavailable');
    server.proxy.holdPuts = false;
    expect([await states(), await fixture.occupancies(staffId)]).toEqual([['undoing'], 1]);

    await runWorker();
    expect([await states(), await files()]).toEqual([['undoing'], []]);
    expect(await tryBook(staffId)).toBe('idempotency_in_progress');
    expect(await tryBook(crypto.randomUUID())).toBe('slot_unavailable');

    expect(await server.proxy.releasePuts()).toBeGreaterThan(0);
    expect(await files()).toHaveLength(1);
    await runWorker();
    expect([await states(), await files(), await fixture.occupancies(staffId)]).toEqual([['undone'], [], 0]);

    expect(await tryBook(staffId)).toBe('booked');
    expect([await states(), (await files()).length]).toEqual([['undone', 'confirmed'], 1]);
  });

  test('creates one event when the response to the insert is lost', async () => {
    server.proxy.dropNextPutResponse = true;
    const body = bookingOf(staffId, date, '11:00', '11:30');
    const { body: response } = await book(deps, { accountId: account, key: crypto.randomUUID(), body });
    expect(await files()).toContain(JSON.parse(response).data.calendarEventId);
    expect(await files()).toHaveLength(2);
  });

  test('creates one event for 200 concurrent requests to a calendar that staff connected by other addresses and accounts', async () => {
    const other = { username: 'bob@clinic.example', password: 'battery staple' };
    await server.addAccount(other.username, other.password);
    const path = '/ada@clinic.example/shared/';
    await server.direct(person, 'MKCALENDAR', path);
    const ways = [
      { ...person, url: `${server.url}${path}` },
      { ...person, url: `${server.url}/%61da%40clinic.example/shared` },
      { ...other, url: server.url, calendarUrl: path },
    ];
    const rivals = await Promise.all(ways.map(() => fixture.staff(account, { calendar: 'unconnected' })));
    for (const [index, way] of ways.entries()) {
      const staff = await findStaff(deps.db, account, rivals[index]?.id ?? '');
      if (staff) await putCalendar(deps, staff, { provider: 'caldav', ...way });
    }
    // delay the busy checks, so that all of them see the hour free
    server.proxy.change = async (method, _path, response) => {
      if (method === 'REPORT') await new Promise((resolve) => setTimeout(resolve, 100));
      return response;
    };
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const body = bookingOf(rivals[index % 3]?.id ?? '', date, '10:00', '10:30');
        return book(deps, { accountId: account, key: crypto.randomUUID(), body }).then(
          () => 'booked',
          ({ code }: AppError) => code,
        );
      }),
    );
    server.proxy.change = null;
    expect(outcomes.filter((outcome) => outcome === 'booked')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['booked', 'slot_unavailable']));
    const { text } = await server.direct(person, 'PROPFIND', path, { headers: { depth: '1' } });
    expect(text.match(/\.ics</g)).toHaveLength(1);
  });

  /** A staff member connected to a calendar of their own, and a function that books and returns the event's file. */
  const ownCalendar = async (name: string) => {
    const staff = await fixture.staff(account, { calendar: 'unconnected' });
    const path = `/${encodeURIComponent(person.username)}/${name}/`;
    await server.direct(person, 'MKCALENDAR', path);
    const row = await findStaff(deps.db, account, staff.id);
    if (!row) throw new Error('the staff member is gone');
    await putCalendar(deps, row, { provider: 'caldav', ...person, url: `${server.url}${path}` });
    const make = async (from: string, to: string) => {
      const body = bookingOf(staff.id, date, from, to);
      const made = await book(deps, { accountId: account, key: crypto.randomUUID(), body });
      const { bookingId, calendarEventId } = JSON.parse(made.body).data;
      return { id: bookingId as string, file: `${path}${calendarEventId}.ics` };
    };
    return { staff, row, path, make };
  };

  test('follows and cancels bookings of a calendar that is reconnected by another address', async () => {
    const { read, shown } = calendarChanges(fixture, account);
    const { staff, row, path, make } = await ownCalendar('readdressed');
    const moved = await make('09:00', '09:30');
    const cancelled = await make('10:00', '10:30');
    // directly, without the test proxy
    await putCalendar(deps, row, { provider: 'caldav', ...person, url: `${server.directUrl}${path}` });
    const { text } = await server.direct(person, 'GET', moved.file);
    const body = text.replace(/T090000Z/g, 'T113000Z').replace(/T093000Z/g, 'T120000Z');
    await server.direct(person, 'PUT', moved.file, { body, headers: { 'content-type': 'text/calendar' } });
    await read(staff.id, deps);
    expect((await shown(moved.id)).startsAt).toBe(`${date}T11:30:00.000Z`);
    await cancelBooking(deps, { accountId: account, bookingId: cancelled.id });
    expect((await server.direct(person, 'GET', cancelled.file)).status).toBe(404);
  });

  test('follows a moved event, cancels for a deleted one, and keeps the booking of an unreadable one', async () => {
    const { read, shown, aMinuteLater, changesOf } = calendarChanges(fixture, account);
    const readAll = () => read(staff.id, deps);
    const { staff, path, make } = await ownCalendar('followed');
    const moved = await make('09:00', '09:30');
    const deleted = await make('10:00', '10:30');
    const hidden = await make('11:00', '11:30');
    await readAll();
    const { text } = await server.direct(person, 'GET', moved.file);
    const body = text.replace(/T090000Z/g, 'T113000Z').replace(/T093000Z/g, 'T120000Z');
    const headers = { 'content-type': 'text/calendar' };
    expect((await server.direct(person, 'PUT', moved.file, { body, headers })).status).toBe(201);
    await server.direct(person, 'DELETE', deleted.file);
    await server.direct(person, 'DELETE', hidden.file);
    server.proxy.change = (method, at, response) =>
      method === 'GET' && at === hidden.file ? { ...response, status: 403 } : response;
    await readAll();
    await aMinuteLater();
    await readAll();
    server.proxy.change = null;
    expect(await shown(moved.id)).toMatchObject({ status: 'confirmed', startsAt: `${date}T11:30:00.000Z` });
    expect((await shown(deleted.id)).status).toBe('cancelled');
    expect(await shown(hidden.id)).toMatchObject({
      status: 'confirmed',
      calendarState: { state: 'in_step' },
    });
    expect(await changesOf(staff.id)).toEqual([
      'appointments.rescheduled by calendar',
      'appointments.cancelled by calendar',
    ]);
    // a deleted calendar cancels nothing
    await server.direct(person, 'DELETE', path);
    await readAll();
    await aMinuteLater();
    await readAll();
    expect(await shown(moved.id)).toMatchObject({ status: 'confirmed', calendarState: { state: 'in_step' } });
    // nor does one that is created again
    await server.direct(person, 'MKCALENDAR', path);
    await readAll();
    await aMinuteLater();
    await readAll();
    expect(await shown(moved.id)).toMatchObject({ status: 'confirmed', calendarState: { state: 'deleted' } });
    expect((await fixture.events(account, staff.id)).at(-1)?.data.missing.bookingIds).toContain(moved.id);
  });
}
