// Changes of opt-outs by the API: for people who are known or not.
import type { Clock } from '../../base/clock.ts';
import type { Db, Tx } from '../../db/db.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ReceivedPerson } from '../../ports/platform-received.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import type { PersonFilter } from '../contacts/find.ts';
import { findIdentities } from '../contacts/identities-store.ts';
import { identitiesOf } from '../contacts/identity.ts';
import { lockContactsOf } from '../contacts/lock-people.ts';
import { recordPeople, remainingContacts, type Stricter } from '../contacts/record-people.ts';
import type { Act } from './opt-out.ts';
import { eventsOfStricter, type RecordedActs, recordActs } from './record.ts';
import { findOptOut, type ListedOptOut } from './store.ts';

export interface ChangeDeps extends PublishDeps {
  db: Db;
  clock: Clock;
}

/** An act about a person whom the caller names: by phone, or by the platform's id. */
export interface PersonAct {
  accountId: string;
  person: PersonFilter & { otherPhones?: readonly string[] };
  act: Act;
}

/** What became of an act. */
export interface ActResult {
  contactId: string;
  /** True if it changed what the person receives. */
  isChanged: boolean;
}

const attempts = 5;

/** Records acts in one transaction, in order, with their events; returns the result of each. */
export const changeOptOuts = (deps: ChangeDeps, acts: readonly PersonAct[]): Promise<ActResult[]> =>
  changeAndRead(deps, acts, async (_tx, results) => results);

/**
 * Records an act and returns the person's opt-out as the act left it, whatever other requests do afterwards; undefined if the person
 * receives everything, because a newer decision counts.
 */
export const changeOptOut = (deps: ChangeDeps, act: PersonAct): Promise<ListedOptOut | undefined> =>
  changeAndRead(deps, [act], (tx, [result]) =>
    findOptOut(tx, act.accountId, (result as ActResult).contactId),
  );

/** Records acts, and reads in the same transaction, while their contacts are locked. */
async function changeAndRead<T>(
  deps: ChangeDeps,
  acts: readonly PersonAct[],
  read: (tx: Tx, results: ActResult[]) => Promise<T>,
): Promise<T> {
  const { found, leased } = await inTransaction(
    deps.db,
    async (tx) => {
      const nowMs = deps.clock.now();
      const { contactIds, changed, events } = await recordPersonActs(tx, acts, nowMs);
      const results = contactIds.map((contactId, index) => ({
        contactId,
        isChanged: changed[index] === true,
      }));
      const leased = await publish(deps, tx, events);
      return { found: await read(tx, results), leased };
    },
    attempts,
  );
  deps.deliveries.offer(leased);
  return found;
}

/** The person as the recording of people takes them. */
const reported = ({ phone, userId, otherPhones = [] }: PersonAct['person']): ReceivedPerson => ({
  phone: phone ?? null,
  userId: userId ?? null,
  name: null,
  otherPhones: [...otherPhones],
  otherUserIds: [],
});

/** Records acts about people in the caller's transaction, in order. Publish the events in the same transaction. */
export async function recordPersonActs(
  tx: Tx,
  acts: readonly PersonAct[],
  nowMs: number,
): Promise<RecordedActs & { contactIds: string[] }> {
  if (acts.length === 0) return { contactIds: [], changed: [], scopes: [], events: [] };
  const { contactIds, stricter } = await contactsOf(tx, acts, nowMs);
  const merged = await eventsOfStricter(tx, stricter, nowMs);
  const recorded = await recordActs(
    tx,
    acts.map(({ accountId, act }, index) => ({ accountId, contactId: contactIds[index] as string, act })),
    nowMs,
  );
  return { ...recorded, events: [...merged, ...recorded.events], contactIds };
}

/** The contact of each person. People who are not known yet become contacts, and names that an act gives together become one. */
async function contactsOf(
  tx: Tx,
  acts: readonly PersonAct[],
  nowMs: number,
): Promise<{ contactIds: string[]; stricter: Stricter[] }> {
  const textOf = (accountId: string, identity: string) => `${accountId} ${identity}`;
  const named = acts.map(({ accountId, person }) => {
    const report = reported(person);
    return { accountId, person: report, identities: identitiesOf(report) };
  });
  const keys = new Map(
    named.flatMap(({ accountId, identities }) =>
      identities.map((identity) => [textOf(accountId, identity), { accountId, identity }]),
    ),
  );
  await lockContactsOf(tx, [...keys.values()]);
  const rows = await findIdentities(tx, [...keys.values()]);
  const known = new Map(rows.map((row) => [textOf(row.accountId, row.identity), row.contactId]));
  const contactIds = named.map(({ accountId, identities }) => {
    const own = new Set(identities.map((identity) => known.get(textOf(accountId, identity))));
    return own.size === 1 ? [...own][0] : undefined;
  });
  const unknown = named.flatMap((one, index) => (contactIds[index] === undefined ? [{ ...one, index }] : []));
  // the caller's form of a number never replaces the platform's
  const recorded = await recordPeople(
    tx,
    unknown.map(({ accountId, person }) => ({ accountId, person, atMs: 0, wroteTo: null })),
    nowMs,
  );
  for (const [at, { index }] of unknown.entries()) contactIds[index] = recorded.contactIds[at];
  const remaining = remainingContacts(recorded.merges);
  return {
    contactIds: contactIds.map((contactId) => remaining(contactId as string)),
    stricter: recorded.stricter,
  };
}
