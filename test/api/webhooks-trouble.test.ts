// Failing endpoints: isolation, rest, recovery, and disabling.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, stageEvent, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  // long enough that a hanging request still hangs when a busy machine checks it
  fixture = await openWebhooksFixture({ random: () => 0.5 }, 60_000);
});
afterAll(() => fixture.close());
afterEach(() => fixture.pauseAll());

const hitsOf = (hook: string) => fixture.hooks.hitsOf(hook);
const list = (accountId: string, query = '') => fixture.listed(accountId, query);

describe('a failing endpoint', () => {
  it('delays only its own deliveries while it hangs', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'hangs');
    await fixture.endpoint(account, 'quick');
    fixture.hooks.answer('hangs', () => new Promise<never>(() => {}));
    const messages = Array.from({ length: 150 }, () => uuidv7());
    for (const message of messages) await fixture.stages(account, message, ['sent']);
    await until(() => expect(hitsOf('quick')).toHaveLength(150));
    expect(hitsOf('hangs').length).toBeLessThanOrEqual(64);
  });

  it('does not keep other endpoints’ deliveries from being claimed', async () => {
    const [heavy, light] = [await fixture.account(), await fixture.account()];
    const { id: dead } = await fixture.endpoint(heavy, 'backlog');
    await fixture.endpoint(light, 'few');
    await fixture.db.transaction().execute((tx) =>
      publish(
        { deliveries: fixture.deliveries },
        tx,
        Array.from({ length: 3_000 }, () => stageEvent(heavy, uuidv7(), 'sent')),
      ),
    );
    await fixture.stages(light, uuidv7(), ['sent'], false);
    await sql`update deliveries set due_at = now() - interval '1 hour' where endpoint_id = ${dead}`.execute(
      fixture.db,
    );
    await sql`update deliveries set due_at = now() where account_id = ${light}`.execute(fixture.db);
    fixture.hooks.answer('backlog', () => new Promise<never>(() => {}));
    const other = fixture.openAnotherProcess();
    await other.claimDue();
    await until(() => expect(hitsOf('few')).toHaveLength(1));
    await sql`update endpoints set status = 'paused' where id = ${dead}`.execute(fixture.db);
    other.drop(dead);
  });

  it('recovers with its first success, and its retries are due immediately', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'recovers');
    fixture.hooks.answer('recovers', () => ({ status: 500 }));
    for (let count = 0; count < 5; count++) await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () => {
      const items = await list(account);
      expect(items).toHaveLength(5);
      for (const item of items) expect(item.attempts).toBe(1);
    });
    const { rows } = await sql<{ ahead: number }>`
      update deliveries set due_at = now() + interval '10 hours', attempts = 6, last_attempt_at = now() - interval '5 hours'
      where endpoint_id = ${id} returning 1 as ahead`.execute(fixture.db);
    expect(rows).toHaveLength(5);
    fixture.hooks.answer('recovers', () => ({ status: 200 }));
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () => expect(await list(account, '?status=delivered')).toHaveLength(1));
    await until(async () => {
      await fixture.runMaintenance();
      await fixture.deliveries.claimDue();
      expect(await list(account, '?status=delivered')).toHaveLength(6);
    });
    const { body } = await fixture.call(account, 'GET', `/v1/webhooks/endpoints/${id}`);
    expect(body.data.failingSince).toBeNull();
  });

  it('rests after ten consecutive failures, and is probed with one delivery at a time', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'rests');
    fixture.hooks.answer('rests', () => ({ status: 500 }));
    for (let count = 0; count < 12; count++) await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () => {
      const { rows } = await sql<{
        failures: number;
      }>`select failures from endpoints where id = ${id}`.execute(fixture.db);
      // deliveries without an attempt at the tenth failure are released
      expect(rows[0]?.failures).toBeGreaterThanOrEqual(10);
      expect(rows[0]?.failures).toBe(hitsOf('rests').length);
    });
    const tried = hitsOf('rests').length;
    await sql`update endpoints set paused_until = null, failing_since = now() - interval '10 minutes' where id = ${id}`.execute(
      fixture.db,
    );
    await fixture.makeDue(id);
    expect(await fixture.deliveries.claimDue()).toBe(1);
    await until(() => expect(hitsOf('rests')).toHaveLength(tried + 1));
    await until(async () => {
      const { rows } = await sql<{ seconds: number }>`
        select round(extract(epoch from paused_until - now()))::int as seconds from endpoints where id = ${id}`.execute(
        fixture.db,
      );
      expect(rows[0]?.seconds).toBeGreaterThan(50);
      expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
    });
    expect(await fixture.deliveries.claimDue()).toBe(0);
  });

  it('is disabled by a 410; its pending and new deliveries are dead and can be replayed', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'gone');
    fixture.hooks.answer('gone', () => ({ status: 410 }));
    await fixture.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(async () => {
      const { body } = await fixture.call(account, 'GET', `/v1/webhooks/endpoints/${id}`);
      expect(body.data).toMatchObject({ status: 'disabled', disabledReason: expect.stringContaining('410') });
    });
    await fixture.stages(account, uuidv7(), ['sent']);
    await fixture.runMaintenance();
    const items = await list(account);
    expect(items).toHaveLength(3);
    for (const item of items)
      expect(item).toMatchObject({ status: 'dead', lastFailure: 'endpoint_disabled' });
    expect(
      (await fixture.call(account, 'POST', `/v1/webhooks/deliveries/${items[0]._id}/replay`)).body.code,
    ).toBe('endpoint_disabled');
    fixture.hooks.answer('gone', () => ({ status: 200 }));
    await fixture.call(account, 'PATCH', `/v1/webhooks/endpoints/${id}`, { status: 'active' });
    const stretch = {
      from: new Date(Date.now() - 60_000),
      to: new Date(Date.now() + 60_000),
      status: 'dead',
    };
    const { body } = await fixture.call(account, 'POST', `/v1/webhooks/endpoints/${id}/replay`, stretch);
    expect(body.data).toMatchObject({ replayed: 3, finished: true, status: 'dead' });
    await until(async () => {
      await fixture.deliveries.claimDue();
      expect(await list(account, '?status=delivered')).toHaveLength(3);
    });
  });

  it('is disabled after five days without a success', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'five-days');
    fixture.hooks.answer('five-days', () => ({ status: 500 }));
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () => expect((await list(account))[0]?.attempts).toBe(1));
    await sql`update endpoints set failing_since = now() - interval '5 days 1 second' where id = ${id}`.execute(
      fixture.db,
    );
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () => {
      const { body } = await fixture.call(account, 'GET', `/v1/webhooks/endpoints/${id}`);
      expect(body.data).toMatchObject({
        status: 'disabled',
        disabledReason: expect.stringContaining('five days'),
      });
    });
    await fixture.runMaintenance();
    expect(await list(account, '?status=pending')).toEqual([]);
  });
});
