// An appointment in a CalDAV calendar, end to end: connect, block busy times, book, reschedule, cancel.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bookingOf, comingMonday, plainSchedule } from '../harness/appointments-fixture.ts';
import { type CaldavServer, isInstalled, startCaldav } from '../harness/caldav-server.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

const base = '/v1/appointments';
const installed = await isInstalled('radicale');

if (installed) describe('with Radicale', journey);
else {
  console.warn('The CalDAV journey is NOT tested: radicale is not installed (apt-get install radicale).');
  test('NOT TESTED with Radicale, which is not installed here', () => expect(installed).toBe(false));
}

function journey(): void {
  const person = { username: 'ada@clinic.example', password: 'correct horse' };
  const home = `/${encodeURIComponent(person.username)}/`;
  let gateway: Gateway;
  let server: CaldavServer;

  beforeAll(async () => {
    [gateway, server] = await Promise.all([startGateway(), startCaldav('radicale')]);
    await server.addAccount(person.username, person.password);
    await dav('MKCALENDAR', `${home}work/`);
  });
  afterAll(async () => {
    await gateway?.close();
    await server?.close();
  });

  async function dav(method: string, path: string, body?: string): Promise<string> {
    const headers = { depth: '1', 'content-type': 'text/calendar' };
    const given = body === undefined ? { headers } : { body, headers };
    const answer = await server.direct(person, method, path, given);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.text;
  }
  async function must<T>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<T> {
    const answer = await gateway.call<T>(method, path, { body, ...(headers ? { headers } : {}) });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body.data;
  }
  async function staff(): Promise<string> {
    const { _id } = await must<{ _id: string }>('POST', `${base}/users`, { name: 'Ada' });
    await must('PUT', `${base}/users/${_id}/schedule`, { ...plainSchedule, bookingWindowDays: 365 });
    return _id;
  }
  const account = (more: object = {}) => ({ provider: 'caldav', url: server.url, ...person, ...more });
  const slotsOf = async (staffId: string, date: string) => {
    const query = `appointmentUserId=${staffId}&date=${date}`;
    const { slots } = await must<{ slots: { from: string }[] }>('GET', `${base}/available-slots?${query}`);
    return slots.map(({ from }) => from);
  };
  const files = async () => {
    const listed = await dav('PROPFIND', `${home}work/`);
    return [...listed.matchAll(/([\w-]+)\.ics</g)].map(([, id]) => id);
  };

  test('connects with name and password, and books, reschedules and cancels in the calendar', async () => {
    const staffId = await staff();
    const status = await must('PUT', `${base}/users/${staffId}/ext-calendar`, account());
    expect(status).toMatchObject({
      connected: true,
      provider: 'caldav',
      calendarId: `${server.url}${home}work/`,
      accountEmail: person.username,
    });
    expect(await files()).toEqual([]);

    const date = comingMonday();
    const headers = { 'Idempotency-Key': randomUUID() };
    const booked = await must<{ bookingId: string; meetingLink: string; calendarEventId: string }>(
      'POST',
      `${base}/book`,
      { ...bookingOf(staffId, date, '10:00', '10:30'), name: 'Zoë, "Z"' },
      headers,
    );
    expect(booked.meetingLink).toMatch(/^https:\/\/meet\.jit\.si\/.+/);
    expect(await files()).toEqual([booked.calendarEventId]);
    const read = async () =>
      (await dav('GET', `${home}work/${booked.calendarEventId}.ics`)).replace(/\r\n[ \t]/g, '');
    const day = date.replaceAll('-', '');
    const event = await read();
    expect(event).toContain(`DTSTART:${day}T100000Z`);
    expect(event).toContain(`DTEND:${day}T103000Z`);
    expect(event).toContain(`LOCATION:${booked.meetingLink}`);
    expect(event).toContain('SUMMARY:Zoë\\, "Z" – Ada');
    expect(await slotsOf(staffId, date)).not.toContain('10:00');

    const path = `${base}/bookings/${booked.bookingId}`;
    await must('POST', `${path}/reschedule`, { date, from: '11:00', to: '11:30' });
    const moved = await read();
    expect(moved).toContain(`DTSTART:${day}T110000Z`);
    expect(moved).toContain(booked.meetingLink);
    expect(await slotsOf(staffId, date)).toEqual(['09:00', '09:30', '10:00', '10:30', '11:30']);

    await must('POST', `${path}/cancel`);
    expect(await files()).toEqual([]);
    expect(await slotsOf(staffId, date)).toContain('11:00');
  });

  test('a weekly event blocks the same local time before and after a clock change', async () => {
    const staffId = await staff();
    await must('PUT', `${base}/users/${staffId}/ext-calendar`, account());
    const zone = 'Europe/London';
    const change = Temporal.Now.zonedDateTimeISO(zone).add({ days: 8 }).getTimeZoneTransition('next');
    if (change === null) throw new Error(`no clock change ahead in ${zone}`);
    const [before, after] = [-3, 4].map((days) => change.toPlainDate().add({ days }).toString());
    const first = Temporal.PlainDate.from(before ?? '').subtract({ weeks: 10 });
    const at = (time: string) => `TZID=${zone}:${first.toString().replaceAll('-', '')}T${time}00`;
    const lines = [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//Test//EN', 'BEGIN:VEVENT', 'UID:weekly'],
      ...['DTSTAMP:20260101T000000Z', `DTSTART;${at('1000')}`, `DTEND;${at('1100')}`],
      ...['RRULE:FREQ=WEEKLY', 'END:VEVENT', 'END:VCALENDAR', ''],
    ];
    await dav('PUT', `${home}work/weekly.ics`, lines.join('\r\n'));
    const open = ['09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
    for (const date of [before ?? '', after ?? '']) {
      const local = (from: string) =>
        Temporal.Instant.from(`${date}T${from}:00Z`).toZonedDateTimeISO(zone).toPlainTime().toString();
      const free = open.filter((from) => !['10:00:00', '10:30:00'].includes(local(from)));
      expect(free).toHaveLength(4);
      expect(await slotsOf(staffId, date)).toEqual(free);
    }
    await dav('DELETE', `${home}work/weekly.ics`);
  });

  test('invalid account data is rejected with the field to fix, and nothing is connected', async () => {
    const staffId = await staff();
    const put = async (more: object) => {
      const { status, body } = await gateway.call('PUT', `${base}/users/${staffId}/ext-calendar`, {
        body: account(more),
      });
      return [status, body.errors?.map(({ path }) => path)];
    };
    expect(await put({ password: 'wrong' })).toEqual([400, ['password']]);
    expect(await put({ url: 'http://10.0.0.1/' })).toEqual([400, ['url']]);
    expect(await put({ calendarUrl: `${server.url}${home}none/` })).toEqual([400, ['calendarUrl']]);
    expect(await put({ calendarUrl: `${gateway.urls.google}/` })).toEqual([400, ['calendarUrl']]);
    expect(await put({ url: gateway.urls.google })).toEqual([400, ['url']]);
    const incomplete = { provider: 'google', username: undefined, password: undefined };
    expect(await put(incomplete)).toEqual([400, ['provider', 'username', 'password']]);
    expect(await put({ busyCalendarIds: ['https://elsewhere.example/'] })).toEqual([
      400,
      ['busyCalendarIds'],
    ]);
    const query = `appointmentUserId=${staffId}`;
    expect(await must('GET', `${base}/ext-calendar/status?${query}`)).toMatchObject({ connected: false });
  });

  test('all-day events of a calendar without a zone use the schedule’s zone, also after it changes', async () => {
    const staffId = await staff();
    await must('PUT', `${base}/users/${staffId}/ext-calendar`, account());
    const day = Temporal.PlainDate.from(comingMonday());
    const stamp = (date: Temporal.PlainDate) => date.toString().replaceAll('-', '');
    const lines = [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//Test//EN', 'BEGIN:VEVENT', 'UID:away'],
      ...['DTSTAMP:20260101T000000Z', `DTSTART;VALUE=DATE:${stamp(day)}`, 'END:VEVENT', 'END:VCALENDAR', ''],
    ];
    await dav('PUT', `${home}work/away.ics`, lines.join('\r\n'));
    const open = async (days: number) => (await slotsOf(staffId, day.add({ days }).toString())).length;
    expect([await open(-1), await open(0), await open(1)]).toEqual([6, 0, 6]);
    const schedule = { ...plainSchedule, timezone: 'Pacific/Auckland', bookingWindowDays: 365 };
    await must('PUT', `${base}/users/${staffId}/schedule`, schedule);
    // were it still a day of UTC, it would run from 13:00 to 13:00 there
    expect([await open(-1), await open(0), await open(1)]).toEqual([6, 0, 6]);
    await dav('DELETE', `${home}work/away.ics`);
  });

  test('an event in an unknown time zone blocks its own time, appears in the status, and closes no other day', async () => {
    const staffId = await staff();
    await must('PUT', `${base}/users/${staffId}/ext-calendar`, account());
    const date = comingMonday();
    const day = date.replaceAll('-', '');
    const lines = (uid: string, start: string) => [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//Test//EN', 'BEGIN:VEVENT', `UID:${uid}`],
      ...['DTSTAMP:20260101T000000Z', start, 'DURATION:PT30M', 'END:VEVENT', 'END:VCALENDAR', ''],
    ];
    const put = (uid: string, start: string) =>
      dav('PUT', `${home}work/${uid}.ics`, lines(uid, start).join('\r\n'));
    await put('unknown', `DTSTART;TZID=Our own time:${day}T100000`);
    await put('windows', `DTSTART;TZID=UTC-02:${day}T090000`);
    expect(await slotsOf(staffId, date)).toEqual(['09:00', '09:30', '10:30', '11:30']);
    const next = Temporal.PlainDate.from(date).add({ days: 1 }).toString();
    expect(await slotsOf(staffId, next)).toHaveLength(6);
    const status = await must('GET', `${base}/ext-calendar/status?appointmentUserId=${staffId}`);
    expect(status).toMatchObject({
      ...{ connected: true, error: null },
      eventProblems: {
        count: 1,
        items: [
          {
            event: expect.stringContaining('unknown.ics'),
            problem: 'time_zone_unknown',
            message: expect.stringContaining('"Our own time"'),
          },
        ],
      },
    });
    await dav('DELETE', `${home}work/unknown.ics`);
    await dav('DELETE', `${home}work/windows.ics`);
  });

  test('a manually deleted event is noticed even if the server rejects the sync token', async () => {
    const staffId = await staff();
    await must('PUT', `${base}/users/${staffId}/ext-calendar`, account());
    const date = comingMonday();
    const made = async (from: string, to: string) =>
      must<{ bookingId: string; calendarEventId: string }>(
        'POST',
        `${base}/book`,
        bookingOf(staffId, date, from, to),
        { 'Idempotency-Key': randomUUID() },
      );
    const [lost, kept] = [await made('09:00', '09:30'), await made('10:00', '10:30')];
    const { db } = gateway.database;
    const cursor = async () =>
      (
        await sql<{ cursor: string | null }>`
          select changes_cursor as cursor from calendar_connections where staff_id = ${staffId}`.execute(db)
      ).rows[0]?.cursor;
    const readAgain = async () => {
      await sql`update calendar_connections set changes_due_at = now() where staff_id = ${staffId}`.execute(
        db,
      );
    };
    const stateOf = async ({ bookingId }: { bookingId: string }) =>
      (await must<{ calendarState: { state: string } }>('GET', `${base}/bookings/${bookingId}`))
        .calendarState;
    await readAgain();
    await until(async () => expect(await cursor()).toEqual(expect.any(String)));
    const first = await cursor();
    await dav('DELETE', `${home}work/${lost.calendarEventId}.ics`);
    server.proxy.change = (_method, _path, answer, asked) =>
      asked.includes('sync-collection') ? { ...answer, status: 403, body: '' } : answer;
    await readAgain();
    await until(async () => expect(await stateOf(lost)).toEqual({ state: 'deleted' }));
    // a reading stores its position last
    await until(async () => expect(await cursor()).not.toBe(first));
    server.proxy.change = null;
    expect(await stateOf(kept)).toEqual({ state: 'in_step' });
    // after reconnecting, sync continues from the same position
    const before = await cursor();
    await must('PUT', `${base}/users/${staffId}/ext-calendar`, account());
    expect(await cursor()).toBe(before);
    await dav('DELETE', `${home}work/${kept.calendarEventId}.ics`);
  });

  test('a changed password is reported at the next sync', async () => {
    const staffId = await staff();
    await must('PUT', `${base}/users/${staffId}/ext-calendar`, account());
    const status = () => must('GET', `${base}/ext-calendar/status?appointmentUserId=${staffId}`);
    expect(await status()).toMatchObject({ connected: true });
    await server.addAccount(person.username, 'another');
    expect(await status()).toMatchObject({ connected: false, error: expect.stringMatching(/[Rr]econnect/) });
    await server.addAccount(person.username, person.password);
    await must('PUT', `${base}/users/${staffId}/ext-calendar`, account());
    expect(await status()).toMatchObject({ connected: true, error: null });
  });
}
