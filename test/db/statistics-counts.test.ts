// Counts of messages and deliveries compared with their rows, and the folding of changes into counts.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { foldReports, ownErrors, state } from '../../src/messaging/messages/message.ts';
import { applyMoves, failMessages, recordAccepted } from '../../src/messaging/messages/moves-store.ts';
import { movedChanges } from '../../src/messaging/status-reports/moved-counts.ts';
import type { StatusReport } from '../../src/ports/platform.ts';
import { deleteOldStatistics, foldStatistics } from '../../src/statistics/fold.ts';
import { foldChanges } from '../../src/statistics/fold-store.ts';
import { insertDeliveries } from '../../src/webhooks/publish-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertSend } from '../harness/insert-send.ts';
import { fc } from '../harness/property.ts';
import { insertAccount, insertSender, insertTemplate } from '../harness/rows.ts';
import { messagesTo } from '../harness/sends-in-database.ts';

type Status = StatusReport['status'];
const noEvents = { events: [], busyEndpointIds: [], processId: 0 };
const accountId = uuidv7();
const senderIds = [uuidv7(), uuidv7()];
const templateIds: string[] = [];
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await insertAccount(database.db, accountId);
  for (const id of senderIds) {
    await insertSender(database.db, accountId, { id });
    templateIds.push(await insertTemplate(database.db, accountId));
  }
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate messages, statistics_changes, message_counts`.execute(database.db);
  await sql`update statistics_folds set folded_until = 'epoch'`.execute(database.db);
});

type Group = Record<'sender' | 'template' | 'priority', number>;

/** Stores queued messages as one send; returns their ids in order. */
async function queued({ sender, template, priority }: Group, count: number): Promise<string[]> {
  const send = {
    accountId,
    id: uuidv7(),
    senderId: senderIds[sender] ?? '',
    templateId: templateIds[template] ?? '',
    templateName: 't',
    language: 'en',
    total: count,
  };
  const messages = messagesTo(count, { dispatchMode: 'leased' });
  await insertSend(database.hot, send, messages, { priority, expiresInSeconds: 600, processId: 0 });
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

const keys = (ids: readonly string[]) => ids.map((id) => ({ accountId, id }));
const accept = (ids: readonly string[]) =>
  recordAccepted(
    database.hot,
    keys(ids).map((key) => ({ ...key, messageRef: `wamid.${key.id}` })),
  );
const reported = (ids: readonly string[], reports: readonly (readonly [Status, number])[]) =>
  database.hot.transaction().execute(async (tx) => {
    const moves = ids.map((id) =>
      foldReports(
        accountId,
        id,
        reports.map(([status, second]) => report(status, second)),
      ),
    );
    await insertDeliveries(tx, { ...noEvents, changes: movedChanges(await applyMoves(tx, moves)) });
  });
const optedOut = { code: 900005, title: 'opted_out', message: 'The person opted out.' };
const fail = (ids: readonly string[], error: { code: number; title: string; message: string }) =>
  database.hot.transaction().execute((tx) =>
    failMessages(
      tx,
      keys(ids).map((key) => ({ ...key, error })),
      [state.queued, state.dispatching],
    ),
  );
const fold = (limit = 1_000) => database.db.transaction().execute((tx) => foldChanges(tx, limit, new Date()));
async function foldAll(limit?: number): Promise<void> {
  while ((await fold(limit)) > 0);
}

const stageCounts = sql`cross join lateral (values ('queued', queued), ('accepted', accepted), ('sent', sent),
  ('delivered', delivered), ('read', read), ('failed', failed), ('optedOut', opted_out)) x(stage, n)`;

/** Every count but zero as `at sender template category stage count`, from the rows of counts of that width. */
async function counted(minutes: 15 | 60): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', to_char(at, 'YYYY-MM-DD HH24:MI'), sender_id, template_id, category, stage, n) as line
    from message_counts ${stageCounts}
    where minutes = ${minutes} and n <> 0 order by 1`.execute(database.db);
  return rows.map(({ line }) => line);
}

