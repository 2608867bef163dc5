// Routes of calendar connections, and the page to which the provider returns the browser.
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { AppointmentParams } from '../../contract/appointments.ts';
import {
  AuthUrlQuery,
  AuthUrlResult,
  CalendarQuery,
  CalendarStatus,
  PutCalendarBody,
} from '../../contract/calendars.ts';
import { success } from '../../contract/envelope.ts';
import { beginFailure, ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import type { EventProblem } from '../../ports/calendar.ts';
import { requireStaff } from '../directory/find-staff.ts';
import { type ConnectDeps, checkConnection, disconnectCalendar, putCalendar } from './connect.ts';
import { connectionProblem, isAlive } from './connection.ts';
import { type ConnectionRow, findConnection } from './connections-store.ts';
import { consentFailure, consentUrl, finishConsent } from './consent.ts';
import { consentPage } from './consent-page.ts';

const problemsShown = 20;

function statusOf(
  deps: ConnectDeps,
  row: ConnectionRow | undefined,
  problems: EventProblem[] | null = null,
): CalendarStatus {
  return {
    connected: row !== undefined && isAlive(deps, row),
    provider: row?.provider ?? null,
    calendarId: row?.calendar_id ?? null,
    busyCalendarIds: row?.busy_calendar_ids ?? [],
    accountEmail: row?.account_email ?? null,
    lastSyncedAt: row?.last_synced_at?.toISOString() ?? null,
    error: row ? connectionProblem(deps, row) : null,
    eventProblems: problems && { count: problems.length, items: problems.slice(0, problemsShown) },
  };
}

/** The operations of ext-calendar, and GET /callbacks/calendar. */
export function calendarRoutes(server: Server, deps: ConnectDeps): void {
  readingRoutes(server, deps);
  managingRoutes(server, deps);
  callbackRoute(server, deps);
}

function readingRoutes(server: Server, deps: ConnectDeps): void {
  server.get(
    '/v1/appointments/ext-calendar/auth-url',
    {
      schema: {
        querystring: AuthUrlQuery,
        response: { 200: success(AuthUrlResult) },
      },
      config: { scope: 'manage' },
    },
    async ({ caller, query }) => {
      const staff = await requireStaff(deps.db, caller.accountId, query.appointmentUserId);
      return ok('Open authUrl as the owner of the calendar.', await consentUrl(deps, staff, query.provider));
    },
  );

  server.get(
    '/v1/appointments/ext-calendar/status',
    {
      schema: {
        querystring: CalendarQuery,
        response: { 200: success(CalendarStatus) },
      },
      config: { scope: 'appointments:read' },
    },
    async ({ caller, query }) => {
      const staff = await requireStaff(deps.db, caller.accountId, query.appointmentUserId);
      const row = await findConnection(deps.db, staff.id);
      const problems = row ? await checkConnection(deps, row, staff) : null;
      const status = statusOf(deps, row && (await findConnection(deps.db, staff.id)), problems);
      return ok(status.connected ? 'The calendar is connected.' : 'The calendar is not connected.', status);
    },
  );
}

function managingRoutes(server: Server, deps: ConnectDeps): void {
  const config = { scope: 'manage' } as const;

  server.put(
    '/v1/appointments/users/:id/ext-calendar',
    {
      schema: {
        params: AppointmentParams,
        body: PutCalendarBody,
        response: { 200: success(CalendarStatus) },
      },
      config,
    },
    async ({ caller, params, body }) => {
      const staff = await requireStaff(deps.db, caller.accountId, params.id);
      await putCalendar(deps, staff, body);
      return ok('The calendar is connected.', statusOf(deps, await findConnection(deps.db, staff.id)));
    },
  );

  server.delete(
    '/v1/appointments/users/:id/ext-calendar',
    {
      schema: {
        params: AppointmentParams,
        response: { 200: success(CalendarStatus) },
      },
      config,
    },
    async ({ caller, params }) => {
      const staff = await requireStaff(deps.db, caller.accountId, params.id);
      await disconnectCalendar(deps, caller.accountId, staff.id);
      return ok('The calendar is not connected.', statusOf(deps, undefined));
    },
  );
}

const sendPage = (reply: FastifyReply, content: Parameters<typeof consentPage>[0]): FastifyReply =>
  reply.type('text/html; charset=utf-8').header('Referrer-Policy', 'no-referrer').send(consentPage(content));

const text = Type.Optional(Type.String({ maxLength: 4096 }));

function callbackRoute(server: Server, deps: ConnectDeps): void {
  server.get(
    '/callbacks/calendar',
    {
      schema: {
        hide: true,
        // the provider adds parameters of its own
        querystring: Type.Object({ state: text, code: text, error: text }, { additionalProperties: true }),
      },
      // also for errors before the handler: a person reads the response
      errorHandler(error, request, reply) {
        beginFailure(error, request, reply);
        return sendPage(reply, { done: false, ...consentFailure(error, reply.statusCode) });
      },
    },
    async (request, reply) => {
      const { state, code, error } = request.query;
      const { staff, connection } = await finishConsent(deps, { state, code, error });
      const account = connection.account_email ?? 'The calendar';
      return sendPage(reply, {
        done: true,
        title: 'Calendar connected',
        text: `${account} is now the calendar of ${staff.name}. You can close this page.`,
      });
    },
  );
}
