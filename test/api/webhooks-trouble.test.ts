// Promises when one endpoint fails or hangs: others wait for nothing, it rests, recovers, or is disabled.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { until } from '../harness/until.ts';
import { openRoom, type Room, stageEvent } from '../harness/webhook-room.ts';

let room: Room;
beforeAll(async () => {
  // long, so that what hangs still hangs when a busy machine comes to look
  room = await openRoom({ random: () => 0.5 }, 60_000);
});
afterAll(() => room.close());
afterEach(() => room.pauseAll());

const hitsOf = (hook: string) => room.hooks.hitsOf(hook);
const list = (accountId: string, query = '') => room.listed(accountId, query);

describe('a failing endpoint', () => {
  it('never delays another: a hanging receiver blocks only its own deliveries', async () => {
    const account = await room.account();
    await room.endpoint(account, 'hangs');
    await room.endpoint(account, 'quick');
    room.hooks.answer('hangs', () => new Promise<never>(() => {}));
    const messages = Array.from({ length: 150 }, () => uuidv7());
    for (const message of messages) await room.stages(account, message, ['sent']);
    await until(() => expect(hitsOf('quick')).toHaveLength(150));
    expect(hitsOf('hangs').length).toBeLessThanOrEqual(64);
  });

  it('keeps the claim fair: its backlog does not hide other endpoints’ deliveries', async () => {
    const [heavy, light] = [await room.account(), await room.account()];
    const { id: dead } = await room.endpoint(heavy, 'backlog');
    await room.endpoint(light, 'few');
    await room.db.transaction().execute((tx) =>
      publish(
        { deliveries: room.deliveries },
        tx,
        Array.from({ length: 3_000 }, () => stageEvent(heavy, uuidv7(), 'sent')),
      ),
    );
    await room.stages(light, uuidv7(), ['sent'], false);
    await sql`update deliveries set due_at = now() - interval '1 hour' where endpoint_id = ${dead}`.execute(
      room.db,
    );
    await sql`update deliveries set due_at = now() where account_id = ${light}`.execute(room.db);
    room.hooks.answer('backlog', () => new Promise<never>(() => {}));
    const other = room.another();
    await other.claimDue();
    await until(() => expect(hitsOf('few')).toHaveLength(1));
    await sql`update endpoints set status = 'paused' where id = ${dead}`.execute(room.db);
    other.drop(dead);
  });

  it('recovers with its first success: its retries are due immediately', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'recovers');
    room.hooks.answer('recovers', () => ({ status: 500 }));
    for (let count = 0; count < 5; count++) await room.stages(account, uuidv7(), ['sent']);
    await until(async () => {
      const items = await list(account);
      expect(items).toHaveLength(5);
      for (const item of items) expect(item.attempts).toBe(1);
    });
    const { rows } = await sql<{ ahead: number }>`
      update deliveries set due_at = now() + interval '10 hours', attempts = 6, last_attempt_at = now() - interval '5 hours'
      where endpoint_id = ${id} returning 1 as ahead`.execute(room.db);
    expect(rows).toHaveLength(5);
    room.hooks.answer('recovers', () => ({ status: 200 }));
    await room.stages(account, uuidv7(), ['sent']);
    await until(async () => expect(await list(account, '?status=delivered')).toHaveLength(1));
    await until(async () => {
      await room.maintained();
      await room.deliveries.claimDue();
      expect(await list(account, '?status=delivered')).toHaveLength(6);
    });
    const { body } = await room.call(account, 'GET', `/v1/webhooks/endpoints/${id}`);
    expect(body.data.failingSince).toBeNull();
  });

  it('rests after ten consecutive failures, and is probed with one delivery at a time', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'rests');
    room.hooks.answer('rests', () => ({ status: 500 }));
    for (let count = 0; count < 12; count++) await room.stages(account, uuidv7(), ['sent']);
    await until(async () => {
      const { rows } = await sql<{
        failures: number;
      }>`select failures from endpoints where id = ${id}`.execute(room.db);
      // what was not under way when the tenth failed is given back untried
      expect(rows[0]?.failures).toBeGreaterThanOrEqual(10);
      expect(rows[0]?.failures).toBe(hitsOf('rests').length);
    });
    const tried = hitsOf('rests').length;
    await sql`update endpoints set paused_until = null, failing_since = now() - interval '10 minutes' where id = ${id}`.execute(
      room.db,
    );
    await room.makeDue(id);
    expect(await room.deliveries.claimDue()).toBe(1);
    await until(() => expect(hitsOf('rests')).toHaveLength(tried + 1));
    await until(async () => {
      const { rows } = await sql<{ seconds: number }>`
        select round(extract(epoch from paused_until - now()))::int as seconds from endpoints where id = ${id}`.execute(
        room.db,
      );
      expect(rows[0]?.seconds).toBeGreaterThan(50);
      expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
    });
    expect(await room.deliveries.claimDue()).toBe(0);
  });

  it('is disabled on 410: pending and new deliveries are dead, and can be replayed', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'gone');
    room.hooks.answer('gone', () => ({ status: 410 }));
    await room.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(async () => {
      const { body } = await room.call(account, 'GET', `/v1/webhooks/endpoints/${id}`);
      expect(body.data).toMatchObject({ status: 'disabled', disabledReason: expect.stringContaining('410') });
    });
    await room.stages(account, uuidv7(), ['sent']);
    await room.maintained();
    const items = await list(account);
    expect(items).toHaveLength(3);
    for (const item of items)
      expect(item).toMatchObject({ status: 'dead', lastFailure: 'endpoint_disabled' });
    expect(
      (await room.call(account, 'POST', `/v1/webhooks/deliveries/${items[0]._id}/replay`)).body.code,
    ).toBe('endpoint_disabled');
    room.hooks.answer('gone', () => ({ status: 200 }));
    await room.call(account, 'PATCH', `/v1/webhooks/endpoints/${id}`, { status: 'active' });
    const stretch = {
      from: new Date(Date.now() - 60_000),
      to: new Date(Date.now() + 60_000),
      status: 'dead',
    };
    const { body } = await room.call(account, 'POST', `/v1/webhooks/endpoints/${id}/replay`, stretch);
    expect(body.data).toMatchObject({ replayed: 3, finished: true, status: 'dead' });
    await until(async () => {
      await room.deliveries.claimDue();
      expect(await list(account, '?status=delivered')).toHaveLength(3);
    });
  });

  it('is disabled after five days of failures alone', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'five-days');
    room.hooks.answer('five-days', () => ({ status: 500 }));
    await room.stages(account, uuidv7(), ['sent']);
    await until(async () => expect((await list(account))[0]?.attempts).toBe(1));
    await sql`update endpoints set failing_since = now() - interval '5 days 1 second' where id = ${id}`.execute(
      room.db,
    );
    await room.stages(account, uuidv7(), ['sent']);
    await until(async () => {
      const { body } = await room.call(account, 'GET', `/v1/webhooks/endpoints/${id}`);
      expect(body.data).toMatchObject({
        status: 'disabled',
        disabledReason: expect.stringContaining('five days'),
      });
    });
    await room.maintained();
    expect(await list(account, '?status=pending')).toEqual([]);
  });
});
