// The appointments routes on a real port, with a real database and the simulated Google; a header names the account.
import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import { sql } from 'kysely';
import { googleControl } from '../../sandbox/google/control-client.ts';
import { startGoogle } from '../../sandbox/google/server.ts';
import { googleCalendar } from '../../src/adapters/google/calendar.ts';
import { reconcileDue } from '../../src/appointments/booking/reconcile.ts';
import type { Calendars } from '../../src/appointments/calendar/connection.ts';
import { openAppointments } from '../../src/appointments/open-appointments.ts';
import { appointmentRoutes } from '../../src/appointments/routes.ts';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import type { Clock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openKeyedHash } from '../../src/base/keyed-hash.ts';
import { openLog } from '../../src/base/log.ts';
import { openOutgoing } from '../../src/base/outgoing.ts';
import { subscribableKinds } from '../../src/contract/webhooks.ts';
import type { Db, DbOptions } from '../../src/db/db.ts';
import { idempotencyKeyOf } from '../../src/http/idempotency.ts';
import { sendFailure } from '../../src/http/reply.ts';
import type { Server } from '../../src/http/request.ts';
import { requestValidator } from '../../src/http/validation.ts';
import { createTestDatabase } from './database.ts';

/**
 * A clock on which everything takes a fraction of its time, so that waits of seconds are milliseconds. While it `hurries`,
 * whoever sleeps wakes at once, so much later.
 */
function quickClock(speed: number): Clock & { aheadMs: number; hurries: boolean } {
  const begun = Date.now();
  const clock = {
    aheadMs: 0,
    hurries: false,
    now: () => begun + (Date.now() - begun) * speed + clock.aheadMs,
    steady: () => clock.now(),
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (clock.hurries) clock.aheadMs += ms;
        const timer = setTimeout(resolve, clock.hurries ? 0 : ms / speed);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
  return clock;
}

const client = { id: 'gateway.apps.example', secret: 'GOCSPX-sandbox' };

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into any answer
  json: any;
}

export interface StaffOptions {
  name?: string;
  schedule?: Record<string, unknown>;
  questions?: Record<string, unknown>[];
  calendar?: 'google' | 'none' | 'unconnected';
  onCalendarMove?: 'follow' | 'keep';
  onCalendarDelete?: 'cancel' | 'keep';
  /** The account whose calendar is connected; default: one of their own. */
  email?: string;
}

/** A Monday about two weeks ahead, in no zone's clock change, as `YYYY-MM-DD`. */
export function comingMonday(weeks = 2): string {
  const today = Temporal.Now.plainDateISO('UTC');
  return today.add({ days: 8 - today.dayOfWeek + 7 * (weeks - 1) }).toString();
}

const everyDay = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** The schedule of staff unless a test says otherwise: 09:00 to 12:00 UTC every day, half an hour each. */
export const plainSchedule = {
  timezone: 'UTC',
  slotMinutes: 30,
  weekly: everyDay.map((weekday) => ({ weekday, from: '09:00', to: '12:00' })),
};

