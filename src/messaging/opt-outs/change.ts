// Changes of opt-outs by the API: for people who are known or not.
import type { Clock } from '../../base/clock.ts';
import type { Db, Tx } from '../../db/db.ts';
import { retryTransient } from '../../db/failure.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import type { PersonFilter } from '../contacts/find.ts';
import { findIdentities } from '../contacts/identities-store.ts';
import { phoneIdentity, userIdentity } from '../contacts/identity.ts';
import { recordPeople } from '../contacts/record-people.ts';
import type { Act } from './opt-out.ts';
import { recordActs } from './record.ts';

export interface ChangeDeps extends PublishDeps {
  db: Db;
  clock: Clock;
}

/** An act about a person whom the caller names: by phone, or by the platform's id. */
export interface PersonAct {
  person: PersonFilter;
  act: Act;
}

/** What became of an act. */
export interface ActResult {
  contactId: string;
  /** True if it changed what the person receives. */
  isChanged: boolean;
}

const attempts = 5;

/** Records acts of one account in one transaction, in order, with their events; returns the result of each. */
export async function changeOptOuts(
  deps: ChangeDeps,
  accountId: string,
  acts: readonly PersonAct[],
): Promise<ActResult[]> {
  const { results, leased } = await retryTransient(
    () =>
      deps.db.transaction().execute(async (tx) => {
        const nowMs = deps.clock.now();
        const contactIds = await contactsOf(tx, accountId, acts, nowMs);
        const recorded = await recordActs(
          tx,
          acts.map(({ act }, index) => ({ accountId, contactId: contactIds[index] as string, act })),
          nowMs,
        );
        const results = contactIds.map((contactId, index) => ({
          contactId,
          isChanged: recorded.changed[index] === true,
        }));
        return { results, leased: await publish(deps, tx, recorded.events) };
      }),
    attempts,
  );
  deps.deliveries.offer(leased);
  return results;
}

const identityOf = ({ phone, userId }: PersonFilter): string =>
  phone === undefined ? userIdentity(userId ?? '') : phoneIdentity(phone);

/** The contact of each person; people who are not known yet become contacts. */
async function contactsOf(
  tx: Tx,
  accountId: string,
  acts: readonly PersonAct[],
  nowMs: number,
): Promise<string[]> {
  const identities = acts.map(({ person }) => identityOf(person));
  const rows = await findIdentities(
    tx,
    [...new Set(identities)].map((identity) => ({ accountId, identity })),
  );
  const known = new Map(rows.map(({ identity, contactId }) => [identity, contactId]));
  const unknown = acts.filter((_act, index) => !known.has(identities[index] as string));
  // the caller's form of a number never replaces the platform's
  const { contactIds } = await recordPeople(
    tx,
    unknown.map(({ person: { phone = null, userId = null } }) => ({
      ...{ accountId, atMs: 0, wroteTo: null },
      person: { phone, userId, name: null, otherPhones: [], otherUserIds: [] },
    })),
    nowMs,
  );
  for (const [index, { person }] of unknown.entries())
    known.set(identityOf(person), contactIds[index] as string);
  return identities.map((identity) => known.get(identity) as string);
}
