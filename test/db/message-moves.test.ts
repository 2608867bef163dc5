// State changes of messages: status reports compared with a simple model, dispatches and retries.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import {
  foldReports,
  newStages,
  overtakenFailure,
  state,
  stateName,
} from '../../src/messaging/messages/message.ts';
import {
  applyMoves,
  failMessages,
  recordAccepted,
  recordRetry,
  revertDispatch,
} from '../../src/messaging/messages/moves-store.ts';
import type { StatusReport } from '../../src/ports/platform.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { beginNow } from '../harness/dispatch.ts';
import { insertSend } from '../harness/insert-send.ts';
import { fc } from '../harness/property.ts';
import { insertAccount, insertSender, insertTemplate } from '../harness/rows.ts';
import { messagesTo } from '../harness/sends-in-database.ts';

type Status = StatusReport['status'];
const accountId = uuidv7();
const senderId = uuidv7();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await insertAccount(database.db, accountId);
  await insertSender(database.db, accountId, { id: senderId });
});
afterAll(() => database.drop());

async function queued(count: number): Promise<string[]> {
  const send = {
    accountId,
    id: uuidv7(),
    senderId,
    templateId: await insertTemplate(database.db, accountId),
    templateName: 't',
    language: 'en',
    total: count,
  };
  const messages = messagesTo(count, { dispatchMode: 'leased' });
  await database.hot
    .transaction()
    .execute((tx) => insertSend(tx, send, messages, { priority: 1, expiresInSeconds: 600, processId: 0 }));
  return messages.map(({ id }) => id);
}

const report = (status: Status, timestamp: number): StatusReport => ({
  phoneNumberId: '1',
  messageRef: 'wamid.A',
  correlationId: null,
  status,
  timestamp,
  priceCategory: null,
  billable: null,
  error: status === 'failed' ? { code: 131026, title: 'f', message: 'f' } : null,
});

/** Applies one batch per message and returns the events that each message emitted. */
async function apply(batches: Map<string, Status[]>, timestamp: number): Promise<Map<string, string[]>> {
  const movesOf = (fold: typeof foldReports | typeof overtakenFailure) =>
    [...batches]
      .filter(([, batch]) => batch.length > 0)
      .map(([id, batch]) =>
        fold(
          accountId,
          id,
          batch.map((status) => report(status, timestamp)),
        ),
      )
      .filter((move) => move !== null)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  const moved = await database.hot
    .transaction()
    .execute(async (tx) => [
      ...(await applyMoves(tx, movesOf(overtakenFailure))),
      ...(await applyMoves(tx, movesOf(foldReports))),
    ]);
  const emitted = new Map<string, string[]>();
  for (const row of moved) {
    const names = newStages({
      was: row.was,
      emitted: row.emitted,
      sentAt: row.sent_at,
      deliveredAt: row.delivered_at,
      readAt: row.read_at,
      failedAt: row.failed_at,
    }).map(({ name }) => name);
    emitted.set(row.id, [...(emitted.get(row.id) ?? []), ...names]);
  }
  return emitted;
}

async function rowOf(id: string) {
  const { rows } = await sql<{
    state: number;
    error: { code: number } | null;
    due_at: Date | null;
    implied: number;
  }>`
    select state, error, due_at, implied from messages where id = ${id}`.execute(database.db);
  const [row] = rows;
  if (!row) throw new Error('The message does not exist.');
  return row;
}

const ladder = ['sent', 'delivered', 'read'] as const;

/** The model: the events to emit for these batches, and the message's state after them. */
function model(batches: Status[][]): { emitted: string[]; name: string } {
  const emitted: string[] = [];
  const has = (stage: string) => emitted.includes(stage);
  let failed = false;
  for (const batch of batches) {
    const highest = batch.includes('read') ? 2 : batch.includes('delivered') ? 1 : -1;
    const reached = has('read') ? 2 : has('delivered') ? 1 : -1;
    if (highest > reached) {
      // at the same time as the delivery: emitted as if it had come first
      if (batch.includes('failed') && reached < 0 && !failed) {
        if (batch.includes('sent') && !has('sent')) emitted.push('sent');
        emitted.push('failed');
      }
      emitted.push(...ladder.slice(0, highest + 1).filter((stage) => !has(stage)));
      failed = false;
    } else if (highest < 0 && reached < 0 && !failed) {
      if (batch.includes('sent') && !has('sent')) emitted.push('sent');
      if (batch.includes('failed')) {
        emitted.push('failed');
        failed = true;
      }
    }
  }
  const furthest = has('read') ? 'read' : has('delivered') ? 'delivered' : undefined;
  return { emitted, name: furthest ?? (failed ? 'failed' : (emitted.at(-1) ?? 'queued')) };
}

