// Promises of delivery: signed, in order, retried, fair, and lost by no crash.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Db } from '../../src/db/db.ts';
import { completeDeliveries, releaseNext } from '../../src/webhooks/delivering/store.ts';
import { eventBody, publish } from '../../src/webhooks/publish.ts';
import { type Hit, openRoom, type Room, stageEvent } from '../harness/webhook-room.ts';

let room: Room;
beforeAll(async () => {
  room = await openRoom({ random: () => 0.5 });
});
afterAll(() => room.close());
// What one test leaves due is not for the claims of the next.
afterEach(() => sql`update endpoints set status = 'paused' where status = 'active'`.execute(room.db));

const until = (condition: () => void | Promise<void>) =>
  vi.waitFor(condition, { timeout: 8_000, interval: 10 });
const hitsOf = (hook: string): Hit[] => room.hooks.hits.filter((hit) => hit.hook === hook);
const statusesAt = (hook: string) => hitsOf(hook).map((hit) => hit.json.data.status);

async function list(accountId: string, query = '') {
  return (await room.call(accountId, 'GET', `/v1/webhooks/deliveries${query}`)).body.data.items;
}

/** Resolves once a statement waits for another's lock. */
function blocked(db: Db): Promise<void> {
  return until(async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    expect(rows[0]?.waiting).toBe(1);
  });
}

/** Lets the time pass that retries wait for (`tries`), or that a lease lasts (`leases`), without waiting for it. */
async function makeDue(endpointId: string, what: 'tries' | 'leases' = 'tries'): Promise<void> {
  await sql`update deliveries set due_at = now()
    where endpoint_id = ${endpointId} and due_at is not null and state = ${what === 'tries' ? 4 : 0}`.execute(
    room.db,
  );
}

