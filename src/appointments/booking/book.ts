// Booking an appointment: everything checked, the slot held in one short transaction, then brought into the calendar.
import { randomBytes } from 'node:crypto';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { BookBody } from '../../contract/bookings.ts';
import { retryTransient, violates } from '../../db/failure.ts';
import { insertKey, type KeyOf } from '../../db/idempotency-keys.ts';
import { consultKey, fingerprintOf, inProgress } from '../../http/idempotency.ts';
import { type LiveConnection, openConnection } from '../calendar/connection.ts';
import { staffNotFound } from '../directory/staff.ts';
import { allQuestions } from '../directory/store.ts';
import {
  type AskedDate,
  activeStaff,
  askedDate,
  slotUnavailable,
  takenByBookings,
} from '../slots/available.ts';
import { freeStarts, occupiedRange, slotsAt } from '../slots/engine.ts';
import { dayMs, dayOfDate, minuteMs, minuteOfClock, offsetAt, zoneSpans } from '../slots/wall-time.ts';
import { checkAnswers, type StoredAnswer } from './answers.ts';
import type { BookingRow } from './booking.ts';
import { answerOf, place } from './place.ts';
import { settleLapsed } from './settle.ts';
import { leaseMs, requestMs, type SettleDeps } from './settle-deps.ts';
import { insertHold, isLockTimeout, lockOpenStaff, lockStaffBookings, type NewHold } from './store.ts';

export type BookDeps = SettleDeps & {
  /** Base of the meeting rooms that are taken where the calendar makes no meeting. */
  meetingUrl: string;
};

export interface BookInput {
  accountId: string;
  /** The bare UUID of the Idempotency-Key. */
  key: string;
  body: BookBody;
}

/** The bytes to answer with, and whether they were stored by an earlier request. */
export interface Booked {
  body: string;
  replayed: boolean;
}

/**
 * Books a slot (`api.md` part 6). Repeats of one key answer what the first did. Throws 400, 404, 409
 * (`slot_unavailable`, `calendar_not_connected`, `idempotency_in_progress`), 422, 502 and 503 as written there.
 */
export async function book(deps: BookDeps, input: BookInput): Promise<Booked> {
  const deadline = deps.clock.now() + requestMs;
  const of = {
    accountId: input.accountId,
    operation: 'book',
    key: input.key,
    fingerprint: fingerprintOf(input.body),
  };
  const earlier = await earlierAnswer(deps, of);
  if (earlier !== undefined) return { body: earlier, replayed: true };
  const held = await hold(deps, input, of).catch(async (error: unknown) => {
    // the slot may have been taken by a twin of this very request
    if (!(error instanceof AppError) || error.code !== 'slot_unavailable') throw error;
    const twin = await earlierAnswer(deps, of);
    if (twin === undefined) throw error;
    return twin;
  });
  if (typeof held === 'string') return { body: held, replayed: true };
  return { body: answerOf(await place(deps, held.row, held.asked, deadline)), replayed: false };
}

/** Everything checked in the order of `api.md` part 1, then the slot held; the stored answer if a twin was quicker. */
async function hold(
  deps: BookDeps,
  input: BookInput,
  of: KeyOf & { fingerprint: Buffer },
): Promise<{ row: BookingRow; asked: AskedDate } | string> {
  const staff = await activeStaff(deps.db, input.accountId, input.body.appointmentUserId);
  const asked = askedDate(deps, staff, input.body);
  const answers = await answersFor(deps, staff.id, input.body);
  const connection = staff.calendar === 'none' ? undefined : await openConnection(deps, staff.id);
  const start = await openStart(deps, asked, input.body);
  const row = await holdSlot(deps, asked, newHold(deps, input, asked, { start, answers, connection }), of);
  if (row) return { row, asked };
  const twin = await earlierAnswer(deps, of);
  if (twin === undefined) throw inProgress();
  return twin;
}

/** The stored answer of the key's first request; undefined if there is none and booking may begin. 409 while it is under way. */
async function earlierAnswer(
  deps: BookDeps,
  of: KeyOf & { fingerprint: Buffer },
): Promise<string | undefined> {
  const repeat = await consultKey(deps.db, { ...of, leaseSeconds: leaseMs / 1000 });
  if (repeat.kind === 'first') return undefined;
  if (repeat.kind === 'answered') return repeat.body;
  // whoever did the first died: what it left is settled as the worker would, and never begun a second time
  await settleLapsed(deps, repeat.subjectId);
  const now = await consultKey(deps.db, { ...of, leaseSeconds: leaseMs / 1000 });
  if (now.kind === 'answered') return now.body;
  if (now.kind === 'first') return undefined;
  throw inProgress();
}