describe('reports in any order and any batches', () => {
  it('emit exactly the model’s events and end in its state', async () => {
    const status = fc.constantFrom<Status>('sent', 'delivered', 'read', 'failed');
    const life = fc.array(fc.array(status, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
    const lives = fc.sample(life, 400);
    const ids = await queued(lives.length);
    const emitted = new Map(ids.map((id) => [id, [] as string[]]));
    for (let round = 0; round < 6; round++) {
      const batches = new Map(ids.map((id, index) => [id, lives[index]?.[round] ?? []]));
      for (const [id, stages] of await apply(batches, 1_000 + round)) emitted.get(id)?.push(...stages);
    }
    for (const [index, id] of ids.entries()) {
      const expected = model(lives[index] ?? []);
      const row = await rowOf(id);
      expect({ emitted: emitted.get(id), name: stateName(row.state) }, JSON.stringify(lives[index])).toEqual(
        expected,
      );
      expect(row.error === null).toBe(row.state !== state.failed);
      if (row.state > 0) expect(row.due_at).toBeNull();
    }
  });
});

describe('a failure', () => {
  it('of unknown outcome yields to any later report', async () => {
    const ids = await queued(4);
    const error = { code: 900001, title: 'outcome_unknown', message: 'x' };
    await database.hot.transaction().execute((tx) =>
      failMessages(
        tx,
        ids.map((id) => ({ accountId, id, error })),
        [state.queued],
      ),
    );
    const words: Status[] = ['sent', 'delivered', 'read', 'failed'];
    const emitted = await apply(new Map(ids.map((id, index) => [id, [words[index] as Status]])), 2_000);
    expect(ids.map((id) => emitted.get(id))).toEqual([
      ['sent'],
      ['sent', 'delivered'],
      ['sent', 'delivered', 'read'],
      [],
    ]);
    expect((await rowOf(ids[3] as string)).error?.code).toBe(131026);
    expect((await rowOf(ids[0] as string)).error).toBeNull();
  });

  it('that is final does not yield to a late sent report', async () => {
    const [id = ''] = await queued(1);
    await apply(new Map([[id, ['failed']]]), 1_000);
    expect(await apply(new Map([[id, ['sent']]]), 2_000)).toEqual(new Map());
    expect(stateName((await rowOf(id)).state)).toBe('failed');
  });
});

describe('an acceptance', () => {
  it('does not move a message back that was reported in the meantime', async () => {
    const [id = ''] = await queued(1);
    await apply(new Map([[id, ['delivered']]]), 1_000);
    await recordAccepted(database.hot, [{ accountId, id, messageRef: 'wamid.B' }]);
    expect(stateName((await rowOf(id)).state)).toBe('delivered');
  });
});

describe('beginning a dispatch', () => {
  const keyOf = (id: string) => ({ accountId, id });
  const attemptsOf = async (id: string) => {
    const { rows } = await sql<{ state: number; attempts: number; lease: string }>`
      select state, attempts, due_at::text lease from messages where id = ${id}`.execute(database.db);
    return rows[0] as { state: number; attempts: number; lease: string };
  };
  /** Leases a message to another process, as a claim does. */
  const claimAnew = async (id: string) => {
    await sql`update messages set due_at = now() + interval '60 seconds' where id = ${id}`.execute(
      database.db,
    );
    return (await attemptsOf(id)).lease;
  };

  it('succeeds once: a message that is dispatching, accepted or failed is never called again', async () => {
    const ids = await queued(5);
    const [calling = '', taken = '', failed = '', delivered = '', expired = ''] = ids;
    const begin = () => beginNow(database, ids.map(keyOf));
    await sql`update messages set expires_at = now() where id = ${expired}`.execute(database.db);
    expect(await begin()).toEqual([true, true, true, true, false]);
    await recordAccepted(database.hot, [{ accountId, id: taken, messageRef: 'wamid.T' }]);
    await apply(
      new Map<string, Status[]>([
        [failed, ['failed']],
        [delivered, ['delivered']],
      ]),
      1_000,
    );
    expect(await begin()).toEqual([false, false, false, false, false]);
    expect(await attemptsOf(calling)).toMatchObject({ state: state.dispatching, attempts: 1 });
  });

  it('succeeds for one of many concurrent callers', async () => {
    const ids = await queued(20);
    const marks = await Promise.all(Array.from({ length: 8 }, () => beginNow(database, ids.map(keyOf))));
    for (const index of ids.keys()) expect(marks.filter((marked) => marked[index])).toHaveLength(1);
  });

  it('is reverted when its response was lost, but never under another lease', async () => {
    const [id = ''] = await queued(1);
    const { lease } = await attemptsOf(id);
    const lost = { accountId, id, lease };
    await beginNow(database, [keyOf(id)]);
    await revertDispatch(database.hot, [lost]);
    expect((await attemptsOf(id)).state).toBe(state.queued);
    await claimAnew(id);
    expect(await beginNow(database, [keyOf(id)])).toEqual([true]);
    await revertDispatch(database.hot, [lost]);
    expect((await attemptsOf(id)).state).toBe(state.dispatching);
  });

  it('is ended by a rejection of its own call only, also when that is recorded twice', async () => {
    const [id = ''] = await queued(1);
    const { lease } = await attemptsOf(id);
    const rejected = { accountId, id, lease, delaySeconds: 5, error: null, countsAttempt: true };
    await beginNow(database, [keyOf(id)]);
    await recordRetry(database.hot, [rejected]);
    await recordRetry(database.hot, [rejected]);
    expect(await attemptsOf(id)).toMatchObject({ state: state.queued, attempts: 1 });
    await claimAnew(id);
    await beginNow(database, [keyOf(id)]);
    await recordRetry(database.hot, [rejected]);
    expect(await attemptsOf(id)).toMatchObject({ state: state.dispatching, attempts: 2 });
  });

  it('is not required to delay a message that cannot be called yet', async () => {
    const [id = '', other = ''] = await queued(2);
    const { lease } = await attemptsOf(id);
    const late = { accountId, delaySeconds: 5, error: null, countsAttempt: true };
    await recordRetry(database.hot, [
      { ...late, id, lease },
      { ...late, id: other, lease: '2020-01-01' },
    ]);
    const soon = Date.now() + 10_000;
    expect((await attemptsOf(id)).attempts).toBe(1);
    expect(new Date((await attemptsOf(id)).lease).getTime()).toBeLessThan(soon);
    expect(await attemptsOf(other)).toMatchObject({ attempts: 0, lease });
  });
});
