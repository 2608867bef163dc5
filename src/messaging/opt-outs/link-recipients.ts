// Links between what callers and the platform call a recipient: the forms of a number, and the platform's id, belong to one contact.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { ReceivedPerson } from '../../ports/platform-received.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import { batch } from '../../work/batch.ts';
import { findIdentities, type IdentityKey } from '../contacts/identities-store.ts';
import { identitiesOf } from '../contacts/identity.ts';
import { lockContactsOf } from '../contacts/lock-people.ts';
import { recordPeople } from '../contacts/record-people.ts';
import { eventsOfStricter } from './record.ts';

/** A recipient whose number the platform writes differently, as in Brazil and Mexico. */
export interface RecipientLink {
  accountId: string;
  /** As the caller gave it, in digits. */
  phone: string;
  /** As the platform names it in callbacks. */
  platformPhone: string;
}

/** A recipient whose number and id the platform named together. */
export interface NamedRecipient {
  accountId: string;
  person: ReceivedPerson;
}

export interface LinkRecipients {
  /** Links two forms of a number, also of somebody who is no contact yet. Never rejects. */
  linkRecipient: (link: RecipientLink) => Promise<void>;
  /** Links a number and an id if one of them is that of a contact: most recipients of a campaign are none. */
  linkNames: (recipient: NamedRecipient) => void;
}

interface LinkDeps extends PublishDeps {
  hot: Db;
  clock: Clock;
  log: Log;
}

/** What a recipient is called. `ifKnown`: nothing is stored of somebody who is no contact. */
interface Link extends NamedRecipient {
  identities: string[];
  ifKnown: boolean;
}

/** Links are not urgent: they wait for others. */
const gapMs = 100;

/**
 * Returns functions that record links in batches. A link that is lost in a crash is made by the next message to that number.
 */
export function openLinkRecipients(deps: LinkDeps): LinkRecipients {
  const batched = batch<Link, undefined>((links) => recordLinks(deps, links), {
    gapMs,
    max: 500,
    key: ({ accountId, identities }) => `${accountId} ${identities[0]}`,
  });
  const add = (link: Link) =>
    batched(link).catch((err) => deps.log.warn({ err, accountId: link.accountId }, 'contact.not_linked'));
  return {
    linkRecipient: ({ accountId, phone, platformPhone }) => {
      const person = {
        phone: platformPhone,
        otherPhones: [phone],
        userId: null,
        otherUserIds: [],
        name: null,
      };
      return add(linkOf({ accountId, person }, false));
    },
    linkNames: openLinkNames(deps, add),
  };
}

/** Collects recipients and looks all of them up at once: every message has one, and few are contacts. */
function openLinkNames(deps: LinkDeps, add: (link: Link) => Promise<void>): LinkRecipients['linkNames'] {
  let waiting: NamedRecipient[] = [];
  const lookUp = async () => {
    const links = waiting.map((recipient) => linkOf(recipient, true));
    waiting = [];
    try {
      for (const link of await unlinked(deps.hot, links)) void add(link);
    } catch (err) {
      deps.log.warn({ err, recipients: links.length }, 'contact.not_linked');
    }
  };
  return (recipient) => {
    if (waiting.push(recipient) === 1) setTimeout(lookUp, gapMs).unref();
  };
}

const linkOf = ({ accountId, person }: NamedRecipient, ifKnown: boolean): Link => ({
  ...{ accountId, person, ifKnown },
  identities: identitiesOf(person),
});

const keysOf = ({ accountId, identities }: Link): IdentityKey[] =>
  identities.map((identity) => ({ accountId, identity }));

/** Those whose names do not all belong to one contact yet. */
async function unlinked(db: Db | Tx, links: readonly Link[]): Promise<Link[]> {
  const rows = await findIdentities(db, links.flatMap(keysOf));
  if (rows.length === 0) return links.filter(({ ifKnown }) => !ifKnown);
  const contactOf = new Map(rows.map((row) => [`${row.accountId} ${row.identity}`, row.contactId]));
  return links.filter(({ accountId, identities, ifKnown }) => {
    const owners = new Set(identities.map((identity) => contactOf.get(`${accountId} ${identity}`)));
    return owners.size > 1 || (!ifKnown && owners.has(undefined));
  });
}

async function recordLinks(deps: LinkDeps, links: Link[]): Promise<undefined[]> {
  const missing = await unlinked(deps.hot, links);
  if (missing.length > 0) {
    const nowMs = deps.clock.now();
    const leased = await deps.hot.transaction().execute(async (tx) => {
      // somebody who was erased in the meantime is not stored again
      await lockContactsOf(tx, missing.flatMap(keysOf));
      const people = (await unlinked(tx, missing)).map(({ accountId, person }) => ({ accountId, person }));
      const { stricter } = await recordPeople(
        tx,
        people.map((one) => ({ ...one, atMs: nowMs, wroteTo: null })),
        nowMs,
      );
      return publish(deps, tx, await eventsOfStricter(tx, stricter, nowMs));
    });
    deps.deliveries.offer(leased);
  }
  return links.map(() => undefined);
}
