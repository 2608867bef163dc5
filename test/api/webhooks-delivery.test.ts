// Deliveries: signed, to subscribed endpoints only, inserted once, and not lost by crashes or stops.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
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
afterEach(async () => {
  fixture.clock.steadyMs = undefined;
  await fixture.pauseAll();
});

const hitsOf = (hook: string) => fixture.hooks.hitsOf(hook);
const list = (accountId: string, query = '') => fixture.listed(accountId, query);

describe('a delivery', () => {
  it('is sent after the commit, with both signatures', async () => {
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

  it('is sent to every endpoint subscribed to its event type, and to no other account', async () => {
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

  it('is claimed when its lease expires after a crash', async () => {
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

  it('is not inserted when the transaction rolls back', async () => {
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
  it('all arrive, even when they exceed the queue in memory', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'flood');
    const small = fixture.openAnotherProcess({
      inFlightPerEndpoint: 4,
      queuedPerEndpoint: 20,
      queuedInAll: 40,
    });
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

  it('are released when the process stops, and claimed by another process', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'stopping');
    const leaving = fixture.openAnotherProcess({ inFlightPerEndpoint: 2 });
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

describe('a lease in memory', () => {
  // 75 s, minus 15 seconds for a call and a margin of five
  const trustedMs = 55_000;
  const firstMs = 1_000_000;

  /** Messages with these stages, leased at `firstMs` by a process that makes one call at a time and waits for its response. */
  async function queued(hook: string, stages: ('sent' | 'delivered')[]) {
    fixture.clock.steadyMs = firstMs;
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, hook);
    let answerFirst = () => {};
    const held = new Promise<void>((resolve) => {
      answerFirst = resolve;
    });
    fixture.hooks.answer(hook, async () => {
      await held;
      return { status: 200 };
    });
    const deliveries = fixture.openAnotherProcess({ inFlightPerEndpoint: 1 });
    const messages = [uuidv7(), uuidv7()] as const;
    const leased = await fixture.db.transaction().execute((tx) =>
      publish(
        { deliveries },
        tx,
        messages.flatMap((message) => stages.map((name) => stageEvent(account, message, name))),
      ),
    );
    deliveries.offer(leased);
    await until(() => expect(hitsOf(hook)).toHaveLength(1));
    return { account, id, messages, answerFirst };
  }

  it('is used until a call might outlast it; deliveries queued longer are left to the next claim', async () => {
    const { account, id, answerFirst } = await queued('untrusted', ['sent']);
    fixture.clock.steadyMs = firstMs + trustedMs + 1;
    answerFirst();
    await until(async () => expect(await list(account, '?status=delivered')).toHaveLength(1));
    await fixture.makeDue(id, 'leases');
    expect(await fixture.deliveries.claimDue()).toBe(1);
    await until(async () => expect(await list(account, '?status=delivered')).toHaveLength(2));
    expect(hitsOf('untrusted')).toHaveLength(2);
  });

  it('ends with the last of the deliveries that were published together, and not before', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'together');
    let answerLast = () => {};
    const held = new Promise<void>((resolve) => {
      answerLast = resolve;
    });
    const [first, last] = [uuidv7(), uuidv7()];
    fixture.hooks.answer('together', async ({ json }) => {
      if (json.data.id === last) await held;
      return { status: 200 };
    });
    const events = [first, last].map((message) => stageEvent(account, message, 'sent'));
    const { deliveries } = fixture;
    deliveries.offer(await fixture.hot.transaction().execute((tx) => publish({ deliveries }, tx, events)));
    const leases = async () =>
      (await sql`select from delivery_leases where ${account} = any (account_ids)`.execute(fixture.db)).rows
        .length;
    await until(async () => expect(await list(account, '?status=delivered')).toHaveLength(1));
    expect(await leases()).toBe(1);
    answerLast();
    await until(async () => expect(await leases()).toBe(0));
    expect(await list(account, '?status=delivered')).toHaveLength(2);
  });

  it('that is about to expire ends an ordering group, whose next stage gets its own lease', async () => {
    const { messages, answerFirst } = await queued('ending', ['sent', 'delivered']);
    const [first, second] = messages;
    const firstStateAtSecondStage: unknown[] = [];
    fixture.hooks.answer('ending', async ({ json: { data } }) => {
      if (data.id === first) return { status: 200 };
      if (data.status === 'sent') fixture.clock.steadyMs = firstMs + trustedMs;
      else {
        const { rows } =
          await sql`select state from deliveries where subject_id = ${second} and stage = 3`.execute(
            fixture.db,
          );
        firstStateAtSecondStage.push(...rows);
      }
      return { status: 200 };
    });
    fixture.clock.steadyMs = firstMs + trustedMs - 100;
    answerFirst();
    await until(() => expect(firstStateAtSecondStage).toEqual([{ state: 1 }]));
  });

  it('counts from before its claim, in case the machine is suspended before the response', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'asleep');
    await fixture.stages(account, uuidv7(), ['sent'], false);
    await fixture.makeDue(id, 'leases');
    const endpoints = await fixture.db.startTransaction().execute();
    await sql`lock table endpoints in access exclusive mode`.execute(endpoints);
    fixture.clock.steadyMs = firstMs;
    const claimed = fixture.deliveries.claimDue();
    await until(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(fixture.db);
      expect(rows).toHaveLength(1);
    });
    fixture.clock.steadyMs = firstMs + trustedMs + 1;
    await endpoints.commit().execute();
    expect(await claimed).toBe(1);
    await fixture.makeDue(id, 'leases');
    expect(await fixture.deliveries.claimDue()).toBe(1);
    await until(async () => expect(await list(account, '?status=delivered')).toHaveLength(1));
    expect(hitsOf('asleep')).toHaveLength(1);
  });
});
