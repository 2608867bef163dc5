// Replays of time ranges: order, throttling, progress, and endpoint maintenance.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture();
});
afterAll(() => fixture.close());
afterEach(async () => {
  await fixture.pauseAll();
  await sql`update replays set finished_at = now() where finished_at is null`.execute(fixture.db);
});

const endpointPath = (id: string) => `/v1/webhooks/endpoints/${id}`;
const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const replay = async (account: string, id: string, more: object = {}) =>
  (
    await fixture.call(account, 'POST', `${endpointPath(id)}/replay`, {
      from: hourAgo(),
      to: inAnHour(),
      ...more,
    })
  ).body.data;
const replaysOf = async (account: string, id: string) =>
  (await fixture.call(account, 'GET', `${endpointPath(id)}/replays`)).body.data.items;

/** Inserts old deliveries of one endpoint in a state, as they are after their last attempt. */
async function history(account: string, endpointId: string, count: number, state: 1 | 2): Promise<void> {
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, attempts, delivered_at)
    select uuid7(), ${account}, ${endpointId}, uuid7(), 0, 'test', '{"event":"test"}', ${state}, 1,
      case when ${state} = 1 then now() end
    from generate_series(1, ${count}::int)`.execute(fixture.db);
}

const due = async (endpointId: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*) n from deliveries where endpoint_id = ${endpointId} and due_at is not null`.execute(
    fixture.db,
  );
  return rows[0]?.n ?? 0;
};

/** The states of an endpoint's deliveries, by stage. */
const statesOf = async (endpointId: string): Promise<number[]> => {
  const { rows } = await sql<{ state: number }>`
    select state from deliveries where endpoint_id = ${endpointId} order by stage`.execute(fixture.db);
  return rows.map((row) => row.state);
};

describe('a replay of a time range', () => {
  it('delivers a message’s dead stages in order, each after the previous one', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'in-order');
    fixture.hooks.answer('in-order', () => ({ status: 410 }));
    const messages = [uuidv7(), uuidv7()];
    for (const message of messages) await fixture.stages(account, message, ['sent', 'delivered', 'read']);
    await until(async () => {
      await fixture.runMaintenance();
      expect(await fixture.listed(account, '?status=dead')).toHaveLength(6);
    });
    const earlier = fixture.hooks.hitsOf('in-order').length;
    const begun = new Set<string>();
    fixture.hooks.answer('in-order', async ({ json: { data } }) => {
      begun.add(String(data.id));
      // different messages do not wait for one another
      await until(() => expect(begun.size).toBe(2));
      return { status: 200 };
    });
    await fixture.call(account, 'PATCH', endpointPath(id), { status: 'active' });
    expect(await replay(account, id, { status: 'dead' })).toMatchObject({ replayed: 6, finished: true });
    // repeated as by the worker: with an outdated copy of the endpoint, the process may release some deliveries once
    await until(async () => {
      await fixture.deliveries.claimDue();
      expect(await fixture.listed(account, '?status=delivered')).toHaveLength(6);
    });
    for (const message of messages) {
      const received = fixture.hooks
        .hitsOf('in-order')
        .slice(earlier)
        .filter((hit) => hit.json.data.id === message);
      expect(received.map((hit) => hit.json.data.status)).toEqual(['sent', 'delivered', 'read']);
    }
  });

  it('of a later stage waits while the earlier one is pending, but not when it is dead', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'later-alone');
    await sql`update endpoints set status = 'paused' where id = ${id}`.execute(fixture.db);
    await fixture.stages(account, uuidv7(), ['sent', 'delivered']);
    const states = () => statesOf(id);
    const [later] = await fixture.listed(account);
    expect(await states()).toEqual([0, 3]);
    await fixture.call(account, 'POST', `/v1/webhooks/deliveries/${later._id}/replay`);
    expect(await states()).toEqual([0, 3]);
    await sql`update deliveries set state = 2, due_at = null where endpoint_id = ${id}`.execute(fixture.db);
    await fixture.call(account, 'POST', `/v1/webhooks/deliveries/${later._id}/replay`);
    expect(await states()).toEqual([2, 0]);
  });

  it('of both makes the later stage wait for the earlier one', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'both');
    await sql`update endpoints set status = 'paused' where id = ${id}`.execute(fixture.db);
    await fixture.stages(account, uuidv7(), ['sent', 'delivered']);
    await sql`update deliveries set state = 2, due_at = null where endpoint_id = ${id}`.execute(fixture.db);
    expect(await replay(account, id, { status: 'dead' })).toMatchObject({ replayed: 2 });
    expect(await statesOf(id)).toEqual([0, 3]);
  });

  it('has no upper limit, is throttled, and reports its progress', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'long');
    await history(account, id, 2_600, 1);
    await history(account, id, 40, 2);
    await sql`update endpoints set status = 'paused' where id = ${id}`.execute(fixture.db);
    const begun = await replay(account, id, { status: 'delivered' });
    expect(begun).toMatchObject({ replayed: 500, finished: false, finishedAt: null, status: 'delivered' });
    await fixture.runMaintenance();
    expect(await due(id), 'no more than a thousand are due together').toBeLessThanOrEqual(1_500);
    const [half] = await replaysOf(account, id);
    expect(half).toMatchObject({ _id: begun._id, finished: false });
    expect(half.replayed).toBeLessThan(2_600);
    expect(half.reachedAt > half.from && half.reachedAt < half.to).toBe(true);
    await fixture.call(account, 'PATCH', endpointPath(id), { status: 'active' });
    await until(async () => {
      await fixture.runMaintenance();
      await fixture.deliveries.claimDue();
      expect((await replaysOf(account, id))[0]).toMatchObject({ replayed: 2_600, finished: true });
      expect(await due(id)).toBe(0);
    });
    const [done] = await replaysOf(account, id);
    expect(done.reachedAt).toBe(done.to);
    expect(Date.parse(done.finishedAt)).toBeGreaterThanOrEqual(Date.parse(done.createdAt));
    const ids = fixture.hooks.hitsOf('long').map((hit) => hit.headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([2_600, 2_600]);
  });

  it('ignores deliveries created after the request', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'afterwards');
    await history(account, id, 600, 1);
    await sql`update endpoints set status = 'paused' where id = ${id}`.execute(fixture.db);
    expect(await replay(account, id)).toMatchObject({ replayed: 500, finished: false });
    await sql`update deliveries set due_at = null, state = 1 where endpoint_id = ${id}`.execute(fixture.db);
    await sql`select pg_sleep(0.02)`.execute(fixture.db);
    await history(account, id, 30, 1);
    await fixture.runMaintenance();
    expect((await replaysOf(account, id))[0]).toMatchObject({ replayed: 600, finished: true });
  });

  it('is listed newest first, in pages, and only in its account', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'listed');
    const made: string[] = [];
    for (let count = 0; count < 3; count++) made.unshift((await replay(account, id))._id);
    const path = `${endpointPath(id)}/replays`;
    const first = (await fixture.call(account, 'GET', `${path}?limit=2`)).body.data;
    const second = (
      await fixture.call(account, 'GET', `${path}?limit=2&cursor=${first.pagination.nextCursor}`)
    ).body.data;
    expect([...first.items, ...second.items].map((item: { _id: string }) => item._id)).toEqual(made);
    expect(second.pagination.nextCursor).toBeNull();
    expect((await fixture.call(await fixture.account(), 'GET', path)).status).toBe(404);
    expect((await fixture.call(account, 'GET', `${path}?cursor=x`)).status).toBe(400);
  });

  it('ends when its endpoint is deleted', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'ended');
    await history(account, id, 600, 1);
    await replay(account, id);
    await fixture.call(account, 'DELETE', endpointPath(id));
    const { rows } = await sql`select from replays where endpoint_id = ${id} and finished_at is null`.execute(
      fixture.db,
    );
    expect(rows).toEqual([]);
  });
});