describe('a delivery', () => {
  it('is posted after the commit, signed in both conventions', async () => {
    const account = await room.account();
    const { secret } = await room.endpoint(account, 'signed');
    await room.stages(account, uuidv7(), ['sent']);
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

  it('goes to every endpoint that asked for its kind, and to no other account’s', async () => {
    const [account, stranger] = [await room.account(), await room.account()];
    await room.endpoint(account, 'plain');
    await room.endpoint(account, 'both', { events: ['messages.status', 'templates.status'] });
    await room.endpoint(account, 'templates', { events: ['templates.status'] });
    await room.endpoint(stranger, 'stranger');
    const body = eventBody('templates.status', Date.now(), { name: 'welcome' });
    const startable = await room.db.transaction().execute((tx) =>
      publish({ deliveries: room.deliveries }, tx, [
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
    expect(startable).toHaveLength(4);
    room.deliveries.offer(startable);
    await until(() => expect(hitsOf('both')).toHaveLength(2));
    await until(() => expect([...hitsOf('plain'), ...hitsOf('templates')]).toHaveLength(2));
    expect(hitsOf('plain')[0]?.json.event).toBe('messages.status');
    expect(hitsOf('templates')[0]?.body).toBe(body);
    expect(hitsOf('stranger')).toEqual([]);
  });

  it('that is written but never handed over (a crash after the commit) is claimed once its lease lapses', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'crash');
    await room.stages(account, uuidv7(), ['sent'], false);
    expect(await room.deliveries.claimDue()).toBe(0);
    await makeDue(id, 'leases');
    expect(await room.deliveries.claimDue()).toBe(1);
    await until(() => expect(hitsOf('crash')).toHaveLength(1));
  });

  it('is written once for a stage, however often the stage is published', async () => {
    const account = await room.account();
    await room.endpoint(account, 'once');
    const message = uuidv7();
    await room.stages(account, message, ['sent']);
    await room.stages(account, message, ['sent']);
    await until(async () => expect(await list(account)).toMatchObject([{ status: 'delivered' }]));
    expect(hitsOf('once')).toHaveLength(1);
  });

  it('that a transaction did not commit was never made', async () => {
    const account = await room.account();
    await room.endpoint(account, 'rolled-back');
    await expect(
      room.db.transaction().execute(async (tx) => {
        await publish({ deliveries: room.deliveries }, tx, [stageEvent(account, uuidv7(), 'sent')]);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await list(account)).toEqual([]);
  });
});

describe('the stages of one message', () => {
  it('arrive in order, each after the one before it was taken', async () => {
    const account = await room.account();
    await room.endpoint(account, 'order');
    const seen: string[] = [];
    room.hooks.answer('order', async (hit) => {
      seen.push(`begin ${hit.json.data.status}`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`end ${hit.json.data.status}`);
      return { status: 200 };
    });
    const message = uuidv7();
    await room.stages(account, message, ['sent', 'delivered']);
    await room.stages(account, message, ['read']);
    await until(() => expect(seen).toHaveLength(6));
    expect(seen).toEqual(['sent', 'delivered', 'read'].flatMap((name) => [`begin ${name}`, `end ${name}`]));
  });

  it('wait behind one that fails, until it is delivered', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'behind');
    room.hooks.answer('behind', () => ({ status: 500 }));
    await room.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(async () => expect(await list(account, '?status=pending')).toHaveLength(2));
    await until(() => expect(statusesAt('behind')).toEqual(['sent']));
    room.hooks.answer('behind', () => ({ status: 200 }));
    await until(async () => {
      await makeDue(id);
      await room.deliveries.claimDue();
      expect(statusesAt('behind')).toEqual(['sent', 'sent', 'delivered']);
    });
  });

  it('wait no longer than an hour', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'hour');
    room.hooks.answer('hour', (hit) => ({ status: hit.json.data.status === 'sent' ? 500 : 200 }));
    await room.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(() => expect(statusesAt('hour')).toEqual(['sent']));
    const { rows } = await sql<{ minutes: number }>`
      select round(extract(epoch from due_at - now()) / 60)::int as minutes from deliveries
      where endpoint_id = ${id} and state = 3`.execute(room.db);
    expect(rows).toEqual([{ minutes: 60 }]);
    await sql`update deliveries set due_at = now() where endpoint_id = ${id} and state = 3`.execute(room.db);
    await room.deliveries.claimDue();
    await until(() => expect(statusesAt('hour')).toEqual(['sent', 'delivered']));
  });

  it('keep their order when two processes publish them at the same moment', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'race');
    for (let round = 0; round < 20; round++) {
      const message = uuidv7();
      // The subject's row lock, which both publishers take before they publish.
      const lock = sql`select pg_advisory_xact_lock(hashtext(${message}))`;
      const startables = await Promise.all(
        (['sent', 'delivered', 'read'] as const).map((name) =>
          room.hot.transaction().execute(async (tx) => {
            await lock.execute(tx);
            return publish({ deliveries: room.deliveries }, tx, [stageEvent(account, message, name)]);
          }),
        ),
      );
      expect(startables.flat()).toHaveLength(1);
    }
    const { rows } = await sql<{ waiting: number }>`
      select count(*) as waiting from deliveries where endpoint_id = ${id} and state = 3`.execute(room.db);
    expect(rows).toEqual([{ waiting: 40 }]);
  });

  it('are neither stranded nor doubled, whichever of the end of one and the publishing of the next commits first', async () => {
    const account = await room.account();
    const { id: endpointId } = await room.endpoint(account, 'commits');
    const deps = { deliveries: room.deliveries };
    for (const first of ['end', 'publish'] as const) {
      const subjectId = uuidv7();
      await room.stages(account, subjectId, ['sent'], false);
      const sent = { subjectId, endpointId, stage: 3, status: 200, durationMs: 1 };
      const [ending, publishing] = [
        await room.hot.startTransaction().execute(),
        await room.hot.startTransaction().execute(),
      ];
      const end = async () => {
        await completeDeliveries(ending, [sent]);
        return releaseNext(ending, [sent]);
      };
      const next = () => publish(deps, publishing, [stageEvent(account, subjectId, 'delivered')]);
      const started: { stage: number }[] = [];
      if (first === 'end') {
        started.push(...(await end()));
        const waits = next();
        await blocked(room.db);
        await ending.commit().execute();
        started.push(...(await waits));
        await publishing.commit().execute();
      } else {
        started.push(...(await next()));
        const waits = end();
        await blocked(room.db);
        await publishing.commit().execute();
        started.push(...(await waits));
        await ending.commit().execute();
      }
      expect(started.map(({ stage }) => stage)).toEqual([4]);
    }
  });

  it('are never stranded when one ends while the next is published', async () => {
    const account = await room.account();
    await room.endpoint(account, 'stranded');
    const messages = Array.from({ length: 40 }, () => uuidv7());
    await Promise.all(
      messages.map(async (message) => {
        for (const name of ['sent', 'delivered', 'read'] as const)
          await room.stages(account, message, [name]);
      }),
    );
    await until(() => expect(hitsOf('stranded')).toHaveLength(120));
    for (const message of messages) {
      const own = hitsOf('stranded').filter((hit) => hit.json.data.id === message);
      expect(own.map((hit) => hit.json.data.status)).toEqual(['sent', 'delivered', 'read']);
    }
  });

  it('are delivered after a failure that the platform later corrected, in the order of their publishing', async () => {
    const account = await room.account();
    await room.endpoint(account, 'corrected');
    const message = uuidv7();
    await room.stages(account, message, ['sent']);
    await room.stages(account, message, ['failed']);
    await room.stages(account, message, ['delivered']);
    await until(() => expect(statusesAt('corrected')).toEqual(['sent', 'failed', 'delivered']));
  });
});

