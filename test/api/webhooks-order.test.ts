// Order of the stages of one message, through failures, crashes and concurrent publishing.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Db } from '../../src/db/db.ts';
import { completeDeliveries, leaseNextStages } from '../../src/webhooks/delivery/store.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, stageEvent, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  // longer than any busy machine needs between a call and its response
  fixture = await openWebhooksFixture({ random: () => 0.5 }, 15_000);
});
afterAll(() => fixture.close());
afterEach(async () => {
  fixture.clock.steadyMs = undefined;
  await fixture.pauseAll();
});

const hitsOf = (hook: string) => fixture.hooks.hitsOf(hook);
const statusesAt = (hook: string) => fixture.hooks.hitsOf(hook).map((hit) => hit.json.data.status);
const list = (accountId: string, query = '') => fixture.listed(accountId, query);

/** Resolves once a statement waits for another's lock. */
function blocked(db: Db): Promise<void> {
  return until(async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    expect(rows[0]?.waiting).toBe(1);
  });
}

describe('the stages of one message', () => {
  it('arrive in order, each after the previous one was accepted', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'order');
    const seen: string[] = [];
    fixture.hooks.answer('order', async (hit) => {
      seen.push(`begin ${hit.json.data.status}`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`end ${hit.json.data.status}`);
      return { status: 200 };
    });
    const message = uuidv7();
    await fixture.stages(account, message, ['sent', 'delivered']);
    await fixture.stages(account, message, ['read']);
    await until(() => expect(seen).toHaveLength(6));
    expect(seen).toEqual(['sent', 'delivered', 'read'].flatMap((name) => [`begin ${name}`, `end ${name}`]));
  });

  it('wait for a failed one until it is delivered', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'behind');
    fixture.hooks.answer('behind', () => ({ status: 500 }));
    await fixture.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(async () => expect(await list(account, '?status=pending')).toHaveLength(2));
    await until(() => expect(statusesAt('behind')).toEqual(['sent']));
    fixture.hooks.answer('behind', () => ({ status: 200 }));
    await until(async () => {
      await fixture.makeDue(id);
      await fixture.deliveries.claimDue();
      expect(statusesAt('behind')).toEqual(['sent', 'sent', 'delivered']);
    });
  });

  it('wait for a failed one in the middle, which keeps its retry schedule', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'middle');
    fixture.hooks.answer('middle', (hit) => ({ status: hit.json.data.status === 'delivered' ? 500 : 200 }));
    await fixture.stages(account, uuidv7(), ['sent', 'delivered', 'read']);
    await until(async () => {
      const items = (await list(account)).reverse();
      expect(items.map(({ status, attempts }) => [status, attempts])).toEqual([
        ['delivered', 1],
        ['pending', 1],
        ['pending', 0],
      ]);
    });
    const { rows } = await sql<{ seconds: number }>`
      select round(extract(epoch from due_at - now()))::int as seconds from deliveries
      where endpoint_id = ${id} and state = 4`.execute(fixture.db);
    expect(rows[0]?.seconds).toBeGreaterThan(2);
    fixture.hooks.answer('middle', () => ({ status: 200 }));
    await fixture.makeDue(id);
    await fixture.deliveries.claimDue();
    await until(() => expect(statusesAt('middle')).toEqual(['sent', 'delivered', 'delivered', 'read']));
  });

  it('restart from the first when the process died before recording them', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'died');
    await fixture.stages(account, uuidv7(), ['sent', 'delivered', 'read'], false);
    expect(await fixture.deliveries.claimDue()).toBe(0);
    await fixture.makeDue(id, 'leases');
    await fixture.deliveries.claimDue();
    await until(() => expect(statusesAt('died')).toEqual(['sent', 'delivered', 'read']));
  });

  it('wait for an hour at most', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'hour');
    fixture.hooks.answer('hour', (hit) => ({ status: hit.json.data.status === 'sent' ? 500 : 200 }));
    await fixture.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(() => expect(statusesAt('hour')).toEqual(['sent']));
    const minutes = sql<{ minutes: number }>`
      select round(extract(epoch from due_at - now()) / 60)::int as minutes from deliveries where endpoint_id = ${id} and state = 3`;
    await until(async () => expect((await minutes.execute(fixture.db)).rows).toEqual([{ minutes: 60 }]));
    await sql`update deliveries set due_at = now() where endpoint_id = ${id} and state = 3`.execute(
      fixture.db,
    );
    await fixture.deliveries.claimDue();
    await until(() => expect(statusesAt('hour')).toEqual(['sent', 'delivered']));
  });

  it('keep their order when two processes publish them concurrently', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'race');
    for (let round = 0; round < 20; round++) {
      const message = uuidv7();
      // the lock of the message's row, which every publisher acquires first
      const lock = sql`select pg_advisory_xact_lock(hashtext(${message}))`;
      const startables = await Promise.all(
        (['sent', 'delivered', 'read'] as const).map((name) =>
          fixture.hot.transaction().execute(async (tx) => {
            await lock.execute(tx);
            return publish({ deliveries: fixture.deliveries }, tx, [stageEvent(account, message, name)]);
          }),
        ),
      );
      expect(startables.flat()).toHaveLength(1);
    }
    const { rows } = await sql<{ waiting: number }>`
      select count(*) as waiting from deliveries where endpoint_id = ${id} and state = 3`.execute(fixture.db);
    expect(rows).toEqual([{ waiting: 40 }]);
  });

  it('are delivered once each, whichever commits first: the end of one or the publishing of the next', async () => {
    const account = await fixture.account();
    const { id: endpointId } = await fixture.endpoint(account, 'commits');
    const deps = { deliveries: fixture.deliveries };
    for (const first of ['end', 'publish'] as const) {
      const subjectId = uuidv7();
      await fixture.stages(account, subjectId, ['sent'], false);
      const sent = { subjectId, endpointId, stage: 3, status: 200, durationMs: 1, answer: null };
      const [ending, publishing] = [
        await fixture.hot.startTransaction().execute(),
        await fixture.hot.startTransaction().execute(),
      ];
      const end = async () => {
        await completeDeliveries(ending, [sent]);
        return leaseNextStages(ending, [sent], 0);
      };
      const next = () => publish(deps, publishing, [stageEvent(account, subjectId, 'delivered')]);
      const started: { stage: number }[] = [];
      if (first === 'end') {
        started.push(...(await end()));
        const waits = next();
        await blocked(fixture.db);
        await ending.commit().execute();
        started.push(...(await waits));
        await publishing.commit().execute();
      } else {
        started.push(...(await next()));
        const waits = end();
        await blocked(fixture.db);
        await publishing.commit().execute();
        started.push(...(await waits));
        await ending.commit().execute();
      }
      expect(started.map(({ stage }) => stage)).toEqual([4]);
    }
  });

  it('are all delivered when one ends while the next is published', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'stranded');
    const messages = Array.from({ length: 40 }, () => uuidv7());
    await Promise.all(
      messages.map(async (message) => {
        for (const name of ['sent', 'delivered', 'read'] as const)
          await fixture.stages(account, message, [name]);
      }),
    );
    await until(() => expect(hitsOf('stranded')).toHaveLength(120));
    for (const message of messages) {
      const own = hitsOf('stranded').filter((hit) => hit.json.data.id === message);
      expect(own.map((hit) => hit.json.data.status)).toEqual(['sent', 'delivered', 'read']);
    }
  });

  it('are delivered in the order of publishing after a failure that the platform corrected', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'corrected');
    const message = uuidv7();
    await fixture.stages(account, message, ['sent']);
    await fixture.stages(account, message, ['failed']);
    await fixture.stages(account, message, ['delivered']);
    await until(() => expect(statusesAt('corrected')).toEqual(['sent', 'failed', 'delivered']));
  });
});