/** The same from the messages: their stage times, and for `queued` the time at which their lifetime began. */
async function recounted(minutes: 15 | 60): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', to_char(start, 'YYYY-MM-DD HH24:MI'), sender_id, template_id, priority, stage, count(*)) as line
    from (select sender_id, template_id, priority, stage, date_bin(${minutes}::int * interval '1 minute', at, 'epoch'::timestamptz) start
      from messages cross join lateral (values ('queued', expires_at - interval '600 seconds'), ('accepted', accepted_at),
        ('sent', sent_at), ('delivered', delivered_at), ('read', read_at), ('failed', failed_at),
        ('optedOut', case when error ->> 'code' = '900005' then failed_at end)) x(stage, at)
      where at is not null) y
    group by start, sender_id, template_id, priority, stage order by 1`.execute(database.db);
  return rows.map(({ line }) => line);
}

async function expectExact(): Promise<void> {
  await foldAll();
  expect(await counted(15)).toEqual(await recounted(15));
  expect(await counted(60)).toEqual(await recounted(60));
}

describe('after any sequence of writes, repeats and foldings', () => {
  const statuses = fc.constantFrom<Status>('sent', 'delivered', 'read', 'failed');
  const second = fc.integer({ min: 0, max: 190 }).map((quarter) => 1_790_000_000 + quarter * 900);
  const some = fc.uniqueArray(fc.nat(17), { minLength: 1, maxLength: 12 });
  const action = fc.oneof(
    fc.record({ kind: fc.constant('accept' as const), some }),
    fc.record({
      kind: fc.constant('report' as const),
      some,
      reports: fc.array(fc.tuple(statuses, second), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('fail' as const),
      some,
      error: fc.constantFrom(ownErrors.outcomeUnknown, ownErrors.cancelled),
    }),
    // never called, so nothing reports on them
    fc.constant({ kind: 'fail' as const, some: [18, 19, 20], error: optedOut }),
    fc.record({ kind: fc.constant('fold' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  );

  it('the counts equal those of the messages, in every interval', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 20 }), async (actions) => {
        await sql`truncate messages, statistics_changes, message_counts`.execute(database.db);
        const groups = [
          { sender: 0, template: 0, priority: 0 },
          { sender: 0, template: 1, priority: 1 },
          { sender: 1, template: 1, priority: 2 },
        ];
        const ids = (await Promise.all(groups.map((group, index) => queued(group, 6 + index)))).flat().sort();
        for (const one of actions) {
          if (one.kind === 'fold') await fold(one.limit);
          else {
            const chosen = one.some.map((index) => ids[index] ?? '').sort();
            if (one.kind === 'accept') await accept(chosen);
            else if (one.kind === 'report') await reported(chosen, one.reports);
            else await fail(chosen, one.error);
          }
        }
        await expectExact();
      }),
      { numRuns: 20 },
    );
  });
});

const group = { sender: 0, template: 0, priority: 1 };
const day = 1_790_000_000;
/** Of all messages, by stage, without zeros. */
async function totals(): Promise<Record<string, number>> {
  await foldAll();
  const { rows } = await sql<{ stage: string; n: number }>`
    select stage, sum(n)::int n from message_counts ${stageCounts}
    where minutes = 15 group by stage having sum(n) <> 0`.execute(database.db);
  return Object.fromEntries(rows.map(({ stage, n }) => [stage, n]));
}

it('a repeated acceptance counts once, and keeps its time', async () => {
  const ids = await queued(group, 2);
  await accept(ids);
  const { rows: before } = await sql<{
    at: Date;
  }>`select accepted_at as at from messages order by id`.execute(database.db);
  await accept(ids);
  const { rows: after } = await sql<{ at: Date }>`select accepted_at as at from messages order by id`.execute(
    database.db,
  );
  expect(after).toEqual(before);
  expect(await totals()).toEqual({ queued: 2, accepted: 2 });
});

it('a repeated report counts once', async () => {
  const ids = await queued(group, 1);
  await reported(ids, [['delivered', day]]);
  await reported(ids, [['delivered', day + 5_000]]);
  await reported(ids, [['sent', day]]);
  expect(await totals()).toEqual({ queued: 1, sent: 1, delivered: 1 });
});

it('a failure that a report replaces is taken back where it was counted, also after it was folded', async () => {
  const ids = await queued(group, 1);
  await reported(ids, [['failed', day]]);
  expect(await totals()).toEqual({ queued: 1, failed: 1 });
  await reported(ids, [['delivered', day + 7_200]]);
  expect(await totals()).toEqual({ queued: 1, sent: 1, delivered: 1 });
  await expectExact();
});

it('a failure that is reported again counts once, and one that follows a replaced failure at its own time', async () => {
  const ids = await queued(group, 2);
  await fail(ids, ownErrors.outcomeUnknown);
  await reported(ids, [['failed', day]]);
  await expectExact();
  const [other = ''] = await queued(group, 1);
  await fail([other], ownErrors.outcomeUnknown);
  await reported([other], [['sent', day]]);
  await reported([other], [['failed', day + 3_600]]);
  await expectExact();
});

describe('folding', () => {
  const foldedUntil = async () =>
    (
      await sql<{ at: Date }>`select folded_until as at from statistics_folds`.execute(database.db)
    ).rows[0]?.at.getTime() ?? 0;

  it('leaves out changes of an open transaction, promises nothing after its start, and folds them later', async () => {
    const ids = await queued(group, 1);
    let began = 0;
    await database.hot.transaction().execute(async (tx) => {
      began = (await sql<{ at: Date }>`select now() as at`.execute(tx)).rows[0]?.at.getTime() ?? 0;
      await failMessages(tx, [{ accountId, id: ids[0] ?? '', error: ownErrors.cancelled }], [state.queued]);
      await foldStatistics({ hot: database.hot });
      expect(await foldedUntil()).toBeLessThanOrEqual(began);
    });
    expect(await totals()).toEqual({ queued: 1, failed: 1 });
    await sql`update statistics_folds set folded_until = 'epoch'`.execute(database.db);
    await foldStatistics({ hot: database.hot });
    expect(await foldedUntil()).toBeGreaterThan(began);
  });

  it('that rolls back changes nothing', async () => {
    await queued(group, 3);
    await database.db
      .transaction()
      .execute(async (tx) => {
        expect(await foldChanges(tx, 100, new Date())).toBe(1);
        throw new Error('crash');
      })
      .catch(() => undefined);
    expect(await totals()).toEqual({ queued: 3 });
  });

  it('of several processes at once adds every change once', async () => {
    for (let at = 0; at < 12; at++) await queued({ ...group, sender: at % 2 }, 2);
    await Promise.all(Array.from({ length: 4 }, () => foldStatistics({ hot: database.hot })));
    await Promise.all(Array.from({ length: 4 }, () => foldAll(5)));
    expect(await totals()).toEqual({ queued: 24 });
  });

  it('deletes counts after 800 days, of every width', async () => {
    await queued(group, 1);
    await foldAll();
    await sql`insert into message_counts (account_id, minutes, at, sender_id, queued)
      select account_id, minutes, at - make_interval(days => age), sender_id, queued
      from message_counts, unnest(array[798, 802]) age`.execute(database.db);
    await deleteOldStatistics(database);
    const { rows } = await sql<{ width: number; n: number }>`
      select minutes as width, count(*)::int as n from message_counts group by 1 order by 1`.execute(
      database.db,
    );
    expect(rows.map(({ n }) => n)).toEqual([2, 2]);
  });
});
