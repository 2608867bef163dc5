// Isolation of endpoints: hanging endpoints and backlogs never exclude others from memory or claims.
import { verify } from '@octokit/webhooks-methods';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { DeliverySettings } from '../../src/webhooks/delivery/settings.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, stageEvent, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
afterEach(() => fixture.close());

/** Endpoints whose receivers never respond, each in an account of its own. */
async function hanging(count: number): Promise<string[]> {
  const accounts: string[] = [];
  for (let index = 0; index < count; index++) {
    const account = await fixture.account();
    await fixture.endpoint(account, `hangs-${index}`);
    fixture.hooks.answer(`hangs-${index}`, () => new Promise<never>(() => {}));
    accounts.push(account);
  }
  return accounts;
}

const short: Partial<DeliverySettings> = {
  inFlightPerEndpoint: 4,
  queuedPerEndpoint: 20,
  queuedInAll: 60,
  assuredPerEndpoint: 3,
};

describe('endpoints that hang', () => {
  it('can fill the queue in memory without excluding others from publishing or claims', async () => {
    fixture = await openWebhooksFixture(short, 60_000);
    for (const account of await hanging(6)) {
      for (let count = 0; count < 40; count++) await fixture.stages(account, uuidv7(), ['sent']);
    }
    await fixture.deliveries.claimDue();
    const [published, claimed] = [await fixture.account(), await fixture.account()];
    await fixture.endpoint(published, 'published');
    await fixture.endpoint(claimed, 'claimed');
    for (let count = 0; count < 30; count++) {
      await fixture.stages(published, uuidv7(), ['sent']);
      await fixture.stages(claimed, uuidv7(), ['sent'], false);
    }
    await sql`update deliveries set due_at = now() where account_id = ${claimed}`.execute(fixture.db);
    await until(async () => {
      await fixture.deliveries.claimDue();
      expect(fixture.hooks.hitsOf('published')).toHaveLength(30);
      expect(fixture.hooks.hitsOf('claimed')).toHaveLength(30);
    });
    for (let index = 0; index < 6; index++) {
      expect(fixture.hooks.hitsOf(`hangs-${index}`).length).toBeLessThanOrEqual(4);
    }
  });
});

describe('deliveries queued in one process', () => {
  it('use the endpoint as another process changed it: paused, with a new URL, without a leaked secret', async () => {
    fixture = await openWebhooksFixture({ inFlightPerEndpoint: 1 });
    const account = await fixture.account();
    const other = fixture.openAnotherProcess({ inFlightPerEndpoint: 1 });
    const path = (id: string) => `/v1/webhooks/endpoints/${id}`;
    const held = async (hook: string) => {
      let release = () => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      fixture.hooks.answer(hook, async () => {
        await gate;
        return { status: 200 };
      });
      const endpoint = await fixture.endpoint(account, hook, { events: [kindOf[hook]] });
      const events = Array.from({ length: 20 }, () => ({
        ...stageEvent(account, uuidv7(), 'sent'),
        kind: kindOf[hook] as string,
      }));
      other.offer(
        await fixture.hot.transaction().execute((tx) => publish({ deliveries: other }, tx, events)),
      );
      await until(() => expect(fixture.hooks.hitsOf(hook)).toHaveLength(1));
      return { ...endpoint, release };
    };
    const [paused, moved, rotated] = [await held('paused'), await held('moved'), await held('rotated')];
    await fixture.call(account, 'PATCH', path(paused.id), { status: 'paused' });
    await fixture.call(account, 'PATCH', path(moved.id), { url: fixture.hooks.url('moved-to') });
    const rotation = await fixture.call(account, 'POST', `${path(rotated.id)}/rotate-secret`, {
      overlapSeconds: 0,
    });
    await until(async () => {
      const { rows } = await sql`
        select from deliveries where endpoint_id = ${paused.id} and due_at <= now()`.execute(fixture.db);
      expect(rows, 'released, and kept until the endpoint is resumed').toHaveLength(19);
    });
    for (const endpoint of [paused, moved, rotated]) endpoint.release();
    await until(() => expect(fixture.hooks.hitsOf('moved-to')).toHaveLength(19));
    await until(() => expect(fixture.hooks.hitsOf('rotated')).toHaveLength(20));
    expect([fixture.hooks.hitsOf('paused').length, fixture.hooks.hitsOf('moved').length]).toEqual([1, 1]);
    for (const hit of fixture.hooks.hitsOf('rotated').slice(1)) {
      const signature = String(hit.headers['x-webhook-signature']);
      expect(await verify(rotation.body.data.secret, hit.body, signature)).toBe(true);
    }
  });
});

const kindOf: Record<string, string> = {
  paused: 'appointments.booked',
  moved: 'appointments.cancelled',
  rotated: 'appointments.rescheduled',
};

describe('claims', () => {
  it('that reach their limit take turns among the endpoints, so that none waits for the backlog of others', async () => {
    fixture = await openWebhooksFixture({ ...short, claimedPerRound: 16 });
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) {
      const account = await fixture.account();
      const { id } = await fixture.endpoint(account, `behind-${index}`);
      for (let count = 0; count < 60; count++) await fixture.stages(account, uuidv7(), ['sent'], false);
      ids.push(id);
    }
    await sql`update deliveries set due_at = now()`.execute(fixture.db);
    const reached = () => ids.filter((_, index) => fixture.hooks.hitsOf(`behind-${index}`).length > 0).length;
    for (let round = 0; round < 5; round++) {
      const before = fixture.hooks.hits.length;
      expect(await fixture.deliveries.claimDue()).toBe(16);
      await until(() => expect(fixture.hooks.hits.length).toBe(before + 16));
    }
    expect(reached()).toBe(10);
    await until(async () => {
      await fixture.deliveries.claimDue();
      expect(fixture.hooks.hits).toHaveLength(600);
    });
  });
});
