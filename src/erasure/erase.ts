// The erasure of a person, in steps that find again what they erase: safe to repeat, and continued by any process after a crash.
import type { Clock } from '../base/clock.ts';
import { nilUuid } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { lowestUuidAt } from '../base/uuid-time.ts';
import type { Db, Tx } from '../db/db.ts';
import { inTransaction } from '../db/transaction.ts';
import { namesOf, phoneIdentity, userIdentity } from '../messaging/contacts/identity.ts';
import { type FailDeps, failAndPublish } from '../messaging/messages/fail.ts';
import { ownErrors, state } from '../messaging/messages/message.ts';
import { type ErasedContacts, type ErasedDeps, eraseContacts } from '../messaging/opt-outs/erased.ts';
import {
  deleteRecipients,
  eraseMessages,
  eraseReceived,
  findMessages,
  findReceived,
  listOpenSends,
} from './messages-store.ts';
import { eraseFromJson, type Subject } from './subject.ts';
import {
  eraseBookings,
  eraseDeliveries,
  findAnswers,
  findBookings,
  findInBodies,
  patternOf,
  replaceAnswer,
} from './traces-store.ts';

export interface EraseDeps extends ErasedDeps, FailDeps {
  db: Db;
  clock: Clock;
  log: Log;
}

/** What was erased by now. */
export interface Erased {
  messages: number;
  received: number;
  recipients: number;
  deliveries: number;
  bookings: number;
}

export const nothingErased = (): Erased => ({
  messages: 0,
  received: 0,
  recipients: 0,
  deliveries: 0,
  bookings: 0,
});

/** Something of the person is under way: the erasure continues when it has ended. */
export class StillOpen extends Error {}

/** Rows of a step, and deliveries that a step reads. */
const perStep = 500;
const readPerStep = 5_000;
/** A call ends within this time. */
const callsEndWithinMs = 40_000;
const checkEveryMs = 200;
/** Twice the limits of a statement and of a pause inside a transaction. */
const transactionsEndWithinMs = 120_000;

/**
 * Erases a person; yields after each step, with what was erased by then. Throws StillOpen while a message is being called or a booking
 * is being changed. The contact goes last: until then, its opt-out forbids every call. Begins again if the contact has got another identity.
 */
export async function* erase(
  deps: EraseDeps,
  accountId: string,
  given: Subject,
): AsyncGenerator<Erased, Erased> {
  const erased = nothingErased();
  let subject = given;
  for (;;) {
    const from = lowestUuidAt(new Date(deps.clock.now() - transactionsEndWithinMs));
    yield* eraseTraces(deps, accountId, subject, erased);
    const { contactIds, others } = await eraseContactsOf(deps, accountId, subject, erased);
    // events of their last changes, which may not have been committed when their bodies were searched
    if (contactIds.length > 0) yield* eraseBodies(deps, accountId, contactIds.join('|'), erased, from);
    if (others.length === 0) return erased;
    subject = withNames(subject, others);
  }
}

/** Erases everything but the contact. */
async function* eraseTraces(
  deps: EraseDeps,
  accountId: string,
  subject: Subject,
  erased: Erased,
): AsyncGenerator<Erased> {
  yield* cancelQueued(deps, accountId, subject, erased);
  yield* eraseSent(deps, accountId, subject, erased);
  for (;;) {
    const step = await inTransaction(deps.db, (tx) => eraseReceivedStep(tx, accountId, peopleOf(subject)));
    if (step.received === 0) break;
    erased.received += step.received;
    erased.deliveries += step.deliveries;
    yield erased;
  }
  yield* eraseAppointments(deps, accountId, subject, erased);
  yield* eraseBodies(deps, accountId, patternOf(subject), erased);
}

const peopleOf = ({ phones, userIds }: Subject): string[] => [
  ...phones.map(phoneIdentity),
  ...userIds.map(userIdentity),
];

function withNames({ phones, userIds, emails }: Subject, identities: readonly string[]): Subject {
  const others = namesOf(identities);
  return { phones: [...phones, ...others.phones], userIds: [...userIds, ...others.userIds], emails };
}

