// Storage of one batch of inbound messages: in one statement, or in a transaction where one of them may change what a person receives.
import type { Db } from '../../db/db.ts';
import {
  type EventToPublish,
  eventBodyOf,
  type PublishDeps,
  prepareEvents,
  publish,
} from '../../webhooks/publish.ts';
import { type PreparedPeople, preparePeople } from '../contacts/record-people.ts';
import {
  type Arrival,
  accountsThatMaySay,
  type Named,
  namedIn,
  recordNamed,
  type Said,
} from './people-in-batch.ts';
import { receivedJson } from './presenter.ts';
import { insertReceived, type ReceivedKey } from './store.ts';

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
}

/**
 * Opens the storage of batches of this process. Resolves after the commit, when the deliveries of the events are offered. Most batches take one
 * statement, which commits itself: it stores nothing if one of the accounts has settings of opt-outs, because what a person says must be committed with
 * their message: a repeat of the message says nothing. These accounts are remembered.
 */
export function openStoreBatch(deps: PublishDeps & { hot: Db }): StoreBatch {
  const withSettings = new Set<string>();
  return async (batch) => {
    const people = [...batch.arrivals.flatMap(namedIn), ...batch.notices];
    const named = people.map((one) => one.named);
    const settingsOf = accountsThatMaySay(batch.arrivals);
    const whole = { ...batch, people, settingsOf, prepared: preparePeople(named, batch.nowMs) };
    const isPlain = batch.notices.length === 0 && !settingsOf.some((id) => withSettings.has(id));
    const stored = isPlain ? await storeAtOnce(deps, whole) : undefined;
    return stored ?? storeInTransaction(deps, whole, withSettings);
  };
}

/** Stores messages of accounts without settings of opt-outs; undefined, with nothing stored, if one of them has some. */
async function storeAtOnce(
  deps: PublishDeps & { hot: Db },
  batch: Prepared,
): Promise<StoredBatch | undefined> {
  const { arrivals, people, prepared, settingsOf, nowMs } = batch;
  const events = prepareEvents(deps, arrivals.map(eventOf));
  const rows = arrivals.map(({ row }) => row);
  const plain = { settingsOf, onlyWithoutSettings: true };
  const written = await insertReceived(deps.hot, rows, prepared.usualPeople, plain, events.deliveries);
  if (written.settings.size > 0) return undefined;
  deps.deliveries.offer(events.leased(written.started));
  const { people: usual } = written;
  // a crash before this leaves the callback without a response: the platform repeats it, and the person is recorded then
  if (usual.length < prepared.groups.length || usual.some(({ contactId }) => contactId === null)) {
    const others = { people, prepared, usual, fresh: new Set<Arrival>(), settings: new Map() };
    const leased = await deps.hot.transaction().execute(async (tx) => {
      const { events: changes } = await recordNamed(tx, others, nowMs);
      return publish(deps, tx, changes);
    });
    deps.deliveries.offer(leased);
  }
  return { stored: newOf(arrivals, written.inserted), said: [] };
}

async function storeInTransaction(
  deps: PublishDeps & { hot: Db },
  { arrivals, people, prepared, settingsOf, nowMs }: Prepared,
  withSettings: Set<string>,
): Promise<StoredBatch> {
  const done = await deps.hot.transaction().execute(async (tx) => {
    const rows = arrivals.map(({ row }) => row);
    const events = prepareEvents(deps, arrivals.map(eventOf));
    const all = { settingsOf, onlyWithoutSettings: false };
    const written = await insertReceived(tx, rows, prepared.usualPeople, all, events.deliveries);
    const { people: usual, settings } = written;
    const stored = newOf(arrivals, written.inserted);
    const named = { people, prepared, usual, fresh: new Set(stored), settings };
    const optOuts = await recordNamed(tx, named, nowMs);
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
  body: eventBodyOf('messages.received', row.received_at.getTime(), receivedJson(row)),
});

/** The messages that were inserted. */
function newOf(arrivals: Arrival[], inserted: ReceivedKey[]): Arrival[] {
  if (inserted.length === arrivals.length) return arrivals;
  const keys = new Set(inserted.map(({ accountId, id }) => `${accountId} ${id}`));
  return arrivals.filter(({ row }) => keys.has(`${row.account_id} ${row.id}`));
}
