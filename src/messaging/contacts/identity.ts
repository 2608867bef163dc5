// Identities of people: what the platform calls them, and which reports of one batch are about the same person. Pure.
import { compareTexts } from '../../base/compare-texts.ts';
import type { ReceivedPerson } from '../../ports/platform-received.ts';

const userIdPrefix = 'u:';

/** The identity of a phone number, given in digits. */
export const phoneIdentity = (phone: string): string => phone;

/** The identity of the platform's id of a person. */
export const userIdentity = (userId: string): string => `${userIdPrefix}${userId}`;

/** The identity by which a message with these names is found; null if it names nobody. */
export function identityOf(names: { phone: string | null; userId: string | null }): string | null {
  if (names.phone !== null) return phoneIdentity(names.phone);
  return names.userId === null ? null : userIdentity(names.userId);
}

/** True if an identity is the platform's id of a person, not a number. */
export const isUserId = (identity: string): boolean => identity.startsWith(userIdPrefix);

/** The numbers and user ids in a list of identities. */
export function namesOf(identities: readonly string[]): { phones: string[]; userIds: string[] } {
  return {
    phones: identities.filter((one) => !isUserId(one)),
    userIds: identities.filter(isUserId).map((one) => one.slice(userIdPrefix.length)),
  };
}

/** All identities of a person, each once. */
export function identitiesOf({ phone, otherPhones, userId, otherUserIds }: ReceivedPerson): string[] {
  const identities: string[] = [];
  const add = (identity: string) => {
    if (!identities.includes(identity)) identities.push(identity);
  };
  if (phone !== null) add(phoneIdentity(phone));
  for (const other of otherPhones) add(phoneIdentity(other));
  if (userId !== null) add(userIdentity(userId));
  for (const other of otherUserIds) add(userIdentity(other));
  return identities;
}

/** A report that names a person. */
export interface NamedPerson {
  accountId: string;
  person: ReceivedPerson;
  /** The platform's time of the report, in epoch milliseconds. */
  atMs: number;
  /** The number that the person wrote to; null if they wrote nothing. */
  wroteTo: string | null;
  /** The message, if the report comes with one. */
  receivedId?: string;
}

/** Everything that a batch reports about one person of one account. */
export interface PersonGroup {
  accountId: string;
  /** In the order in which rows are locked. */
  identities: string[];
  /** The newest of each. */
  phone: string | null;
  userId: string | null;
  name: string | null;
  /** When the person was last named, and last wrote. */
  namedAtMs: number;
  lastReceivedAtMs: number | null;
  /** The last message to each number, by sender. */
  windows: Map<string, number>;
  /** Positions of its reports in the batch. */
  members: number[];
}

/** Groups reports that share an identity, also through others. The result is in the order of each group's first identity. */
export function groupPeople(reports: readonly NamedPerson[]): PersonGroup[] {
  const byAccount = new Map<string, Map<string, PersonGroup>>();
  const groups = new Set<PersonGroup>();
  for (const [index, report] of reports.entries()) {
    const { accountId } = report;
    let groupOf = byAccount.get(accountId);
    if (groupOf === undefined) {
      groupOf = new Map();
      byAccount.set(accountId, groupOf);
    }
    const identities = identitiesOf(report.person);
    if (identities.length === 0) continue;
    const group = groupWith(accountId, identities, groupOf, groups);
    addReport(group, report, index);
    for (const identity of identities) {
      if (groupOf.has(identity)) continue;
      group.identities.push(identity);
      groupOf.set(identity, group);
    }
  }
  for (const group of groups) group.identities.sort(compareTexts);
  return [...groups].sort(
    (a, b) =>
      compareTexts(a.accountId, b.accountId) || compareTexts(a.identities[0] ?? '', b.identities[0] ?? ''),
  );
}

/** The group with one of these identities, joined with all others that have one; a new one if there is none. */
function groupWith(
  accountId: string,
  identities: readonly string[],
  groupOf: Map<string, PersonGroup>,
  groups: Set<PersonGroup>,
): PersonGroup {
  let group: PersonGroup | undefined;
  for (const identity of identities) {
    const known = groupOf.get(identity);
    if (group === undefined) group = known;
    else if (known !== undefined && known !== group) {
      for (const joined of join(group, known)) groupOf.set(joined, group);
      groups.delete(known);
    }
  }
  if (group !== undefined) return group;
  const added = newGroup(accountId);
  groups.add(added);
  return added;
}

const newGroup = (accountId: string): PersonGroup => ({
  ...{ accountId, identities: [], phone: null, userId: null, name: null },
  ...{ namedAtMs: Number.NEGATIVE_INFINITY, lastReceivedAtMs: null, windows: new Map(), members: [] },
});

/** Adds another group, and returns its identities. */
function join(group: PersonGroup, other: PersonGroup): string[] {
  takeNames(group, other, other.namedAtMs);
  for (const [sender, atMs] of other.windows) wrote(group, sender, atMs);
  group.identities.push(...other.identities);
  group.members.push(...other.members);
  return other.identities;
}

function addReport(group: PersonGroup, { person, atMs, wroteTo }: NamedPerson, index: number): void {
  takeNames(group, person, atMs);
  if (wroteTo !== null) wrote(group, wroteTo, atMs);
  group.members.push(index);
}

type Names = Pick<PersonGroup, 'phone' | 'userId' | 'name'>;

/** Newer names replace older ones; a missing name replaces none. */
function takeNames(group: PersonGroup, names: Names, atMs: number): void {
  const isNewer = atMs >= group.namedAtMs;
  const pick = (own: string | null, other: string | null) => (isNewer ? (other ?? own) : (own ?? other));
  group.phone = pick(group.phone, names.phone);
  group.userId = pick(group.userId, names.userId);
  group.name = pick(group.name, names.name);
  group.namedAtMs = Math.max(group.namedAtMs, atMs);
}

function wrote(group: PersonGroup, sender: string, atMs: number): void {
  group.lastReceivedAtMs = Math.max(group.lastReceivedAtMs ?? atMs, atMs);
  group.windows.set(sender, Math.max(group.windows.get(sender) ?? atMs, atMs));
}
