// Recording of the people that a batch of reports names: one contact for all identities of a person, and reply windows.
import { newestId, uuidv7 } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { recordChanged } from './changed-contacts-store.ts';
import {
  type ContactKey,
  type ContactNews,
  contactKeyText,
  insertContacts,
  lockContacts,
  openWindows,
  updateContacts,
  type WindowNews,
} from './contacts-store.ts';
import {
  claimIdentities,
  findIdentities,
  type IdentityKey,
  type IdentityRow,
  mergeInto,
  setOptOut,
} from './identities-store.ts';
import { groupPeople, isUserId, type NamedPerson, type PersonGroup } from './identity.ts';
import { lockPeople, mergedConcurrently } from './lock-people.ts';
import { type RecordedPerson, recordUsual, type UsualPerson } from './usual-people-store.ts';

/** Contacts that turned out to be one person. */
export interface Merge {
  accountId: string;
  /** The older contact, which remains. */
  contactId: string;
  others: string[];
}

/** A contact of which a part turned out to be somebody with a stricter opt-out. */
export interface Stricter extends ContactKey {
  /** The weakest opt-out of its parts. */
  previousOptOut: number;
}

export interface RecordedPeople {
  /** The contact of each report, by its position; undefined if the report names nobody. */
  contactIds: (string | undefined)[];
  merges: Merge[];
  /** Publish their changes in the same transaction. */
  stricter: Stricter[];
}

/** The contact of a group, after its identities are claimed. */
interface Resolved {
  group: PersonGroup;
  contactId: string;
  isNew: boolean;
}

/** The people of a batch. */
export interface PreparedPeople {
  groups: PersonGroup[];
  /** Those who wrote to one number, and how `usualPeople` needs them. */
  usual: PersonGroup[];
  usualPeople: UsualPerson[];
  /** How many reports name them. */
  reports: number;
}

/** Prepares the recording of the people that reports name. */
export function preparePeople(reports: readonly NamedPerson[], nowMs: number): PreparedPeople {
  const groups = groupPeople(reports);
  const usual = groups.filter(({ windows }) => windows.size === 1);
  const usualPeople = usual.map((group) => {
    const [[senderId, atMs]] = [...group.windows] as [[string, number]];
    const lastReceivedId = newestId(group.members.map((member) => reports[member]?.receivedId));
    return { ...group, senderId, atMs, lastReceivedId, newContactId: uuidv7(nowMs) };
  });
  return { groups, usual, usualPeople, reports: reports.length };
}

/**
 * Records people in the caller's transaction, and locks the known ones first. Most are known or entirely new, and take one statement together. Throws an error with the code of a serialization failure if another
 * transaction merged one of the contacts, or recorded the same new person: the caller repeats the transaction.
 */
export async function recordPeople(
  tx: Tx,
  reports: readonly NamedPerson[],
  nowMs: number,
): Promise<RecordedPeople> {
  const prepared = preparePeople(reports, nowMs);
  await lockPeople(tx, identitiesIn(prepared));
  const usual = prepared.usual.length > 0 ? await recordUsual(tx, prepared.usualPeople) : [];
  return recordOthers(tx, prepared, usual, nowMs);
}

/** The rest of `recordPeople`, for a caller that has executed the statement of the usual people. If there are others, call `lockPeople` before it. */
export async function recordOthers(
  tx: Tx,
  prepared: PreparedPeople,
  usual: readonly RecordedPerson[],
  nowMs: number,
): Promise<RecordedPeople> {
  const contactIds: (string | undefined)[] = new Array(prepared.reports).fill(undefined);
  const recorded = (group: PersonGroup, contactId: string) => {
    for (const member of group.members) contactIds[member] = contactId;
  };
  const done = new Set<PersonGroup>();
  for (const { no, contactId } of usual) {
    if (contactId === null) throw mergedConcurrently();
    const group = prepared.usual[no - 1] as PersonGroup;
    recorded(group, contactId);
    done.add(group);
  }
  const groups = prepared.groups.filter((group) => !done.has(group));
  if (groups.length === 0) return { contactIds, merges: [], stricter: [] };
  const known = contactsByIdentity(await findIdentities(tx, groups.flatMap(keysOf)));
  const merges: Merge[] = [];
  const stricter: Stricter[] = [];
  const resolved: Resolved[] = [];
  const unresolved: PersonGroup[] = [];
  for (const group of groups) {
    const [contactId, ...others] = new Set(
      group.identities.map((identity) => known(group, identity)?.contactId),
    );
    if (contactId !== undefined && others.length === 0) resolved.push({ group, contactId, isNew: false });
    else unresolved.push(group);
  }
  if (unresolved.length > 0)
    resolved.push(...(await claim(tx, unresolved, known, nowMs, { merges, stricter })));
  // a contact that another person of this batch was found to be
  const remaining = remainingContacts(merges);
  for (const one of resolved) one.contactId = remaining(one.contactId);
  await writeContacts(tx, resolved);
  for (const { group, contactId } of resolved) recorded(group, contactId);
  return {
    contactIds: contactIds.map((id) => (id === undefined ? id : remaining(id))),
    merges,
    stricter: onePerContact(stricter.map((one) => ({ ...one, contactId: remaining(one.contactId) }))),
  };
}

