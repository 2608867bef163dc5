// The appointments routes on a real port, with a real database and the simulated Google; a header names the account.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { googleControl } from '../../sandbox/google/control-client.ts';
import { startGoogle } from '../../sandbox/google/server.ts';
import { googleCalendar } from '../../src/adapters/google/calendar.ts';
import { reconcileDue } from '../../src/appointments/booking/reconcile.ts';
import type { Calendars } from '../../src/appointments/calendar/connection.ts';
import { openAppointments } from '../../src/appointments/open-appointments.ts';
import { appointmentRoutes } from '../../src/appointments/routes.ts';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { openKeyedHash } from '../../src/base/keyed-hash.ts';
import { openLog } from '../../src/base/log.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { subscribableKinds } from '../../src/contract/webhooks.ts';
import type { Db, DbOptions } from '../../src/db/db.ts';
import { createTestDatabase } from './database.ts';
import { comingMonday, everyDay } from './dates.ts';
import { fastClock } from './fast-clock.ts';
import { openModuleServer } from './module-server.ts';
import { insertAccount, insertEndpoint } from './rows.ts';

const client = { id: 'gateway.apps.example', secret: 'GOCSPX-sandbox' };

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the response of any operation
  json: any;
}

export interface StaffOptions {
  name?: string;
  schedule?: Record<string, unknown>;
  questions?: Record<string, unknown>[];
  calendar?: 'google' | 'none' | 'unconnected';
  onCalendarMove?: 'follow' | 'keep';
  onCalendarDelete?: 'cancel' | 'keep';
  /** The Google account whose calendar is connected; default: a new one. */
  email?: string;
}

export { comingMonday };

/** The default schedule of staff: 09:00 to 12:00 UTC every day, slots of half an hour. */
export const plainSchedule = {
  timezone: 'UTC',
  slotMinutes: 30,
  weekly: everyDay.map((weekday) => ({ weekday, from: '09:00', to: '12:00' })),
};

