// The people of a batch of callbacks: whom its messages and notices name, and what they say about opt-outs.
import type { Tx } from '../../db/db.ts';
import type { IdentityReport, PreferenceReport, ReceivedMessage } from '../../ports/platform-received.ts';
import type { EventToPublish } from '../../webhooks/publish.ts';
import type { NamedPerson } from '../contacts/identity.ts';
import { type PreparedPeople, recordOthers } from '../contacts/record-people.ts';
import type { RecordedPerson } from '../contacts/usual-people-store.ts';
import { type Act, scope } from '../opt-outs/opt-out.ts';
import { eventsOfStricter, recordActs } from '../opt-outs/record.ts';
import { maySay, type OptOutSettings, wordsOf } from '../opt-outs/words.ts';
import { actOfMessage, actOfPreference } from './opt-out-acts.ts';
import type { NewReceived } from './store.ts';

/** A sender of an account that has the number that was written to. */
export interface Addressee {
  accountId: string;
  senderId: string;
}

/** What one callback reports, each with the accounts that it concerns. */
export interface ReceivedCallback {
  messages: { message: ReceivedMessage; to: Addressee[] }[];
  identities: { report: IdentityReport; accountIds: string[] }[];
  preferences: { report: PreferenceReport; accountIds: string[] }[];
}

/** A callback with its place in the order of arrival. */
export type ArrivedCallback = ReceivedCallback & { no: number };

/** A row to insert and the report that it comes from. */
export interface Arrival {
  row: NewReceived;
  message: ReceivedMessage;
  callback: number;
  rank: Rank;
  /** The number that our message went to which this one answers: the person's, in the caller's form. */
  answered?: string | null;
}

/** A place in the order of arrival: of the callback, and within it. */
type Rank = readonly [callback: number, within: number];
const byRank = (a: { rank: Rank }, b: { rank: Rank }) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1];

/** A report about a person: a message, or a notice and what it says about their opt-out. */
export interface Named {
  named: NamedPerson;
  arrival?: Arrival;
  act?: Act | undefined;
  rank: Rank;
}

/** The accounts whose settings the messages may need. */
export const accountsThatMaySay = (arrivals: readonly Arrival[]): string[] => [
  ...new Set(arrivals.filter(({ message }) => maySay(message)).map(({ row }) => row.account_id)),
];

/** The person of a message. */
export function namedIn(arrival: Arrival): Named[] {
  const { row, message, rank, answered } = arrival;
  const { person, isFromPerson } = message;
  if (person === null) return [];
  const isOther = isFromPerson && answered && answered !== person.phone;
  const named = {
    accountId: row.account_id,
    person: isOther ? { ...person, otherPhones: [...person.otherPhones, answered] } : person,
    // a time ahead of ours must not hold a window open
    atMs: Math.min((row.sent_at ?? row.received_at).getTime(), row.received_at.getTime()),
    wroteTo: isFromPerson ? row.sender_id : null,
    receivedId: row.id,
  };
  return [{ named, rank, arrival }];
}

/** The people of a callback's notices: their new ids, and their choices. */
export function noticesIn({ identities, preferences, no }: ArrivedCallback, nowMs: number): Named[] {
  const namedBy = (person: NamedPerson['person'], accountId: string) => ({
    ...{ accountId, person, atMs: nowMs, wroteTo: null },
  });
  return [
    ...identities.flatMap(({ report, accountIds }) =>
      accountIds.map((id) => ({ named: namedBy(report.person, id), rank: [no, 0] as const })),
    ),
    ...preferences.flatMap(({ report, accountIds }, within) =>
      accountIds.map((id) => ({
        named: namedBy(report.person, id),
        act: actOfPreference(report, nowMs),
        rank: [no, within] as const,
      })),
    ),
  ];
}

/** A person who opted out or in by a word or a button, for an automatic answer. */
export interface Said {
  accountId: string;
  contactId: string;
  /** The number that they wrote to. */
  senderId: string;
  to: { phone: string } | { userId: string };
  word: 'stop' | 'start';
  /** The place of their callback in the order of arrival. */
  no: number;
}

/** The people of a batch, and those who are recorded already. */
export interface NamedBatch {
  people: Named[];
  prepared: PreparedPeople;
  usual: readonly RecordedPerson[];
  /** The messages that are new: a repeat says nothing about opt-outs. */
  fresh: ReadonlySet<Arrival>;
  settings: ReadonlyMap<string, OptOutSettings>;
}

/** What people said, with the position of each report. */
export function actsIn({ people, fresh, settings }: NamedBatch, nowMs: number) {
  const words = new Map([...settings].map(([accountId, one]) => [accountId, wordsOf(one)]));
  return people.flatMap(({ named, arrival, act: noticed, rank }, index) => {
    const said = arrival && fresh.has(arrival);
    const act = said ? actOfMessage(arrival.message, words.get(named.accountId), nowMs) : noticed;
    return act ? [{ act, rank, named, index }] : [];
  });
}

/** True if recording this changes more than the windows of people: their contacts must be locked before. */
export const changesContacts = ({ usual, prepared }: NamedBatch, acts: ReturnType<typeof actsIn>): boolean =>
  usual.length < prepared.groups.length || acts.length > 0;

/** Records people and what they said, in the order in which it arrived; publish the events of the changes. */
export async function recordNamed(
  tx: Tx,
  batch: NamedBatch,
  nowMs: number,
  saidActs = actsIn(batch, nowMs),
): Promise<{ events: EventToPublish[]; said: Said[] }> {
  const { contactIds, stricter } = await recordOthers(tx, batch.prepared, batch.usual, nowMs);
  const merged = await eventsOfStricter(tx, stricter, nowMs);
  const acts = saidActs.flatMap(({ index, ...one }) => {
    const contactId = contactIds[index];
    return contactId === undefined ? [] : [{ ...one, accountId: one.named.accountId, contactId }];
  });
  acts.sort(byRank);
  const { events, changed, scopes } = await recordActs(tx, acts, nowMs);
  const said = acts.flatMap(({ named, contactId, act, rank: [no] }, index): Said[] => {
    const word = act.scope === scope.none ? 'start' : 'stop';
    // a stop word is confirmed also to people who had opted out before
    const isHeard = word === 'stop' ? scopes[index] !== scope.none : changed[index];
    const to = recipientOf(named.person);
    if (!isHeard || named.wroteTo === null || to === undefined) return [];
    return [{ accountId: named.accountId, contactId, senderId: named.wroteTo, to, word, no }];
  });
  return { events: [...merged, ...events], said };
}

function recipientOf({ phone, userId }: NamedPerson['person']): Said['to'] | undefined {
  if (phone !== null) return { phone };
  return userId === null ? undefined : { userId };
}