describe('a failed try', () => {
  it('is followed by the next 5 s after it, with the same webhook-id and a new timestamp', async () => {
    const account = await room.account();
    const { id, secret } = await room.endpoint(account, 'again');
    room.hooks.answer('again', () => ({ status: 503, body: 'closed for lunch' }));
    room.clock.nowMs = Date.now() - 60_000;
    await room.stages(account, uuidv7(), ['sent']);
    await until(async () =>
      expect((await list(account))[0]).toMatchObject({ attempts: 1, status: 'pending' }),
    );
    room.clock.nowMs = undefined;
    const [item] = await list(account);
    const wait = new Date(item.nextAttemptAt).getTime() - Date.now();
    expect(wait).toBeGreaterThan(2_000);
    expect(wait).toBeLessThanOrEqual(5_000);
    expect(item).toMatchObject({ lastStatusCode: 503, lastFailure: 'bad_status' });
    room.hooks.answer('again', () => ({ status: 204 }));
    await makeDue(id);
    await room.deliveries.claimDue();
    await until(async () =>
      expect((await list(account))[0]).toMatchObject({ status: 'delivered', attempts: 2 }),
    );
    const [first, second] = hitsOf('again').map((hit) => hit.headers);
    expect(first?.['webhook-id']).toBe(second?.['webhook-id']);
    expect(Number(second?.['webhook-timestamp'])).toBeGreaterThan(Number(first?.['webhook-timestamp']));
    expect(hitsOf('again')[0]?.body).toBe(hitsOf('again')[1]?.body);
    expect(
      new Webhook(secret).verify(hitsOf('again')[1]?.body ?? '', second as Record<string, string>),
    ).toBeTruthy();
    const { body } = await room.call(account, 'GET', `/v1/webhooks/deliveries/${item._id}`);
    expect(body.data.attemptLog).toMatchObject([
      { number: 1, statusCode: 503, failure: 'bad_status', answer: 'closed for lunch' },
      { number: 2, statusCode: 204, failure: null },
    ]);
    expect(body.data.body).toBe(hitsOf('again')[0]?.body);
  });

  it('is one of ten at most; then the delivery is dead, and the next stage may go', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'ten');
    room.hooks.answer('ten', (hit) => ({ status: hit.json.data.status === 'sent' ? 500 : 200 }));
    await room.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(async () => {
      await sql`update endpoints set paused_until = null where id = ${id}`.execute(room.db);
      await makeDue(id);
      await room.deliveries.claimDue();
      expect(await list(account, '?status=dead')).toMatchObject([
        { attempts: 10, lastFailure: 'bad_status' },
      ]);
    });
    expect(statusesAt('ten').filter((name) => name === 'sent')).toHaveLength(10);
    await sql`update endpoints set paused_until = null where id = ${id}`.execute(room.db);
    await until(async () => {
      await room.deliveries.claimDue();
      expect(statusesAt('ten').at(-1)).toBe('delivered');
    });
  });

  it.each([
    ['redirect', () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } }), 302],
    ['bad_status', () => ({ status: 404 }), 404],
    ['timeout', () => new Promise<never>(() => {}), null],
  ] as const)('says what it was: %s', async (failure, how, status) => {
    const account = await room.account();
    const hook = `kind-${failure}`;
    await room.endpoint(account, hook);
    room.hooks.answer(hook, how);
    await room.stages(account, uuidv7(), ['sent']);
    await until(async () =>
      expect(await list(account)).toMatchObject([
        { lastFailure: failure, lastStatusCode: status, attempts: 1 },
      ]),
    );
  });

  it('waits as long as Retry-After asks, and so do the endpoint’s other deliveries', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'later');
    room.hooks.answer('later', () => ({ status: 429, headers: { 'retry-after': '120' } }));
    await room.stages(account, uuidv7(), ['sent']);
    await until(async () => expect((await list(account))[0]?.attempts).toBe(1));
    const [item] = await list(account);
    const wait = new Date(item.nextAttemptAt).getTime() - Date.now();
    expect(wait).toBeGreaterThan(110_000);
    expect(wait).toBeLessThanOrEqual(120_000);
    await room.stages(account, uuidv7(), ['sent']);
    await makeDue(id);
    expect(await room.deliveries.claimDue()).toBe(0);
    expect(hitsOf('later')).toHaveLength(1);
  });

  it('to an address that may not be called is seen as such', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'blocked');
    await sql`update endpoints set url = 'http://10.0.0.1/', version = version + 1 where id = ${id}`.execute(
      room.db,
    );
    await room.stages(account, uuidv7(), ['sent']);
    await until(async () => expect(await list(account)).toMatchObject([{ lastFailure: 'blocked_address' }]));
  });
});

