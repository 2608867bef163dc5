// Books an appointment: checks the request, holds the slot in one short transaction, creates the event.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { normalizedEmail } from '../../base/email.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { phoneDigits } from '../../base/phone.ts';
import { BookBody } from '../../contract/bookings.ts';
import { isUnavailable } from '../../db/failure.ts';
import { fingerprintOf, inProgress } from '../../http/idempotency.ts';
import type { InFlight } from '../../work/in-flight.ts';
import type { Releases } from '../../work/releases.ts';
import type { LiveConnection } from '../calendar/connection.ts';
import { checkConnected, connectionOf, type RequestedDate, requestedDate } from '../slots/available.ts';
import { dayWindow } from '../slots/day-window.ts';
import { dayQuery, type ReadStaffDay, requireActive, type StaffDay } from '../slots/staff-days.ts';
import { dayOfDate, minuteMs } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';
import { requestTimeoutMs } from './booking.ts';
import { chosenEventId } from './booking-calendar.ts';
import { chosenStart, slotTaken, tooManyConcurrentBookings, withReservationErrors } from './chosen-slot.ts';
import { type CreateEventDeps, createEvent } from './create-event.ts';
import { checkAnswers, type StoredAnswer } from './form-answers.ts';
import type { HoldRequest, PreparedHold } from './hold-slot.ts';
import type { NewHold } from './holds-store.ts';
import { type BookingResponse, findStoredResponse, type Key } from './idempotency.ts';
import { bookResponseJson } from './stored-responses.ts';
import { type TracedRequest, traceStep } from './traced-steps.ts';

export type BookDeps = CreateEventDeps & {
  clock: Clock;
  readDay: ReadStaffDay;
  appointmentsInFlight: InFlight;
  keyedHash: KeyedHash;
  /** Base address of meeting rooms for calendars that create no meeting. */
  meetingUrl: string;
  bookingReleases: Pick<Releases, 'release'>;
};

export interface BookInput {
  accountId: string;
  /** The bare UUID of the Idempotency-Key. */
  key: string;
  body: BookBody;
  /** Of the request's span, if traces are on. */
  traced?: TracedRequest | undefined;
}

/** How long a booking waits for other bookings of the same staff member, and how often it retries. */
const lockWaitMs = 10_000;
const lockRetryMs = 10;

/**
 * Books a slot. Repeats with one key get the first response. Throws 400, 404, 409 (`slot_unavailable`,
 * `calendar_not_connected`, `idempotency_in_progress`), 422, 502, and 503 if the outcome is unknown in time.
 */
export function book(deps: BookDeps, input: BookInput): Promise<BookingResponse> {
  return deps.appointmentsInFlight.during(() => bookOnce(deps, input));
}

async function bookOnce(deps: BookDeps, input: BookInput): Promise<BookingResponse> {
  const deadline = deps.clock.steady() + requestTimeoutMs;
  const key = {
    accountId: input.accountId,
    operation: 'book',
    key: input.key,
    ...fingerprintOf(deps.keyedHash, input.body, BookBody),
  };
  const { accountId, body } = input;
  const asked = { accountId, staffId: body.appointmentUserId, date: body.date, timezone: body.timezone };
  const day = dayQuery(asked, { withQuestions: true });
  // both reads run at the same time; the day matters only if the key is new
  const pendingRead = Promise.allSettled([deps.readDay(day)]);
  const earlier = await findStoredResponse(deps, key);
  if (earlier.body !== undefined) return { body: earlier.body, replayed: true };
  const [read] = await pendingRead;
  if (read.status === 'rejected') throw read.reason;
  const held = await hold(deps, input, key, earlier.reconciled ? await deps.readDay(day) : read.value).catch(
    async (error: unknown) => {
      // a concurrent request with the same key may have taken the slot
      if (!(error instanceof AppError) || error.code !== 'slot_unavailable') throw error;
      const stored = await findStoredResponse(deps, key);
      if (stored.body === undefined) throw error;
      return stored.body;
    },
  );
  if (typeof held === 'string') return { body: held, replayed: true };
  const span = {
    bookingId: held.row.id,
    name: 'book',
    kind: 'server',
    isRoot: true,
    request: input.traced,
  } as const;
  const row = await traceStep(deps, span, () =>
    createEvent(deps, held.row, held.connection, held.requested, deadline),
  ).catch((error: unknown) => {
    // the worker, or a repeated request, finds out the outcome
    if (isUnavailable(error)) deps.bookingReleases.release(held.row.id);
    throw error;
  });
  return { body: bookResponseJson(row), replayed: false };
}

