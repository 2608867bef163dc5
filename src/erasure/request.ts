// Requests to erase a person: who they are, their open bookings, and the erasure itself, which a worker finishes if the request cannot.
import type { BookingDeps } from '../appointments/booking/booking-calendar.ts';
import { cancelBooking } from '../appointments/booking/cancel.ts';
import { audit } from '../audit/store.ts';
import { counted } from '../base/counted.ts';
import { AppError, invalidRequest } from '../base/errors.ts';
import { uuidv7 } from '../base/ids.ts';
import { phoneProblem } from '../base/phone.ts';
import { bookingState } from '../contract/bookings.ts';
import type { EraseBody, Erasure } from '../contract/erasure.ts';
import { contactsWith } from '../messaging/contacts/find.ts';
import { identitiesOfContact } from '../messaging/contacts/identities-store.ts';
import { namesOf } from '../messaging/contacts/identity.ts';
import { type EraseDeps, type Erased, erase, nothingErased, StillOpen } from './erase.ts';
import { claimJob, delayJob, type ErasureJob, extendJob, finishJob, insertJob } from './jobs-store.ts';
import type { Subject } from './subject.ts';
import { findBookings, type PersonBooking } from './traces-store.ts';

export type ErasureDeps = EraseDeps &
  BookingDeps & {
    sendWaitMs: number;
    /** True once the process stops: another one goes on. */
    isDraining: () => boolean;
  };

const backups = 'Backups that were made before keep the person until they are deleted.';
/** Until the next attempt of an erasure that had to wait, or failed. */
const retrySeconds = 30;

/** The person with every number and id that the platform named together with the given one. */
async function subjectOf(deps: ErasureDeps, accountId: string, body: EraseBody): Promise<Subject> {
  const given = [body.phone, body.userId, body.email].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw invalidRequest([{ path: 'phone', message: 'give exactly one of phone, userId and email' }]);
  if (body.email !== undefined) return { phones: [], userIds: [], emails: [body.email.trim().toLowerCase()] };
  const { phone, userId } = body;
  const problem = phone === undefined ? undefined : phoneProblem(phone);
  if (problem !== undefined) throw invalidRequest([{ path: 'phone', message: problem }]);
  const [contactId] = (await contactsWith(deps.db, accountId, { phone, userId })) ?? [];
  const identities = contactId ? await identitiesOfContact(deps.db, accountId, contactId) : [];
  const { phones, userIds } = namesOf(identities.map(({ identity }) => identity));
  return {
    phones: [...new Set([...phones, ...(phone === undefined ? [] : [phone])])],
    userIds: [...new Set([...userIds, ...(userId === undefined ? [] : [userId])])],
    emails: [],
  };
}

/** 409 `booking_open` for a booking that has not ended, unless they are to be cancelled. */
async function closeBookings(
  deps: ErasureDeps,
  accountId: string,
  bookings: readonly PersonBooking[],
  cancel: boolean,
): Promise<void> {
  const now = deps.clock.now();
  const isAhead = ({ state, endsAt }: PersonBooking) =>
    state === bookingState.confirmed && endsAt.getTime() > now;
  const open = bookings.filter((one) => one.isPending || isAhead(one));
  if (open.length === 0) return;
  if (!cancel)
    throw new AppError(
      'booking_open',
      `The person has ${counted(open.length, 'open booking')}. Cancel them, or repeat the request with "cancelBookings": true.`,
      { extra: { bookingIds: open.map(({ id }) => id) } },
    );
  for (const { id } of open.filter(isAhead)) await cancelBooking(deps, { accountId, bookingId: id });
}

/** Runs an erasure to its end. False if it has to wait for something; it is due again soon. */
async function run(deps: ErasureDeps, job: ErasureJob, subject: Subject, note: (erased: Erased) => void) {
  try {
    const steps = erase(deps, job.accountId, subject);
    for (;;) {
      const { value, done } = await steps.next();
      note(value);
      if (done) break;
      if (deps.isDraining()) throw new StillOpen('This process stops.');
      await extendJob(deps.db, job.id);
    }
    await finishJob(deps.db, job.id);
    deps.log.info({ erasureId: job.id, accountId: job.accountId }, 'erasure.finished');
    return true;
  } catch (error) {
    if (error instanceof StillOpen) deps.log.info({ erasureId: job.id, why: error.message }, 'erasure.waits');
    else deps.log.error({ err: error, erasureId: job.id }, 'erasure.failed');
    await delayJob(deps.db, job.id, deps.isDraining() ? 0 : retrySeconds).catch(() => undefined);
    return false;
  }
}

const location = (id: string) => ({ table: 'erasures', column: 'subject', row: id });

/**
 * Erases a person. Open bookings are a 409, or are cancelled first. Waits as long as a send for the end; what is not done by then, the
 * process goes on with, and any worker after its death. Repeats find nothing left.
 */
export async function erasePerson(deps: ErasureDeps, accountId: string, body: EraseBody): Promise<Erasure> {
  const subject = await subjectOf(deps, accountId, body);
  const { cancelBookings = false } = body;
  const bookings = await findBookings(deps.db, accountId, subject);
  await closeBookings(deps, accountId, bookings, cancelBookings);
  const id = uuidv7(deps.clock.now());
  const job = { id, accountId, subject: deps.cipher.encrypt(JSON.stringify(subject), location(id)) };
  await deps.db.transaction().execute(async (tx) => {
    await insertJob(tx, job);
    await audit(tx, accountId, 'contact.erased', id, { cancelBookings });
  });
  let erased = nothingErased();
  const running = run(deps, job, subject, (now) => {
    erased = now;
  });
  const waited = new AbortController();
  const finished = await Promise.race([
    running,
    deps.clock.sleep(deps.sendWaitMs, waited.signal).then(() => false),
  ]);
  waited.abort();
  return {
    ...{ _id: id, finished, ...erased, backups },
    calendarEvents: bookings.flatMap(({ id: bookingId, state, endsAt, startsAt, eventId, eventLink }) =>
      state === bookingState.confirmed && endsAt.getTime() <= deps.clock.now() && eventId !== null
        ? {
            ...{ bookingId, startsAt: startsAt.toISOString() },
            ...{ calendarEventId: eventId, calendarEventLink: eventLink },
          }
        : [],
    ),
  };
}

/** The worker's round: continues an erasure whose process died, or that had to wait. Returns 1 if there was one. */
export async function continueErasures(deps: ErasureDeps): Promise<number> {
  const job = await claimJob(deps.db);
  if (!job) return 0;
  const subject = JSON.parse(deps.cipher.decrypt(job.subject, location(job.id))) as Subject;
  await run(deps, job, subject, () => undefined);
  return 1;
}