/** Opens the fixture; `close` closes everything. `speed`: the factor by which the gateway's pauses are shorter. */
export async function openAppointmentsFixture(
  options: {
    speed?: number;
    database?: Partial<DbOptions>;
    /** Additional calendar adapters. */
    calendars?: Calendars;
  } = {},
) {
  const database = await createTestDatabase();
  const google = await startGoogle({ clients: [client] });
  const control = googleControl(google.url);
  const clock = fastClock(options.speed ?? 20);
  const outgoing = openOutgoing({ connectionsPerOrigin: 64, keepAliveMs: 1_000 });
  /** The calendar adapter; an attempt of a call takes at most `attemptTimeoutMs`. */
  const calendarWithin = (attemptTimeoutMs: number) =>
    googleCalendar({
      clientId: client.id,
      clientSecret: client.secret,
      outgoing,
      apiUrl: google.url,
      authUrl: `${google.url}/o/oauth2/v2/auth`,
      tokenUrl: `${google.url}/token`,
      revokeUrl: `${google.url}/revoke`,
      clock,
      attemptTimeoutMs,
    });
  const calendar = calendarWithin(15_000);
  let url = '';
  const common = {
    clock,
    log: openLog('silent'),
    cipher: openCipher(parseKeyRing(makeKey())),
    keyedHash: openKeyedHash(parseKeyRing(makeKey())),
    meetingUrl: 'https://meet.example',
    webhookTimeoutMs: 15_000,
    deliveries: { processId: 0, busyEndpoints: () => [], offer: () => {} },
    publicUrl: () => url,
  };
  /** The dependencies of one gateway process. */
  const depsOn = (db: Db, calendars: Calendars) => {
    const parts = { ...common, db, hot: db, calendars };
    return { ...parts, ...openAppointments(parts) };
  };
  const deps = depsOn(database.open({ maxConnections: 20, ...options.database }), {
    google: calendar,
    ...options.calendars,
  });
  const server = openModuleServer('manage');
  appointmentRoutes(server, deps);
  url = await server.listen({ port: 0, host: '127.0.0.1' });

  async function call(
    account: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-account': account,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null };
  }

  /** Creates an account with a webhook endpoint subscribed to all appointment and calendar events. */
  const account = async () => {
    const id = await insertAccount(database.db);
    const events = subscribableKinds.filter((kind) => /^(appointments|calendars)\./.test(kind));
    await insertEndpoint(database.db, id, { events });
    return id;
  };

  async function must(answer: Promise<Answer>) {
    const got = await answer;
    if (got.status !== 200) throw new Error(got.text);
    return got.json.data;
  }

  /** Connects a calendar like a person, through the consent page, which accepts everybody. */
  async function connect(accountId: string, staffId: string): Promise<void> {
    const query = `?appointmentUserId=${staffId}`;
    const { authUrl } = await must(call(accountId, 'GET', `/v1/appointments/ext-calendar/auth-url${query}`));
    const consent = await fetch(authUrl, { redirect: 'manual' });
    const page = await fetch(consent.headers.get('location') ?? '');
    if (page.status !== 200) throw new Error(await page.text());
  }

  /** Creates a staff member with a schedule over the API; by default with a connected calendar whose id is `email`. */
  async function staff(accountId: string, given: StaffOptions = {}) {
    const email = given.email ?? `staff-${randomUUID()}@clinic.example`;
    await control.putAccount({ email, timeZone: 'UTC' });
    const { _id: id } = await must(
      call(accountId, 'POST', '/v1/appointments/users', {
        name: given.name ?? 'Ada Okafor',
        email,
        calendar: given.calendar === 'none' ? 'none' : 'required',
        ...(given.onCalendarMove ? { onCalendarMove: given.onCalendarMove } : {}),
        ...(given.onCalendarDelete ? { onCalendarDelete: given.onCalendarDelete } : {}),
      }),
    );
    const path = `/v1/appointments/users/${id}`;
    await must(call(accountId, 'PUT', `${path}/schedule`, { ...plainSchedule, ...given.schedule }));
    if (given.questions) await must(call(accountId, 'PUT', `${path}/form-questions`, given.questions));
    if ((given.calendar ?? 'google') === 'google') await connect(accountId, id);
    return { id, email };
  }

  const slots = (accountId: string, staffId: string, date: string, more = '') =>
    call(
      accountId,
      'GET',
      `/v1/appointments/available-slots?appointmentUserId=${staffId}&date=${date}${more}`,
    );

  return {
    ...{
      database,
      control,
      clock,
      url,
      deps,
      depsOn,
      calendar,
      calendarWithin,
      account,
      call,
      must,
      connect,
      staff,
      slots,
    },
    /** Local start times of the open slots of a date. */
    open: async (accountId: string, staffId: string, date: string): Promise<string[]> =>
      (await must(slots(accountId, staffId, date))).slots.map(({ from }: { from: string }) => from),
    book: (accountId: string, body: unknown, key: string = randomUUID()) =>
      call(accountId, 'POST', '/v1/appointments/book', body, { 'idempotency-key': key }),
    /** Runs a request whose calendar does not respond: it is retried without delays until its time limit. */
    async withoutDelays<T>(act: () => Promise<T>): Promise<T> {
      clock.skipsDelays = true;
      return act().finally(() => {
        clock.skipsDelays = false;
      });
    },
    /** Start times of a calendar's events, in UTC. */
    startsOf: async (email: string): Promise<string[]> =>
      (await control.liveEvents(email)).map(({ start }) => new Date(start.dateTime ?? '').toISOString()),
    /** Runs the worker's rounds until nothing is left, ignoring leases and delays. */
    async reconcileAll(on: Parameters<typeof reconcileDue>[0] = deps) {
      for (let round = 0; round < 10; round += 1) {
        await sql`update bookings set due_at = now() where due_at is not null`.execute(database.db);
        await sql`update idempotency_keys set leased_until = now() where status is null`.execute(database.db);
        const { rows } = await sql`select 1 from bookings where due_at is not null limit 1`.execute(
          database.db,
        );
        await reconcileDue(on);
        if (rows.length === 0) return;
      }
    },
    /** The webhook events about a staff member, in order of creation. */
    // biome-ignore lint/suspicious/noExplicitAny: the data of any event
    events: async (accountId: string, staffId: string): Promise<{ event: string; data: any }[]> => {
      const { rows } = await sql<{ body: string }>`
        select body from deliveries where account_id = ${accountId} order by id`.execute(database.db);
      const all = rows.map(({ body }) => JSON.parse(body));
      return all.filter(({ data }) => data.appointmentUserId === staffId);
    },
    bookingRows: async (staffId: string): Promise<{ id: string; state: string; event_id: string }[]> =>
      (
        await sql<{ id: string; state: string; event_id: string }>`
          select id, state, event_id from bookings where staff_id = ${staffId} order by id`.execute(
          database.db,
        )
      ).rows,
    occupancies: async (staffId: string): Promise<number> =>
      (await sql`select 1 from occupancies where staff_id = ${staffId}`.execute(database.db)).rows.length,
    async close() {
      await server.close();
      await outgoing.close();
      await google.close();
      await database.drop();
    },
  };
}

export type AppointmentsFixture = Awaited<ReturnType<typeof openAppointmentsFixture>>;

/** The body of a booking request. */
export const bookingOf = (staffId: string, date: string, from: string, to: string, more: object = {}) => ({
  appointmentUserId: staffId,
  date,
  from,
  to,
  staticQuestionAnswers: [],
  email: 'guest@example.com',
  phoneNumber: '15551234567',
  source: 'test',
  ...more,
});