interface Held {
  row: BookingRow;
  connection: LiveConnection | undefined;
  requested: RequestedDate;
}

/** Checks the request, then holds the slot. Returns the stored response if a concurrent request with the same key was first. */
async function hold(
  deps: BookDeps,
  input: BookInput,
  key: Key,
  read: StaffDay | undefined,
): Promise<Held | string> {
  const staffDay = requireActive(read);
  const requested = requestedDate(deps, staffDay.staff, input.body, staffDay.terms);
  const answers = answersFor(staffDay, input.body);
  checkConnected(deps, staffDay);
  const start = chosenStart(deps, requested, input.body, staffDay);
  const window = dayWindow(requested.terms, dayOfDate(requested.date) ?? 0, requested.timezone);
  const holdIds: string[] = [];
  // a hold may exist although the commit was not acknowledged
  const releaseAll = () => {
    for (const id of holdIds) deps.bookingReleases.release(id);
  };
  const held = await holdSlot(deps, {
    // the slot was chosen by this schedule, so its window counts even if the schedule changes now
    day: dayQuery({ ...requested, accountId: input.accountId, staffId: requested.staff.id }, { window }),
    requested,
    start,
    key,
    prepare(day) {
      const prepared = prepareHold(deps, input, requested, { start, answers, day });
      holdIds.push(prepared.hold.id);
      return prepared;
    },
  }).catch((error: unknown) => {
    if (isUnavailable(error)) releaseAll();
    throw error;
  });
  if (held) return { ...held, requested };
  releaseAll();
  const stored = await findStoredResponse(deps, key);
  if (stored.body === undefined) throw inProgress();
  return stored.body;
}

function answersFor({ questions }: StaffDay, body: BookBody): StoredAnswer[] {
  const { answers, problems } = checkAnswers(questions, body.staticQuestionAnswers ?? []);
  if (problems.length > 0) throw invalidRequest(problems);
  return answers;
}

function prepareHold(
  deps: BookDeps,
  { accountId, body }: BookInput,
  requested: RequestedDate,
  chosen: { start: number; answers: StoredAnswer[]; day: StaffDay },
): PreparedHold {
  const now = deps.clock.now();
  const id = uuidv7(now);
  const { start, answers, day } = chosen;
  const connection = connectionOf(deps, day);
  const hold: NewHold = {
    id,
    account_id: accountId,
    staff_id: requested.staff.id,
    starts_at: new Date(start),
    ends_at: new Date(start + requested.terms.slotMinutes * minuteMs),
    timezone: requested.timezone,
    email: normalizedEmail(body.email),
    phone_number: phoneDigits(body.phoneNumber),
    name: body.name?.trim() || null,
    source: body.source ?? 'api',
    answers,
    provider: connection?.calendar.provider ?? null,
    calendar_id: connection?.calendarId ?? null,
    calendar_key: connection?.calendarKey ?? null,
    event_id: connection ? chosenEventId(connection.calendar, id) : null,
    // only the name protects the meeting room: 128 random bits, in lower case because servers may ignore case
    fallback_link: `${deps.meetingUrl}/${randomBytes(16).toString('hex')}`,
    created_at: new Date(now),
  };
  return { hold, connection };
}

/** Holds the slot and the key in one transaction; undefined if another request holds the key. 409 if the slot is taken. */
async function holdSlot(deps: BookDeps, request: HoldRequest): Promise<Omit<Held, 'requested'> | undefined> {
  const { requested, start } = request;
  const giveUpAt = deps.clock.steady() + lockWaitMs;
  for (;;) {
    const outcome = await withReservationErrors(deps, requested, start, () =>
      deps.bookings.holdSlot(request),
    );
    switch (outcome.kind) {
      case 'held':
        return outcome;
      case 'duplicate_key':
        return undefined;
      case 'taken':
        throw slotTaken(deps, requested, outcome.taken, start);
      case 'rejected':
        throw outcome.error;
      case 'locked':
        if (deps.clock.steady() >= giveUpAt) throw tooManyConcurrentBookings();
        await deps.clock.sleep(lockRetryMs * (0.5 + Math.random()));
        requireActive(await deps.readDay(request.day));
    }
  }
}
