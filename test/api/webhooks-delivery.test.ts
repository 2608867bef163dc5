// Promises of delivery: signed, to whoever asked and nobody else, once, and lost by no crash or stop.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { eventBody, publish } from '../../src/webhooks/publish.ts';
import type { Hit } from '../harness/hooks.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, stageEvent, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture({ random: () => 0.5 });
});
afterAll(() => fixture.close());
afterEach(() => fixture.pauseAll());

const hitsOf = (hook: string) => fixture.hooks.hitsOf(hook);
const list = (accountId: string, query = '') => fixture.listed(accountId, query);

describe('a delivery', () => {
  it('is posted after the commit with both signatures', async () => {
    const account = await fixture.account();
    const { secret } = await fixture.endpoint(account, 'signed');
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(() => expect(hitsOf('signed')).toHaveLength(1));
    const { headers, body } = hitsOf('signed')[0] as Hit;
    expect(headers['x-webhook-signature']).toBe(
      `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    );
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    expect(headers['content-type']).toBe('application/json');
    await until(async () => {
      const [item] = await list(account);
      expect(item).toMatchObject({
        _id: headers['webhook-id'],
        event: 'messages.status',
        status: 'delivered',
        attempts: 1,
        lastStatusCode: 200,
        nextAttemptAt: null,
      });
    });
  });

  it('goes to every endpoint subscribed to its kind, and to no other account', async () => {
    const [account, stranger] = [await fixture.account(), await fixture.account()];
    await fixture.endpoint(account, 'plain');
    await fixture.endpoint(account, 'both', { events: ['messages.status', 'templates.status'] });
    await fixture.endpoint(account, 'templates', { events: ['templates.status'] });
    await fixture.endpoint(stranger, 'stranger');
    const body = eventBody('templates.status', Date.now(), { name: 'welcome' });
    const leasedDeliveries = await fixture.db.transaction().execute((tx) =>
      publish({ deliveries: fixture.deliveries }, tx, [
        {
          accountId: account,
          subjectId: uuidv7(),
          stage: 0,
          kind: 'templates.status',
          messageId: null,
          body,
        },
        stageEvent(account, uuidv7(), 'sent'),
      ]),
    );
    expect(leasedDeliveries).toHaveLength(4);
    fixture.deliveries.offer(leasedDeliveries);
    await until(() => expect(hitsOf('both')).toHaveLength(2));
    await until(() => expect([...hitsOf('plain'), ...hitsOf('templates')]).toHaveLength(2));
    expect(hitsOf('plain')[0]?.json.event).toBe('messages.status');
    expect(hitsOf('templates')[0]?.body).toBe(body);
    expect(hitsOf('stranger')).toEqual([]);
  });

  it('is claimed after its lease when a crash follows the commit', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'crash');
    await fixture.stages(account, uuidv7(), ['sent'], false);
    expect(await fixture.deliveries.claimDue()).toBe(0);
    await fixture.makeDue(id, 'leases');
    expect(await fixture.deliveries.claimDue()).toBe(1);
    await until(() => expect(hitsOf('crash')).toHaveLength(1));
  });

  it('is inserted once for a stage that is published twice', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'once');
    const message = uuidv7();
    await fixture.stages(account, message, ['sent']);
    await fixture.stages(account, message, ['sent']);
    await until(async () => expect(await list(account)).toMatchObject([{ status: 'delivered' }]));
    expect(hitsOf('once')).toHaveLength(1);
  });

  it('does not exist when its transaction rolls back', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'rolled-back');
    await expect(
      fixture.db.transaction().execute(async (tx) => {
        await publish({ deliveries: fixture.deliveries }, tx, [stageEvent(account, uuidv7(), 'sent')]);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await list(account)).toEqual([]);
  });
});

describe('many concurrent deliveries', () => {
  it('all arrive, even when they exceed the limit of memory', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'flood');
    const small = fixture.another({ inFlightPerEndpoint: 4, queuedPerEndpoint: 20, queuedInAll: 40 });
    const leasedDeliveries = await fixture.db.transaction().execute((tx) =>
      publish(
        { deliveries: small },
        tx,
        Array.from({ length: 300 }, () => stageEvent(account, uuidv7(), 'sent')),
      ),
    );
    small.offer(leasedDeliveries);
    await until(async () => {
      await small.claimDue();
      expect(hitsOf('flood').length).toBeGreaterThanOrEqual(300);
    });
    expect(new Set(hitsOf('flood').map((hit) => hit.headers['webhook-id'])).size).toBe(300);
    expect(hitsOf('flood')).toHaveLength(300);
  });

  it('are released when the process stops, and another process takes them', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'stopping');
    const leaving = fixture.another({ inFlightPerEndpoint: 2 });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    fixture.hooks.answer('stopping', async () => {
      await held;
      return { status: 200 };
    });
    const leasedDeliveries = await fixture.db.transaction().execute((tx) =>
      publish(
        { deliveries: leaving },
        tx,
        Array.from({ length: 10 }, () => stageEvent(account, uuidv7(), 'sent')),
      ),
    );
    leaving.offer(leasedDeliveries);
    await until(() => expect(hitsOf('stopping')).toHaveLength(2));
    const stopped = leaving.stop();
    letGo();
    await stopped;
    expect(hitsOf('stopping')).toHaveLength(2);
    await fixture.deliveries.claimDue();
    await until(async () => expect(await list(account, '?status=delivered')).toHaveLength(10));
    expect(hitsOf('stopping')).toHaveLength(10);
  });
});
