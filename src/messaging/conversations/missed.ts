// Conversations that processes of an earlier release changed while they ran beside this one: recorded, so that the worker folds them.
import { nilUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { wasSeenWithout } from '../../db/programs.ts';
import type { ContactKey } from '../contacts/contacts-store.ts';
import {
  readContacts,
  readListed,
  recordMerged,
  recordMissedContacts,
  recordMissedReplies,
} from './missed-store.ts';

/** The migration since which programs record the contacts that they change, with the newest reply. */
const recording = '0055_unanswered';
/** Programs are noted every hour, so the last round is at least an hour after the last process of an earlier release. */
const seenHours = 2;
/** Contacts of one statement. */
const contactsPerStep = 5_000;

/** Reads all keys in portions, and records those of each that `record` finds. Returns how many. */
async function inPortions(
  read: (after: ContactKey) => Promise<ContactKey[]>,
  record: (keys: ContactKey[]) => Promise<number>,
): Promise<number> {
  let recorded = 0;
  for (let after: ContactKey | undefined = { accountId: nilUuid, contactId: nilUuid }; after; ) {
    const keys: ContactKey[] = await read(after);
    if (keys.length > 0) recorded += await record(keys);
    after = keys.at(-1);
  }
  return recorded;
}

/** Records all contacts that are not where they belong. Safe to repeat. */
async function recordAll(db: Db): Promise<number> {
  const contacts = await inPortions(
    (after) => readContacts(db, after, contactsPerStep),
    async (keys) => (await recordMissedReplies(db, keys)) + (await recordMissedContacts(db, keys)),
  );
  const merged = await inPortions(
    (after) => readListed(db, after, contactsPerStep),
    (keys) => recordMerged(db, keys),
  );
  return contacts + merged;
}

/**
 * Opens the hourly step that records contacts which earlier releases changed. It reads all contacts, but only while such a program
 * has been seen in the last two hours, and in the first step of a process in whose database one has ever been seen.
 * Returns how many it recorded.
 */
export function openRecordMissed({ db }: { db: Db }): () => Promise<number> {
  let hours: number | undefined;
  return async () => {
    const isNeeded = await wasSeenWithout(db, recording, hours);
    const recorded = isNeeded ? await recordAll(db) : 0;
    hours = seenHours;
    return recorded;
  };
}
