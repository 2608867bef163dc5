// Recording of acts: who stops messages, or allows them again, with the event of each change, in the caller's transaction.
import { uuidv7 } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { type EventToPublish, eventBody } from '../../webhooks/publish.ts';
import {
  type ContactKey,
  contactKeyText,
  type LockedContact,
  lockContacts,
} from '../contacts/contacts-store.ts';
import { phonesOf } from '../contacts/identities-store.ts';
import { mergedConcurrently } from '../contacts/lock-people.ts';
import type { Stricter } from '../contacts/record-people.ts';
import { type Act, afterAct, type Scope, scope } from './opt-out.ts';
import { changeData } from './presenter.ts';
import { findOptOuts, type StoredOptOut, writeOptOuts } from './store.ts';

/** An act about a contact. */
export interface ContactAct extends ContactKey {
  act: Act;
}

/** A change of what a person receives. */
interface Change {
  before: { scope: Scope } | undefined;
  after: StoredOptOut;
  /** When it happened. */
  atMs: number;
}

export interface RecordedActs {
  /** For each act, whether it changed what the person receives. */
  changed: boolean[];
  /** For each act, what the person does not receive after it. */
  scopes: Scope[];
  /** Publish them in the same transaction. */
  events: EventToPublish[];
}

/**
 * Records acts, in the order of their arrival. Locks the contacts first: whoever adds an identity to a contact, or merges it, locks
 * it too. Throws a serialization failure if a contact was merged concurrently.
 */
export async function recordActs(tx: Tx, acts: readonly ContactAct[], nowMs: number): Promise<RecordedActs> {
  if (acts.length === 0) return { changed: [], scopes: [], events: [] };
  const keys = [...new Map(acts.map((one) => [contactKeyText(one), one])).values()];
  const contacts = new Map((await lockContacts(tx, keys)).map((one) => [contactKeyText(one), one]));
  if (contacts.size < keys.length) throw mergedConcurrently();
  const states = new Map((await findOptOuts(tx, keys)).map((row) => [contactKeyText(row), row]));
  const touched = new Set<string>();
  const changes: Change[] = [];
  const scopes: Scope[] = [];
  const changed = acts.map(({ accountId, contactId, act }, index) => {
    const key = contactKeyText({ accountId, contactId });
    const before = states.get(key);
    scopes[index] = before?.scope ?? scope.none;
    const state = afterAct(before, act, nowMs);
    if (state === undefined || state === before) return false;
    const isChange = state.scope !== (before?.scope ?? scope.none);
    const isNew = before === undefined || (isChange && before.scope === scope.none);
    const after = { accountId, contactId, ...state, id: isNew ? uuidv7(nowMs) : before.id };
    scopes[index] = after.scope;
    states.set(key, after);
    touched.add(key);
    if (isChange) changes.push({ before, after, atMs: state.actedAtMs });
    return isChange;
  });
  await writeOptOuts(
    tx,
    [...touched].map((key) => states.get(key) as StoredOptOut),
  );
  return { changed, scopes, events: await eventsOf(tx, changes, contacts, nowMs) };
}

/**
 * Returns the events of people who turned out to be somebody who had opted out, to be published in the same transaction. Call it before
 * `recordActs`: it reads what the merge left.
 */
export async function eventsOfStricter(
  tx: Tx,
  stricter: readonly Stricter[],
  nowMs: number,
): Promise<EventToPublish[]> {
  if (stricter.length === 0) return [];
  const contacts = new Map((await lockContacts(tx, stricter)).map((one) => [contactKeyText(one), one]));
  const states = new Map((await findOptOuts(tx, stricter)).map((row) => [contactKeyText(row), row]));
  const changes = stricter.flatMap((one): Change[] => {
    const after = states.get(contactKeyText(one));
    const before = { scope: one.previousOptOut as Scope };
    return after && contacts.has(contactKeyText(one)) ? [{ before, after, atMs: after.actedAtMs }] : [];
  });
  return eventsOf(tx, changes, contacts, nowMs);
}

async function eventsOf(
  tx: Tx,
  changes: readonly Change[],
  contacts: ReadonlyMap<string, LockedContact>,
  nowMs: number,
): Promise<EventToPublish[]> {
  if (changes.length === 0) return [];
  const phones = await phonesOf(
    tx,
    changes.map(({ after }) => after),
  );
  const phonesByContact = Map.groupBy(phones, contactKeyText);
  return changes.map(({ before, after, atMs }) => {
    const kind = after.scope === scope.none ? 'contacts.opted_in' : 'contacts.opted_out';
    const contact = contacts.get(contactKeyText(after)) as LockedContact;
    const data = changeData({
      contact,
      before,
      after,
      atMs,
      phones: (phonesByContact.get(contactKeyText(after)) ?? []).map(({ phone }) => phone),
    });
    return {
      accountId: after.accountId,
      subjectId: uuidv7(nowMs),
      stage: 0,
      kind,
      messageId: null,
      body: eventBody(kind, nowMs, data),
    };
  });
}
