// Links between the numbers that callers give and the platform's own form of them: both belong to one contact.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import { batch } from '../../work/batch.ts';
import { findIdentities } from '../contacts/identities-store.ts';
import { phoneIdentity } from '../contacts/identity.ts';
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

interface LinkDeps extends PublishDeps {
  hot: Db;
  clock: Clock;
}

/** Links are not urgent: they wait for others. */
const gapMs = 100;

/**
 * Returns a function that records links in batches and never rejects. A link that is lost in a crash is made by the next
 * message to that number.
 */
export function openLinkRecipients(deps: LinkDeps & { log: Log }): (link: RecipientLink) => Promise<void> {
  const add = batch<RecipientLink, undefined>((links) => recordLinks(deps, links), {
    gapMs,
    max: 500,
    key: ({ accountId, phone }) => `${accountId} ${phone}`,
  });
  return async (link) => {
    try {
      await add(link);
    } catch (error) {
      deps.log.warn({ err: error, accountId: link.accountId }, 'contact.not_linked');
    }
  };
}

async function recordLinks(deps: LinkDeps, links: RecipientLink[]): Promise<undefined[]> {
  const keys = links.flatMap(({ accountId, phone, platformPhone }) =>
    [phone, platformPhone].map((one) => ({ accountId, identity: phoneIdentity(one) })),
  );
  const rows = await findIdentities(deps.hot, keys);
  const contactOf = new Map(rows.map((row) => [`${row.accountId} ${row.identity}`, row.contactId]));
  const missing = links.filter(({ accountId, phone, platformPhone }) => {
    const [own, platforms] = [phone, platformPhone].map((one) => contactOf.get(`${accountId} ${one}`));
    return own === undefined || own !== platforms;
  });
  if (missing.length > 0) {
    const nowMs = deps.clock.now();
    const people = missing.map(({ accountId, phone, platformPhone }) => ({
      ...{ accountId, atMs: nowMs, wroteTo: null },
      person: { phone: platformPhone, userId: null, name: null, otherPhones: [phone], otherUserIds: [] },
    }));
    const leased = await deps.hot.transaction().execute(async (tx) => {
      const { stricter } = await recordPeople(tx, people, nowMs);
      return publish(deps, tx, await eventsOfStricter(tx, stricter, nowMs));
    });
    deps.deliveries.offer(leased);
  }
  return links.map(() => undefined);
}
