// Routes of bookings: book, list, cancel, reschedule.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../base/errors.ts';
import { parseTraceparent } from '../../base/trace-ids.ts';
import { AppointmentParams } from '../../contract/appointments.ts';
import { ListBookingsQuery, ListedBooking } from '../../contract/booking-lists.ts';
import { BookBody, BookingItem, BookResult, CancelBody, RescheduleBody } from '../../contract/bookings.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { fingerprintOf, sendReplay } from '../../http/idempotency.ts';
import { ok, sendBody } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { idInBody } from '../../http/request-line.ts';
import { requireStaff } from '../directory/find-staff.ts';
import { type BookDeps, book } from './book.ts';
import type { BookingRow } from './booking.ts';
import { requireBooking } from './booking-to-change.ts';
import { cancelBooking } from './cancel.ts';
import { type BookingResponse, type Key, respondOnce } from './idempotency.ts';
import { pageOfBookings, showBooking } from './list.ts';
import { rescheduleBooking } from './reschedule.ts';
import { type ChangeOperation, changeResponseJson } from './stored-responses.ts';
import { type TracedRequest, traceStep } from './traced-steps.ts';

const manage = { scope: 'appointments:manage' } as const;
const pageLimit = 20;

/** POST /v1/appointments/book, and /v1/appointments/bookings with its changes. */
export function bookingRoutes(server: Server, deps: BookDeps): void {
  bookRoute(server, deps);
  readingRoutes(server, deps);
  changingRoutes(server, deps);
}

function bookRoute(server: Server, deps: BookDeps): void {
  server.post(
    '/v1/appointments/book',
    {
      schema: {
        body: BookBody,
        response: { 200: success(BookResult) },
      },
      config: { scope: 'appointments:book', idempotency: 'required', subject: 'bookingId' },
    },
    async (request, reply) => {
      const { caller, idempotencyKey, body } = request;
      if (idempotencyKey === undefined) throw new AppError('idempotency_key_missing', 'The key is missing.');
      const { accountId } = caller;
      const traced = tracedRequest(deps, request, reply);
      const booked = await book(deps, { accountId, key: idempotencyKey, body, traced });
      request.subjectId = idInBody(booked.body, 'bookingId');
      return send(reply, booked);
    },
  );
}

/** What the span of this request needs; undefined if traces are off. */
function tracedRequest(
  { tracing }: BookDeps,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { elapsedTime }: Pick<FastifyReply, 'elapsedTime'>,
): TracedRequest | undefined {
  return tracing && { startMs: Date.now() - elapsedTime, caller: parseTraceparent(headers.traceparent) };
}

/** Sends the stored bytes, so that repeated requests get exactly the same response. */
function send(reply: FastifyReply, { body, replayed }: BookingResponse): FastifyReply {
  if (replayed) return sendReplay(reply, { status: 200, body });
  return sendBody(reply, body);
}

function readingRoutes(server: Server, deps: BookDeps): void {
  server.get(
    '/v1/appointments/bookings',
    {
      schema: {
        querystring: ListBookingsQuery,
        response: { 200: success(cursorPage(ListedBooking)) },
      },
      config: manage,
    },
    async ({ caller, query }) => {
      const { appointmentUserId, status, from, to, email, phoneNumber } = query;
      if (appointmentUserId !== undefined) await requireStaff(deps.db, caller.accountId, appointmentUserId);
      const { limit = pageLimit, cursor, sort, calendarState } = query;
      const filter = {
        staffId: appointmentUserId,
        state: status,
        calendarState,
        from: from === undefined ? undefined : new Date(from),
        to: to === undefined ? undefined : new Date(to),
        email,
        phoneDigits: phoneNumber?.replace(/\D/g, ''),
      };
      const page = await pageOfBookings(deps.db, caller.accountId, filter, { limit, cursor, sort });
      return ok('Bookings listed.', page);
    },
  );

  server.get(
    '/v1/appointments/bookings/:id',
    {
      schema: {
        params: AppointmentParams,
        response: { 200: success(ListedBooking) },
      },
      config: manage,
    },
    async ({ caller, params }) => {
      const row = await requireBooking(deps, caller.accountId, params.id);
      return ok('Booking read.', await showBooking(deps.db, row));
    },
  );
}

function changingRoutes(server: Server, deps: BookDeps): void {
  server.post(
    '/v1/appointments/bookings/:id/cancel',
    {
      schema: {
        params: AppointmentParams,
        body: CancelBody,
        response: { 200: success(BookingItem) },
      },
      config: { ...manage, idempotency: 'optional' },
    },
    async (request, reply) => {
      const { body, params } = request;
      return respondToChange(deps, request, reply, { operation: 'cancel', id: params.id, body }, (of) =>
        cancelBooking(deps, { ...of, reason: body.reason }),
      );
    },
  );

  server.post(
    '/v1/appointments/bookings/:id/reschedule',
    {
      schema: {
        params: AppointmentParams,
        body: RescheduleBody,
        response: { 200: success(BookingItem) },
      },
      config: { ...manage, idempotency: 'optional' },
    },
    async (request, reply) => {
      const { body, params } = request;
      return respondToChange(deps, request, reply, { operation: 'reschedule', id: params.id, body }, (of) =>
        rescheduleBooking(deps, { ...of, ...body }),
      );
    },
  );
}

/** Changes a booking in the trace of its request, once per idempotency key. */
async function respondToChange(
  deps: BookDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, id, body }: { operation: ChangeOperation; id: string; body: unknown },
  change: (of: { accountId: string; bookingId: string; key: Key | undefined }) => Promise<BookingRow>,
) {
  const { accountId } = request.caller;
  const key = keyOf(deps, accountId, request.idempotencyKey, operation, { id, body });
  const traced = tracedRequest(deps, request, reply);
  const span = { bookingId: id, name: operation, kind: 'server', request: traced } as const;
  const changed = () => traceStep(deps, span, () => change({ accountId, bookingId: id, key }));
  return send(reply, await respondOnce(deps, key, id, changed, (row) => changeResponseJson(operation, row)));
}

/** The key of a change. The fingerprint covers the booking id, so that a key is valid for one booking. */
function keyOf(
  { keyedHash }: Pick<BookDeps, 'keyedHash'>,
  accountId: string,
  key: string | undefined,
  operation: ChangeOperation,
  of: { id: string; body: unknown },
): Key | undefined {
  if (key === undefined) return undefined;
  const schema = { properties: { body: operation === 'cancel' ? CancelBody : RescheduleBody } };
  return {
    accountId,
    operation,
    key,
    ...fingerprintOf(keyedHash, { ...of, id: of.id.toLowerCase() }, schema),
  };
}
