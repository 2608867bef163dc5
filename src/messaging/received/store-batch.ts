// Storage of one batch of inbound messages: in one statement, or in a transaction where one of them may change what a person receives.
import type { Db } from '../../db/db.ts';
import {
  type EventToPublish,
  eventBodyOf,
  type PreparedEvents,
  type PublishDeps,
  prepareEvents,
  publish,
} from '../../webhooks/publish.ts';
import { lockPeople } from '../contacts/lock-people.ts';
import { identitiesIn, type PreparedPeople, preparePeople } from '../contacts/record-people.ts';
import {
  type Arrival,
  accountsThatMaySay,
  actsIn,
  changesContacts,
  type Named,
  namedIn,
  recordNamed,
  type Said,
} from './people-in-batch.ts';
import { receivedJson } from './presenter.ts';
import { insertReceived, type NewReceived, type ReceivedKey } from './store.ts';

/** Messages sorted by key, and what else the callbacks say about people. */
export interface ReceivedBatch {
  arrivals: Arrival[];
  notices: Named[];
  nowMs: number;
}

export interface StoredBatch {
  /** The messages that were new. */
  stored: Arrival[];
  /** Who opted out or in by a word or a button. */
  said: Said[];
}

export type StoreBatch = (batch: ReceivedBatch) => Promise<StoredBatch>;

interface Prepared extends ReceivedBatch {
  people: Named[];
  prepared: PreparedPeople;
  /** Accounts whose settings of opt-outs decide what a message says. */
  settingsOf: string[];
  rows: NewReceived[];
  events: PreparedEvents;
}

/**
 * Opens the storage of batches of this process. Resolves after the commit, when the deliveries of the events are offered. Most batches take one
 * statement, which commits itself. It stores no message if one of the accounts has settings of opt-outs, because what a person says must be
 * committed with their message (a repeat of the message says nothing), or if somebody is not a usual person, whose reply window must be there when
 * the message is. Accounts with settings are remembered. A transaction that changes more than windows begins with the locks of all contacts; most
 * messages to accounts with settings say nothing, so theirs tries without.
 */
export function openStoreBatch(deps: PublishDeps & { hot: Db }): StoreBatch {
  const withSettings = new Set<string>();
  return async (batch) => {
    const people = [...batch.arrivals.flatMap(namedIn), ...batch.notices];
    const named = people.map((one) => one.named);
    const settingsOf = accountsThatMaySay(batch.arrivals);
    const prepared = preparePeople(named, batch.nowMs);
    const rows = batch.arrivals.map(({ row }) => row);
    const events = prepareEvents(deps, batch.arrivals.map(eventOf));
    const whole = { ...batch, people, prepared, settingsOf, rows, events };
    let locks = batch.notices.length > 0 || prepared.usual.length < prepared.groups.length;
    if (!locks && !settingsOf.some((id) => withSettings.has(id))) {
      const { stored, hasSettings } = await storeAtOnce(deps, whole);
      if (stored) return stored;
      locks = !hasSettings;
    }
    try {
      return await storeInTransaction(deps, whole, withSettings, locks);
    } catch (error) {
      if (!(error instanceof LocksNeeded)) throw error;
      return storeInTransaction(deps, whole, withSettings, true);
    }
  };
}

/** The transaction would lock contacts after windows, and every other one locks them before: it must begin again. */
class LocksNeeded extends Error {}

/**
 * Stores messages of usual people to accounts without settings of opt-outs. If there are others, stores no message. The usual people are
 * recorded then nevertheless, as the transaction that follows would do.
 */
async function storeAtOnce(
  deps: PublishDeps & { hot: Db },
  { arrivals, prepared, settingsOf, rows, events }: Prepared,
): Promise<{ stored?: StoredBatch; hasSettings: boolean }> {
  const plain = { settingsOf, plainPeople: prepared.groups.length };
  const written = await insertReceived(deps.hot, rows, prepared.usualPeople, plain, events.deliveries);
  const hasSettings = written.settings.size > 0;
  if (!written.isPlain) return { hasSettings };
  deps.deliveries.offer(events.leased(written.started));
  return { stored: { stored: newOf(arrivals, written.inserted), said: [] }, hasSettings };
}

/** Throws LocksNeeded, with nothing stored, if more than windows of people must change and `locks` is false. */
async function storeInTransaction(
  deps: PublishDeps & { hot: Db },
  { arrivals, people, prepared, settingsOf, rows, events, nowMs }: Prepared,
  withSettings: Set<string>,
  locks: boolean,
): Promise<StoredBatch> {
  const done = await deps.hot.transaction().execute(async (tx) => {
    if (locks) await lockPeople(tx, identitiesIn(prepared));
    const all = { settingsOf, plainPeople: null };
    const written = await insertReceived(tx, rows, prepared.usualPeople, all, events.deliveries);
    const { people: usual, settings } = written;
    const stored = newOf(arrivals, written.inserted);
    const named = { people, prepared, usual, fresh: new Set(stored), settings };
    const acts = actsIn(named, nowMs);
    if (!locks && changesContacts(named, acts)) throw new LocksNeeded();
    const optOuts = await recordNamed(tx, named, nowMs, acts);
    const leased = [...events.leased(written.started), ...(await publish(deps, tx, optOuts.events))];
    return { leased, stored, said: optOuts.said, settings };
  });
  for (const id of settingsOf) {
    if (done.settings.has(id)) withSettings.add(id);
    else withSettings.delete(id);
  }
  deps.deliveries.offer(done.leased);
  return { stored: done.stored, said: done.said };
}

const eventOf = ({ row }: Arrival): EventToPublish => ({
  accountId: row.account_id,
  subjectId: row.id,
  stage: 0,
  kind: 'messages.received',
  messageId: row.message_ref,
  body: eventBodyOf('messages.received', row.received_at.getTime(), receivedJson(row, row.contentJson)),
});

/** The messages that were inserted. */
function newOf(arrivals: Arrival[], inserted: ReceivedKey[]): Arrival[] {
  if (inserted.length === arrivals.length) return arrivals;
  const keys = new Set(inserted.map(({ accountId, id }) => `${accountId} ${id}`));
  return arrivals.filter(({ row }) => keys.has(`${row.account_id} ${row.id}`));
}