describe('later stages that a process attempts without a commit in between', () => {
  /** A message with two stages. The receiver has the first one and has not responded yet. */
  async function firstStageHeld(hook: string, deliveries = fixture.deliveries) {
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
    const leased = await fixture.hot.transaction().execute((tx) =>
      publish(
        { deliveries },
        tx,
        (['sent', 'delivered'] as const).map((name) => stageEvent(account, message, name)),
      ),
    );
    deliveries.offer(leased);
    await until(() => expect(statusesAt(hook)).toEqual(['sent']));
    return { account, id, answerFirst };
  }
  let message: string;
  beforeEach(() => {
    message = uuidv7();
  });
  const stateOf = async (stage: number) => {
    const { rows } = await sql<{ state: number; due: boolean | null }>`
      select state, due_at <= now() as due from deliveries where subject_id = ${message} and stage = ${stage}`.execute(
      fixture.db,
    );
    return rows[0];
  };

  it('stop when the owner pauses the endpoint', async () => {
    const { account, id, answerFirst } = await firstStageHeld('paused-between');
    const path = `/v1/webhooks/endpoints/${id}`;
    await fixture.call(account, 'PATCH', path, { status: 'paused' });
    answerFirst();
    const states = async () => [await stateOf(3), await stateOf(4)];
    await expect.poll(states).toMatchObject([{ state: 1 }, { state: 0, due: true }]);
    expect(statusesAt('paused-between')).toEqual(['sent']);
    await fixture.call(account, 'PATCH', path, { status: 'active' });
    await until(async () => {
      await fixture.deliveries.claimDue();
      expect(statusesAt('paused-between')).toEqual(['sent', 'delivered']);
    });
  });

  it('are left to another process when the process stops', async () => {
    const leaving = fixture.openAnotherProcess();
    const { answerFirst } = await firstStageHeld('stopped-between', leaving);
    const stopped = leaving.stop();
    answerFirst();
    await stopped;
    expect(statusesAt('stopped-between')).toEqual(['sent']);
    expect(await stateOf(3)).toMatchObject({ state: 1 });
    await until(async () => {
      await fixture.deliveries.claimDue();
      expect(statusesAt('stopped-between')).toEqual(['sent', 'delivered']);
    });
  });

  it('stop after a second, so that a slow receiver’s success is recorded before the next stage', async () => {
    fixture.clock.steadyMs = 1_000_000;
    const { answerFirst } = await firstStageHeld('slow-between');
    const atSecond: unknown[] = [];
    fixture.hooks.answer('slow-between', async () => {
      atSecond.push(await stateOf(3));
      return { status: 200 };
    });
    fixture.clock.steadyMs += 1_000;
    answerFirst();
    await until(() => expect(atSecond).toMatchObject([{ state: 1 }]));
  });

  it('are not offered again while the failure of the first one is being recorded', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'failing-between');
    fixture.hooks.answer('failing-between', (hit) => ({
      status: hit.json.data.status === 'delivered' ? 500 : 200,
    }));
    // the failure of the second stage is recorded only after the first one's success has released it
    const endpoint = await fixture.db.startTransaction().execute();
    await sql`select from endpoints where id = ${id} for update`.execute(endpoint);
    await fixture.stages(account, message, ['sent', 'delivered']);
    await until(() => expect(statusesAt('failing-between')).toEqual(['sent', 'delivered']));
    await blocked(fixture.db);
    await endpoint.commit().execute();
    await until(async () => expect(await stateOf(4)).toMatchObject({ state: 4 }));
    expect(statusesAt('failing-between')).toEqual(['sent', 'delivered']);
  });
});