/** Deletes the contacts, with the messages that came since the others were erased. */
async function eraseContactsOf(
  deps: EraseDeps,
  accountId: string,
  subject: Subject,
  erased: Erased,
): Promise<ErasedContacts> {
  const people = peopleOf(subject);
  // somebody known by an e-mail address only has bookings, and no contact
  if (people.length === 0) return { contactIds: [], others: [] };
  let late = { received: 0, deliveries: 0 };
  const eraseLate = async (tx: Tx) => {
    late = { received: 0, deliveries: 0 };
    for (;;) {
      const step = await eraseReceivedStep(tx, accountId, people);
      if (step.received === 0) return;
      late.received += step.received;
      late.deliveries += step.deliveries;
    }
  };
  const contacts = await eraseContacts(deps, { accountId, people, eraseLate });
  erased.received += late.received;
  erased.deliveries += late.deliveries;
  return contacts;
}

/** Erases received messages; returns how many, and how many deliveries of their events. */
async function eraseReceivedStep(tx: Tx, accountId: string, people: readonly string[]) {
  const ids = await findReceived(tx, accountId, people, perStep);
  if (ids.length > 0) await eraseReceived(tx, accountId, ids);
  return { received: ids.length, deliveries: ids.length > 0 ? await eraseDeliveries(tx, ids) : 0 };
}

/** Removes recipients apart from the queue, and cancels queued messages, until there are none; a pause may move them. */
async function* cancelQueued(
  deps: EraseDeps,
  accountId: string,
  subject: Subject,
  erased: Erased,
): AsyncGenerator<Erased> {
  const until = deps.clock.steady() + callsEndWithinMs;
  for (;;) {
    for (const sendId of await listOpenSends(deps.db, accountId)) {
      erased.recipients += await inTransaction(deps.db, (tx) =>
        deleteRecipients(tx, { accountId, sendId }, subject.phones),
      );
      yield erased;
    }
    const open = await findMessages(deps.db, accountId, subject, { isOpen: true, limit: perStep });
    const error = { ...ownErrors.cancelled, message: 'The person was erased.' };
    const queued = open.filter((message) => message.state === state.queued);
    await failAndPublish(
      deps,
      queued.map(({ id }) => ({ accountId, id, error })),
      [state.queued],
    );
    yield erased;
    if (open.length === 0) return;
    if (queued.length > 0) continue;
    if (deps.clock.steady() > until) throw new StillOpen('A message to the person is being sent.');
    await deps.clock.sleep(checkEveryMs);
  }
}

/** Erases messages, a step of them with what refers to them in one transaction. */
async function* eraseSent(
  deps: EraseDeps,
  accountId: string,
  subject: Subject,
  erased: Erased,
): AsyncGenerator<Erased> {
  for (;;) {
    const ended = await findMessages(deps.db, accountId, subject, { isOpen: false, limit: perStep });
    if (ended.length === 0) return;
    const ids = ended.map(({ id }) => id);
    await inTransaction(deps.db, async (tx) => {
      await eraseMessages(tx, accountId, ids);
      erased.deliveries += await eraseDeliveries(tx, ids);
      await eraseAnswers(tx, accountId, subject, [...ids, ...ended.flatMap(({ sendId }) => sendId ?? [])]);
    });
    erased.messages += ids.length;
    yield erased;
  }
}

async function eraseAnswers(
  tx: Tx,
  accountId: string,
  subject: Subject,
  subjectIds: readonly string[],
): Promise<void> {
  for (const { body, ...row } of await findAnswers(tx, accountId, subjectIds))
    await replaceAnswer(tx, accountId, { ...row, body: eraseFromJson(body, subject) });
}

async function* eraseAppointments(
  deps: EraseDeps,
  accountId: string,
  subject: Subject,
  erased: Erased,
): AsyncGenerator<Erased> {
  const bookings = await findBookings(deps.db, accountId, subject);
  if (bookings.some(({ isPending }) => isPending))
    throw new StillOpen('A booking of the person is being changed.');
  const ids = bookings.map(({ id }) => id);
  if (ids.length === 0) return;
  erased.bookings += await inTransaction(deps.db, async (tx) => {
    await eraseAnswers(tx, accountId, subject, ids);
    return eraseBookings(tx, accountId, ids);
  });
  yield erased;
}

/** Searches every stored body from `from`: events of bookings and opt-outs have no key that leads to the person. */
async function* eraseBodies(
  deps: EraseDeps,
  accountId: string,
  pattern: string,
  erased: Erased,
  from = nilUuid,
): AsyncGenerator<Erased> {
  for (let after = from; ; ) {
    const { lastId, subjectIds } = await findInBodies(deps.db, {
      accountId,
      pattern,
      after,
      limit: readPerStep,
    });
    if (lastId === null) return;
    if (subjectIds.length > 0)
      erased.deliveries += await inTransaction(deps.db, (tx) => eraseDeliveries(tx, subjectIds));
    yield erased;
    after = lastId;
  }
}