describe('one endpoint’s trouble', () => {
  it('never delays another: a receiver that hangs holds only its own', async () => {
    const account = await room.account();
    await room.endpoint(account, 'hangs');
    await room.endpoint(account, 'quick');
    room.hooks.answer('hangs', () => new Promise<never>(() => {}));
    const messages = Array.from({ length: 150 }, () => uuidv7());
    for (const message of messages) await room.stages(account, message, ['sent']);
    await until(() => expect(hitsOf('quick')).toHaveLength(150));
    expect(hitsOf('hangs').length).toBeLessThanOrEqual(64);
  });

  it('leaves the claim fair: a backlog of one does not hide the few of others', async () => {
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

  it('ends with its first success: what waited is due at once', async () => {
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
      await room.chores();
      await room.deliveries.claimDue();
      expect(await list(account, '?status=delivered')).toHaveLength(6);
    });
    const { body } = await room.call(account, 'GET', `/v1/webhooks/endpoints/${id}`);
    expect(body.data.failingSince).toBeNull();
  });

  it('makes the endpoint rest after ten failures in a row, and be tried with one delivery at a time', async () => {
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
    await makeDue(id);
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

  it('disables it on 410: pending and new deliveries are dead, and can be replayed', async () => {
    const account = await room.account();
    const { id } = await room.endpoint(account, 'gone');
    room.hooks.answer('gone', () => ({ status: 410 }));
    await room.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(async () => {
      const { body } = await room.call(account, 'GET', `/v1/webhooks/endpoints/${id}`);
      expect(body.data).toMatchObject({ status: 'disabled', disabledReason: expect.stringContaining('410') });
    });
    await room.stages(account, uuidv7(), ['sent']);
    await room.chores();
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

  it('disables it after five days of nothing but failures', async () => {
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
    await room.chores();
    expect(await list(account, '?status=pending')).toEqual([]);
  });
});

describe('many deliveries at once', () => {
  it('all arrive, though more than memory takes at a time', async () => {
    const account = await room.account();
    await room.endpoint(account, 'flood');
    const small = room.another({ inFlightPerEndpoint: 4, queuedPerEndpoint: 20, queuedInAll: 40 });
    const startable = await room.db.transaction().execute((tx) =>
      publish(
        { deliveries: small },
        tx,
        Array.from({ length: 300 }, () => stageEvent(account, uuidv7(), 'sent')),
      ),
    );
    small.offer(startable);
    await until(async () => {
      await small.claimDue();
      expect(hitsOf('flood').length).toBeGreaterThanOrEqual(300);
    });
    expect(new Set(hitsOf('flood').map((hit) => hit.headers['webhook-id'])).size).toBe(300);
    expect(hitsOf('flood')).toHaveLength(300);
  });

  it('are given back when the process stops, and another takes them', async () => {
    const account = await room.account();
    await room.endpoint(account, 'stopping');
    const leaving = room.another({ inFlightPerEndpoint: 2 });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    room.hooks.answer('stopping', async () => {
      await held;
      return { status: 200 };
    });
    const startable = await room.db.transaction().execute((tx) =>
      publish(
        { deliveries: leaving },
        tx,
        Array.from({ length: 10 }, () => stageEvent(account, uuidv7(), 'sent')),
      ),
    );
    leaving.offer(startable);
    await until(() => expect(hitsOf('stopping')).toHaveLength(2));
    const stopped = leaving.stop();
    letGo();
    await stopped;
    expect(hitsOf('stopping')).toHaveLength(2);
    await room.deliveries.claimDue();
    await until(async () => expect(await list(account, '?status=delivered')).toHaveLength(10));
    expect(hitsOf('stopping')).toHaveLength(10);
  });
});