describe('endpoint maintenance', () => {
  it('continues with the others when one step fails', async () => {
    const account = await fixture.account();
    const [bad, good] = [await fixture.endpoint(account, 'bad'), await fixture.endpoint(account, 'good')];
    for (const { id } of [bad, good]) await history(account, id, 600, 1);
    await sql
      .raw(`create function fail_one() returns trigger language plpgsql as $$ begin raise 'this row is broken'; end $$;
        create trigger fail_one before update on deliveries for each row
          when (old.endpoint_id = '${bad.id}' and new.state = 2) execute function fail_one()`)
      .execute(fixture.db);
    for (const { id } of [bad, good]) {
      await replay(account, id);
      await sql`update deliveries set due_at = now() + interval '1 hour', state = 4 where endpoint_id = ${id}`.execute(
        fixture.db,
      );
    }
    await fixture.call(account, 'DELETE', endpointPath(bad.id));
    await fixture.call(account, 'DELETE', endpointPath(good.id));
    await fixture.runMaintenance();
    expect([(await due(bad.id)) > 0, await due(good.id)]).toEqual([true, 0]);
    await sql.raw('drop trigger fail_one on deliveries; drop function fail_one').execute(fixture.db);
    await fixture.runMaintenance();
    expect(await due(bad.id)).toBe(0);
  });

  it('reaches an endpoint behind a hundred others with nothing to do', async () => {
    const account = await fixture.account();
    const stuck = await fixture.endpoint(account, 'stuck');
    await sql`update endpoints set status = 'paused' where id = ${stuck.id}`.execute(fixture.db);
    await history(account, stuck.id, 1_600, 1);
    await replay(account, stuck.id);
    await fixture.runMaintenance();
    const ids = Array.from({ length: 120 }, () => uuidv7());
    await sql`
      insert into replays (id, account_id, endpoint_id, from_at, to_at, states, after_id)
      select new_id, account_id, endpoint_id, from_at, to_at, states, uuid7_floor(from_at)
      from replays, unnest(${ids}::uuid[]) new_id where endpoint_id = ${stuck.id}`.execute(fixture.db);
    const other = await fixture.account();
    const { id } = await fixture.endpoint(other, 'free');
    await history(other, id, 700, 1);
    await replay(other, id);
    await fixture.runMaintenance();
    expect((await replaysOf(other, id))[0]).toMatchObject({ replayed: 700, finished: true });
  });
});
