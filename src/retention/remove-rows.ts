// Removes single rows of an account that have ended, in steps: of accounts that keep less than others, and of months that are not over.

import { compareTexts } from '../base/compare-texts.ts';
import { nilUuid } from '../base/ids.ts';
import type { Db, Tx } from '../db/db.ts';
import { removeUnused } from '../messaging/media/remove-unused.ts';
import type { Cutoffs } from './cutoffs.ts';
import {
  deleteAttempts,
  deleteAudit,
  deleteBookings,
  deleteDeliveries,
  deleteMessages,
  deleteReceived,
  deleteReplays,
  deleteSends,
  readAttempted,
  readDeliveries,
  readMessages,
  readReceived,
  readSends,
  type Step,
  type Walked,
} from './rows-store.ts';

/** What is removed, in the words of logs and metrics. */
const removedKinds = [
  'messages',
  'received',
  'deliveries',
  'bookings',
  'audit',
  'sends',
  'replays',
  'media',
] as const;
export type RemovedKind = (typeof removedKinds)[number];

/** How many rows of a kind a step removed. */
export interface RowsRemoved {
  kind: RemovedKind;
  rows: number;
}

/** Rows that a statement reads or removes at most: some ten milliseconds. */
const rowsPerStep = 1_000;

/** Reads the rows of an account in the order of their ids, and removes the expired ones of each step in one transaction. */
async function* walk<Row extends Walked>(
  db: Db,
  { kind, ...of }: { kind: RemovedKind; accountId: string; before: Date },
  read: (db: Db, step: Step) => Promise<Row[]>,
  remove: (tx: Tx, rows: Row[]) => Promise<number>,
): AsyncGenerator<RowsRemoved> {
  for (let after = nilUuid; ; ) {
    const rows = await read(db, { ...of, after, limit: rowsPerStep });
    const expired = rows.filter((row) => row.expired);
    const removed = expired.length === 0 ? 0 : await db.transaction().execute((tx) => remove(tx, expired));
    yield { kind, rows: removed };
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerStep) return;
    after = last.id;
  }
}

/** Repeats a statement that removes the oldest rows until it finds fewer than it may. */
async function* repeat(
  kind: RemovedKind,
  of: { accountId: string; before: Date },
  remove: (step: Step) => Promise<number>,
): AsyncGenerator<RowsRemoved> {
  for (let rows = rowsPerStep; rows === rowsPerStep; ) {
    rows = await remove({ ...of, after: nilUuid, limit: rowsPerStep });
    yield { kind, rows };
  }
}

/** Removes what an account no longer keeps. Deliveries go before the messages from which their bodies are made. */
export async function* removeRows(db: Db, accountId: string, cutoffs: Cutoffs): AsyncGenerator<RowsRemoved> {
  const { messages, received, deliveries, bookings, audit } = cutoffs;
  if (deliveries !== null) {
    const of = { accountId, before: deliveries };
    yield* walk(db, { kind: 'deliveries', ...of }, readDeliveries, (tx, rows) =>
      deleteDeliveries(
        tx,
        rows.sort(
          (a, b) =>
            compareTexts(a.subjectId, b.subjectId) ||
            compareTexts(a.endpointId, b.endpointId) ||
            a.stage - b.stage,
        ),
        deliveries,
      ),
    );
    yield* repeat('replays', of, (step) => deleteReplays(db, step));
  }
  if (messages !== null) {
    const of = { accountId, before: messages };
    yield* walk(db, { kind: 'messages', ...of }, readMessages, (tx, rows) =>
      deleteMessages(
        tx,
        accountId,
        rows.map(({ id }) => id),
        messages,
      ),
    );
    yield* walk(db, { kind: 'sends', ...of }, readSends, (tx, rows) =>
      deleteSends(
        tx,
        accountId,
        rows.map(({ id }) => id),
      ),
    );
    yield* removeMedia(db, accountId, messages);
  }
  if (received !== null)
    yield* walk(db, { kind: 'received', accountId, before: received }, readReceived, (tx, rows) =>
      deleteReceived(
        tx,
        accountId,
        rows.map(({ id }) => id),
        received,
      ),
    );
  if (bookings !== null)
    yield* repeat('bookings', { accountId, before: bookings }, (step) => deleteBookings(db, step));
  if (audit !== null) yield* repeat('audit', { accountId, before: audit }, (step) => deleteAudit(db, step));
}

async function* removeMedia(db: Db, accountId: string, before: Date): AsyncGenerator<RowsRemoved> {
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    const { last, removed }: { last: string | undefined; removed: number } = await removeUnused(db, {
      ...{ accountId, before, after },
      limit: rowsPerStep,
    });
    yield { kind: 'media', rows: removed };
    after = last;
  }
}

/**
 * Removes attempts whose delivery went with its partition while they were in another one. Yields how many deliveries had any. All
 * deliveries that began before `before` are examined.
 */
export async function* removeLostAttempts(db: Db, before: Date): AsyncGenerator<number> {
  for (let after = nilUuid; ; ) {
    const rows = await readAttempted(db, { before, after, limit: rowsPerStep });
    const lost = rows.filter(({ isKept }) => !isKept);
    await deleteAttempts(db, lost);
    yield lost.length;
    const last = rows.at(-1);
    if (!last) return;
    after = last.subjectId;
  }
}