/** Opens everything; `close` ends it. `speed`: how many times as fast the gateway's clock runs, by which its time limits shrink. */
export async function openAppointmentsFixture(
  options: {
    attemptTimeoutMs?: number;
    speed?: number;
    database?: Partial<DbOptions>;
    /** Calendar adapters beside Google. */
    calendars?: Calendars;
  } = {},
) {
  const database = await createTestDatabase();
  const google = await startGoogle({ clients: [client] });
  const control = googleControl(google.url);
  const clock = quickClock(options.speed ?? 20);
  const outgoing = openOutgoing({ connectionsPerOrigin: 64, keepAliveMs: 1_000 });
  const calendar = googleCalendar({
    clientId: client.id,
    clientSecret: client.secret,
    outgoing,
    apiUrl: google.url,
    authUrl: `${google.url}/o/oauth2/v2/auth`,
    tokenUrl: `${google.url}/token`,
    revokeUrl: `${google.url}/revoke`,
    clock,
    attemptTimeoutMs: options.attemptTimeoutMs ?? 5_000,
  });
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
  /** What one process of the gateway works with. */
  const depsOn = (db: Db, calendars: Calendars) => {
    const parts = { ...common, db, hot: db, calendars };
    return { ...parts, ...openAppointments(parts) };
  };
  const deps = depsOn(database.open({ maxConnections: 20, ...options.database }), {
    google: calendar,
    ...options.calendars,
  });
  const { server, listen } = openServer();
  appointmentRoutes(server, deps);
  url = await listen();

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

  /** An account with a webhook endpoint that asks for everything about appointments. */
  const account = async () => {
    const id = uuidv7();
    await sql`insert into accounts (id, name) values (${id}, 'clinic')`.execute(database.db);
    const kinds = subscribableKinds.filter((kind) => /^(appointments|calendars)\./.test(kind));
    await sql`insert into endpoints (id, account_id, url, events, secret)
      values (${uuidv7()}, ${id}, 'https://receiver.example/', ${kinds}::text[], '')`.execute(database.db);
    return id;
  };

  async function must(answer: Promise<Answer>) {
    const got = await answer;
    if (got.status !== 200) throw new Error(got.text);
    return got.json.data;
  }

  /** Connects a calendar as a person does: by the consent page, which lets everybody pass. */
  async function connect(accountId: string, staffId: string): Promise<void> {
    const query = `?appointmentUserId=${staffId}`;
    const { authUrl } = await must(call(accountId, 'GET', `/v1/appointments/ext-calendar/auth-url${query}`));
    const consent = await fetch(authUrl, { redirect: 'manual' });
    const page = await fetch(consent.headers.get('location') ?? '');
    if (page.status !== 200) throw new Error(await page.text());
  }

  /** A staff member with a schedule, made by the routes; by default with a connected calendar whose id is `email`. */
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
    ...{ database, control, clock, url, deps, depsOn, calendar, account, call, must, connect, staff, slots },
    /** Local starts of the open slots of a date. */
    open: async (accountId: string, staffId: string, date: string): Promise<string[]> =>
      (await must(slots(accountId, staffId, date))).slots.map(({ from }: { from: string }) => from),
    book: (accountId: string, body: unknown, key: string = randomUUID()) =>
      call(accountId, 'POST', '/v1/appointments/book', body, { 'idempotency-key': key }),
    /** A request whose calendar does not answer: it is tried again and again without waiting, until its time is over. */
    async hurried<T>(act: () => Promise<T>): Promise<T> {
      clock.hurries = true;
      return act().finally(() => {
        clock.hurries = false;
      });
    },
    /** When the events of a calendar start, in UTC. */
    startsOf: async (email: string): Promise<string[]> =>
      (await control.liveEvents(email)).map(({ start }) => new Date(start.dateTime ?? '').toISOString()),
    /** Whatever the worker would do by and by, now: rounds until nothing is left, leases and waits cut short. */
    async settleAll(on: Parameters<typeof reconcileDue>[0] = deps) {
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
    /** The events about a staff member that receivers of the account get, in the order of their making. */
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into any event
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

/** A server that takes the account from a header and else checks requests as the gateway's own does. */
function openServer() {
  const server: Server = fastify({ forceCloseConnections: true }).withTypeProvider<TypeBoxTypeProvider>();
  server.setValidatorCompiler(requestValidator());
  server.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  server.decorateRequest('caller');
  server.decorateRequest('idempotencyKey');
  server.addHook('onRequest', async (request) => {
    const accountId = String(request.headers['x-account']);
    request.caller = { accountId, keyId: accountId, scopes: new Set(['manage']) };
  });
  server.addHook('preValidation', async (request) => {
    const { idempotency } = request.routeOptions.config;
    if (idempotency)
      request.idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'], idempotency);
    if (request.body === undefined && request.routeOptions.schema?.body) request.body = {};
  });
  return { server, listen: () => server.listen({ port: 0, host: '127.0.0.1' }) };
}

/** A booking's body for a staff member. */
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