async function answersFor(deps: BookDeps, staffId: string, body: BookBody): Promise<StoredAnswer[]> {
  const questions = await allQuestions(deps.db, staffId);
  const { answers, faults } = checkAnswers(questions, body.staticQuestionAnswers ?? []);
  if (faults.length > 0) throw invalidRequest(faults);
  return answers;
}

/** The start of the slot that the caller names by `from` and `to`, as far as the database can tell still open. */
export async function openStart(
  deps: BookDeps,
  asked: AskedDate,
  named: { from: string; to: string },
  except?: string,
): Promise<number> {
  const offered = slotsAt(asked.terms, asked.candidates, asked.timezone);
  const index = offered.findIndex(({ from, to }) => from === named.from && to === named.to);
  const start = asked.candidates[index];
  const taken = await takenByBookings(deps.db, asked, except);
  if (start === undefined) {
    throw slotUnavailable(
      deps,
      asked,
      taken,
      { near: nearInstant(asked, named.from) },
      `${asked.date} ${named.from} to ${named.to} is not a slot on offer. Take one that available-slots answers.`,
    );
  }
  if (freeStarts(asked.terms, [start], taken).length === 0) throw taken409(deps, asked, taken, start);
  return start;
}

function taken409(
  deps: BookDeps,
  asked: AskedDate,
  taken: Parameters<typeof slotUnavailable>[2],
  start: number,
) {
  return slotUnavailable(
    deps,
    asked,
    taken,
    { slot: start },
    'That slot is no longer open. Choose another one.',
  );
}

/** Where a time that is no slot would lie, so that what is offered instead is near it; past a gap that clocks jump over. */
function nearInstant({ date, timezone }: AskedDate, from: string): number | undefined {
  const day = dayOfDate(date);
  if (day === undefined || !/^\d{2}:\d{2}$/.test(from)) return undefined;
  const local = day * dayMs + minuteOfClock(from) * minuteMs;
  const spans = zoneSpans(timezone, local - 2 * dayMs, local + 2 * dayMs);
  return local - offsetAt(spans, local - offsetAt(spans, local));
}

function newHold(
  deps: BookDeps,
  { accountId, body }: BookInput,
  asked: AskedDate,
  chosen: { start: number; answers: StoredAnswer[]; connection: LiveConnection | undefined },
): NewHold {
  const now = deps.clock.now();
  const id = uuidv7(now);
  const { start, answers, connection } = chosen;
  return {
    id,
    account_id: accountId,
    staff_id: asked.staff.id,
    starts_at: new Date(start),
    ends_at: new Date(start + asked.terms.slotMinutes * minuteMs),
    timezone: asked.timezone,
    email: body.email,
    phone_number: body.phoneNumber,
    name: body.name?.trim() || null,
    source: body.source ?? 'api',
    answers,
    provider: connection?.calendar.provider ?? null,
    calendar_id: connection?.calendarId ?? null,
    event_id: connection?.calendar.eventIdFor(id) ?? null,
    // whoever knows a room's name may enter it: 128 random bits, in letters that no room server folds
    fallback_link: `${deps.meetingUrl}/${randomBytes(16).toString('hex')}`,
    created_at: new Date(now),
  };
}

/** Holds the slot and the key in one transaction; undefined if another request holds the key. 409 if the slot is taken. */
async function holdSlot(
  deps: BookDeps,
  asked: AskedDate,
  hold: NewHold,
  of: KeyOf & { fingerprint: Buffer },
): Promise<BookingRow | undefined> {
  const start = hold.starts_at.getTime();
  return reserving(deps, asked, start, () =>
    deps.db.transaction().execute(async (tx) => {
      await lockStaffBookings(tx, hold.staff_id);
      if (!(await lockOpenStaff(tx, hold.account_id, hold.staff_id))) throw staffNotFound();
      const first = await insertKey(tx, { ...of, subjectId: hold.id, leaseSeconds: leaseMs / 1000 });
      if (!first) return undefined;
      const taken = await takenByBookings(tx, asked);
      if (freeStarts(asked.terms, [start], taken).length === 0) throw taken409(deps, asked, taken, start);
      return insertHold(tx, hold, occupiedRange(asked.terms, start), leaseMs);
    }),
  );
}

/** Runs a transaction that occupies time: what loses a race is a 409, what was only in the way is tried again. */
export async function reserving<T>(
  deps: BookDeps,
  asked: AskedDate,
  start: number,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await retryTransient(run);
  } catch (error) {
    if (violates(error, 'occupancies_apart')) {
      throw taken409(deps, asked, await takenByBookings(deps.db, asked), start);
    }
    if (isLockTimeout(error)) {
      throw new AppError(
        'conflict',
        'Too many bookings for this staff member at once. Try again in a moment.',
        {
          retryAfterSeconds: 1,
          cause: error,
        },
      );
    }
    throw error;
  }
}