/** One entry per contact, with the weakest previous opt-out. */
function onePerContact(all: readonly Stricter[]): Stricter[] {
  const byContact = new Map<string, Stricter>();
  for (const one of all) {
    const key = contactKeyText(one);
    if (one.previousOptOut < (byContact.get(key)?.previousOptOut ?? Number.POSITIVE_INFINITY))
      byContact.set(key, one);
  }
  return [...byContact.values()];
}

/** The identities of all people of a batch, for `lockPeople`. */
export const identitiesIn = ({ groups }: PreparedPeople): IdentityKey[] => groups.flatMap(keysOf);

const keysOf = ({ accountId, identities }: PersonGroup) =>
  identities.map((identity) => ({ accountId, identity }));

type Known = (group: PersonGroup, identity: string) => IdentityRow | undefined;

function contactsByIdentity(rows: IdentityRow[]): Known {
  const byKey = new Map(rows.map((row) => [`${row.accountId} ${row.identity}`, row]));
  return ({ accountId }, identity) => byKey.get(`${accountId} ${identity}`);
}

/** Returns a function that finds the contact that remains of a merged one. */
export function remainingContacts(merges: readonly Merge[]): (contactId: string) => string {
  return (contactId) => {
    const merge = merges.findLast(({ others }) => others.includes(contactId));
    return merge === undefined ? contactId : merge.contactId;
  };
}

/** Inserts the missing identities of these people, and merges the contacts that they join. Adds to `merges` and `stricter`. */
async function claim(
  tx: Tx,
  groups: PersonGroup[],
  known: Known,
  nowMs: number,
  { merges, stricter }: Pick<RecordedPeople, 'merges' | 'stricter'>,
): Promise<Resolved[]> {
  const proposed = groups.map((group) => {
    const existing = group.identities.flatMap((identity) => known(group, identity)?.contactId ?? []).sort();
    return { group, contactId: existing[0] ?? uuidv7(nowMs), isNew: existing.length === 0 };
  });
  const wanted = proposed.flatMap(({ group, contactId }) =>
    keysOf(group).map((key) => ({ ...key, contactId })),
  );
  // contacts before identities, as everywhere
  const existing = groups.flatMap((group) =>
    group.identities.flatMap((identity) => known(group, identity) ?? []),
  );
  if (existing.length > 0) await lockContacts(tx, existing);
  const rows = await claimIdentities(tx, wanted);
  // of a contact that another transaction has just committed, only the identity is locked
  const own = new Set([...existing, ...wanted].map(contactKeyText));
  if (!rows.every((row) => own.has(contactKeyText(row)))) throw mergedConcurrently();
  const claimed = contactsByIdentity(rows);
  const resolved: Resolved[] = [];
  // an earlier group of the batch may have changed the opt-out of a contact
  const optOuts = new Map<string, number>();
  for (const { group, contactId: own, isNew } of proposed) {
    const rows = group.identities.flatMap((identity) => claimed(group, identity) ?? []);
    const remaining = remainingContacts(merges);
    const ids = [...new Set(rows.map((row) => remaining(row.contactId)))].sort();
    // the older one remains, but never one that has no row yet
    const contactId = ids.find((id) => !isNew || id !== own) ?? own;
    const others = ids.filter((id) => id !== contactId);
    resolved.push({ group, contactId, isNew: isNew && contactId === own });
    const before = rows.map((row) => Math.max(row.optOut, optOuts.get(remaining(row.contactId)) ?? 0));
    const optOut = Math.max(...before);
    if (others.length > 0) {
      const merge = { accountId: group.accountId, contactId, others };
      await mergeInto(tx, merge);
      merges.push(merge);
    }
    if (optOut === 0) continue;
    // what the person decided holds for every identity
    await setOptOut(tx, { accountId: group.accountId, contactId }, optOut);
    optOuts.set(contactId, optOut);
    // templates go to numbers: a new id of a person changes nothing that they receive
    const isNewId = ({ identity, contactId }: IdentityRow) =>
      isUserId(identity) && contactId === own && known(group, identity) === undefined;
    const weaker = before.filter((one, index) => one < optOut && !isNewId(rows[index] as IdentityRow));
    if (weaker.length > 0)
      stricter.push({ accountId: group.accountId, contactId, previousOptOut: Math.min(...weaker) });
  }
  return resolved;
}

async function writeContacts(tx: Tx, resolved: Resolved[]): Promise<void> {
  const newsOf = ({ group, contactId: id }: Resolved): ContactNews => ({ ...group, id });
  const created = resolved.filter(({ isNew }) => isNew).map(newsOf);
  // two groups of a batch may meet in one contact that a concurrent transaction created
  const existing = resolved.filter(({ isNew }) => !isNew).map(newsOf);
  if (created.length > 0) await insertContacts(tx, created);
  if (existing.length > 0) {
    const found = await updateContacts(tx, existing);
    if (found < new Set(existing.map(({ accountId, id }) => `${accountId} ${id}`)).size)
      throw mergedConcurrently();
  }
  const windows = new Map<string, WindowNews>();
  for (const { group, contactId } of resolved) {
    for (const [senderId, atMs] of group.windows) {
      const key = `${group.accountId} ${contactId} ${senderId}`;
      const earlier = windows.get(key);
      if (!earlier || earlier.atMs < atMs)
        windows.set(key, { accountId: group.accountId, contactId, senderId, atMs });
    }
  }
  const inOrder = [...windows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  if (inOrder.length > 0) await openWindows(tx, inOrder);
  await recordChanged(
    tx,
    resolved.map(({ group: { accountId }, contactId }) => ({ accountId, contactId })),
  );
}
