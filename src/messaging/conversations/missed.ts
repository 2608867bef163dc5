// Conversations that processes of an earlier release changed while they ran beside this one: recorded, so that the worker folds them.
import type { Db } from '../../db/db.ts';
import { wasSeenWithout } from '../../db/programs.ts';
import { recordMissedContacts, recordMissedReplies } from './missed-store.ts';

/** The migration since which programs record the contacts that they change, with the newest reply. */
const recording = '0055_unanswered';
/** Programs are noted every hour, so the last round is at least an hour after the last process of an earlier release. */
const seenHours = 2;

/**
 * Opens the hourly step that records contacts which earlier releases changed. It reads all contacts, but only while such a program
 * has been seen in the last two hours, and in the first step of a process in whose database one has ever been seen.
 * Returns how many it recorded.
 */
export function openRecordMissed({ db }: { db: Db }): () => Promise<number> {
  let hours: number | undefined;
  return async () => {
    const isNeeded = await wasSeenWithout(db, recording, hours);
    const recorded = isNeeded ? (await recordMissedReplies(db)) + (await recordMissedContacts(db)) : 0;
    hours = seenHours;
    return recorded;
  };
}
