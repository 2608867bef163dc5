// Feeding sends whose template changed: no recipient leaves that was checked against an earlier version only.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { lowestUuidAt } from '../../src/base/uuid-time.ts';
import { lockPortion, movePortion } from '../../src/messaging/campaigns/changed-feeds-store.ts';
import { feedRecipients, findRoom, startScheduled } from '../../src/messaging/campaigns/feeds-store.ts';
import { pause } from '../../src/messaging/campaigns/transitions-store.ts';
import { recheckMessages } from '../../src/messaging/dispatch/recheck.ts';
import { lockTemplateToRecheck, oldestOpenSend } from '../../src/messaging/dispatch/recheck-store.ts';
import { openCompletionWaiters } from '../../src/messaging/messages/completion-waiters.ts';
import { insertScheduledSend } from '../../src/messaging/sending/scheduled-store.ts';
import { findTemplate, type TemplateRow } from '../../src/messaging/templates/store.ts';
import { measure } from '../../src/statistics/measures.ts';
import { accountId } from '../harness/dispatch.ts';
import { insertSend } from '../harness/insert-send.ts';
import { type KeptSends, openKeptSends, recipients } from '../harness/kept-sends.ts';

let sends: KeptSends;
let database: KeptSends['database'];
let templateId: string;
beforeAll(async () => {
  sends = await openKeptSends();
  ({ database, templateId } = sends);
});
afterAll(() => database?.drop());
beforeEach(() => sends.clear());

const idOfDaysAgo = (days: number) => lowestUuidAt(new Date(Date.now() - days * 86_400_000));

describe('a send whose template changed after its recipients were checked', () => {
  const change = () =>
    sql`update templates set components_changed_at = date_trunc('milliseconds', clock_timestamp()), recheck_since = now()
      where id = ${templateId}`.execute(database.db);
  afterEach(async () => {
    await sql`update templates set components_changed_at = null, recheck_since = null,
      components = '[]'`.execute(database.db);
  });
  const done = () =>
    sql`update templates set recheck_since = null where id = ${templateId}`.execute(database.db);
  const template = async () => (await findTemplate(database.db, accountId, templateId)) as TemplateRow;

  it('is fed only after a check against the template as it is', async () => {
    const { key, keys } = await sends.started(3);
    const before = await template();
    expect(await findRoom(database.hot, key, { messages: 10, dueSeconds: 60 })).toMatchObject({ fits: true });
    await change();
    await done();
    expect(await findRoom(database.hot, key, { messages: 10, dueSeconds: 60 })).toMatchObject({
      room: 10,
      fits: false,
    });
    expect(await feedRecipients(database.hot, key, 10)).toMatchObject({ count: 0 });
    const after = await template();
    await sends.inTx(async (tx) => {
      expect(await lockPortion(tx, key, before, 10)).toEqual([]);
      const portion = await lockPortion(tx, key, after, 2);
      expect(portion.map(({ id }) => id)).toEqual(keys.slice(0, 2).map(({ id }) => id));
      await movePortion(tx, key, portion, portion.slice(0, 1));
    });
    const { rows } = await sql`
      select id, due_at is not null as due from messages order by id`.execute(database.db);
    expect(rows).toEqual([
      { id: keys[0]?.id, due: false },
      { id: keys[1]?.id, due: true },
    ]);
    const counts = await sql`select measure, amount from statistics_changes`.execute(database.db);
    expect(counts.rows).toEqual([{ measure: measure.queued, amount: 2 }]);
    await sends.inTx((tx) => pause(tx, key));
    await sends.inTx(async (tx) => expect(await lockPortion(tx, key, after, 2)).toEqual([]));
  });

  it('is started by the time of its schedule only if its recipients were checked against the template as it is', async () => {
    const send = { ...sends.newSend(1), sendAt: new Date() };
    await insertScheduledSend(database.hot, send, recipients(1), { priority: 1, expiresInSeconds: 600 });
    await change();
    await startScheduled(database.hot, { accountId, sendId: send.id });
    const { rows } = await sql`select stage, paused_reason from sends`.execute(database.db);
    expect(rows).toEqual([{ stage: 1, paused_reason: 'template_changed' }]);
  });

  it('has no message that the check of queued messages misses: the check waits for a portion that was fed before', async () => {
    await change();
    await done();
    const checked = { ...sends.newSend(2), templateChangedAt: (await template()).components_changed_at };
    const scheduled = { ...checked, sendAt: new Date() };
    await insertScheduledSend(database.hot, scheduled, recipients(2), { priority: 1, expiresInSeconds: 600 });
    const key = { accountId, sendId: scheduled.id };
    await startScheduled(database.hot, key);
    const checkedTemplate = async () => (await sends.inTx(lockTemplateToRecheck))?.id;
    await database.hot.transaction().execute(async (tx) => {
      expect(await feedRecipients(tx, key, 10)).toMatchObject({ count: 2 });
      await change();
      expect(await checkedTemplate()).toBeUndefined();
    });
    expect(await checkedTemplate()).toBe(templateId);
    await change();
    // the same for a new send
    const sent = sends.newSend(1);
    const { components_changed_at: templateChangedAt } = await template();
    await database.hot.transaction().execute(async (tx) => {
      const common = { priority: 1, expiresInSeconds: 600, processId: 0 };
      expect(await insertSend(tx, { ...sent, templateChangedAt }, recipients(1), common)).toBeDefined();
      expect(await checkedTemplate()).toBeUndefined();
    });
  });

  it('has its messages checked from the id of its oldest recipient, however old it is', async () => {
    const old = sends.newSend(1);
    old.id = idOfDaysAgo(80);
    const send = { ...old, sendAt: new Date(Date.now() + 60_000) };
    await insertScheduledSend(database.hot, send, recipients(1), { priority: 1, expiresInSeconds: 600 });
    const oldest = () => sends.inTx((tx) => oldestOpenSend(tx, { accountId, templateId }));
    expect(await oldest()).toBe(old.id);
    await sql`update sends set send_at = now()`.execute(database.db);
    await startScheduled(database.hot, { accountId, sendId: old.id });
    await feedRecipients(database.hot, { accountId, sendId: old.id }, 10);
    await sql`update messages set id = ${idOfDaysAgo(79)}`.execute(database.db);
    await change();
    const components = JSON.stringify([{ type: 'BODY', text: 'Hi {{1}}.' }]);
    await sql`update templates set components = ${components}::jsonb where id = ${templateId}`.execute(
      database.db,
    );
    const deliveries = { processId: 0, offer: () => undefined, busyEndpoints: () => [] };
    const deps = { hot: database.hot, clock: systemClock, completions: openCompletionWaiters(), deliveries };
    expect(await recheckMessages(deps)).toBe(2);
    const { rows } = await sql`select error ->> 'code' as code from messages`.execute(database.db);
    expect(rows).toEqual([{ code: '900007' }]);
    await sql`update sends set is_open = false`.execute(database.db);
    expect(await oldest()).toBeUndefined();
  });
});
