// Promises of isolation where memory and claims are short: however many endpoints hang or are behind, each gets its turn.
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { DeliverSettings } from '../../src/webhooks/delivering/deliver.ts';
import { until } from '../harness/until.ts';
import { openRoom, type Room } from '../harness/webhook-room.ts';

let room: Room;
afterEach(() => room.close());

/** Endpoints of one fresh account each, whose receivers never answer. */
async function hanging(count: number): Promise<string[]> {
  const accounts: string[] = [];
  for (let index = 0; index < count; index++) {
    const account = await room.account();
    await room.endpoint(account, `hangs-${index}`);
    room.hooks.answer(`hangs-${index}`, () => new Promise<never>(() => {}));
    accounts.push(account);
  }
  return accounts;
}

const short: Partial<DeliverSettings> = {
  inFlightPerEndpoint: 4,
  queuedPerEndpoint: 20,
  queuedInAll: 60,
  assuredPerEndpoint: 3,
};

describe('endpoints that hang', () => {
  it('may fill the memory, and still shut nobody out: neither what is published nor what is claimed', async () => {
    room = await openRoom(short, 60_000);
    for (const account of await hanging(6)) {
      for (let count = 0; count < 40; count++) await room.stages(account, uuidv7(), ['sent']);
    }
    await room.deliveries.claimDue();
    const [published, claimed] = [await room.account(), await room.account()];
    await room.endpoint(published, 'published');
    await room.endpoint(claimed, 'claimed');
    for (let count = 0; count < 30; count++) {
      await room.stages(published, uuidv7(), ['sent']);
      await room.stages(claimed, uuidv7(), ['sent'], false);
    }
    await sql`update deliveries set due_at = now() where account_id = ${claimed}`.execute(room.db);
    await until(async () => {
      await room.deliveries.claimDue();
      expect(room.hooks.hitsOf('published')).toHaveLength(30);
      expect(room.hooks.hitsOf('claimed')).toHaveLength(30);
    });
    for (let index = 0; index < 6; index++) {
      expect(room.hooks.hitsOf(`hangs-${index}`).length).toBeLessThanOrEqual(4);
    }
  });
});

describe('claims', () => {
  it('that cannot bring all go round: nobody waits until those before them have caught up', async () => {
    room = await openRoom({ ...short, claimedAtOnce: 16 });
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) {
      const account = await room.account();
      const { id } = await room.endpoint(account, `behind-${index}`);
      for (let count = 0; count < 60; count++) await room.stages(account, uuidv7(), ['sent'], false);
      ids.push(id);
    }
    await sql`update deliveries set due_at = now()`.execute(room.db);
    const met = () => ids.filter((_, index) => room.hooks.hitsOf(`behind-${index}`).length > 0).length;
    for (let round = 0; round < 5; round++) {
      const before = room.hooks.hits.length;
      expect(await room.deliveries.claimDue()).toBe(16);
      await until(() => expect(room.hooks.hits.length).toBe(before + 16));
    }
    expect(met()).toBe(10);
    await until(async () => {
      await room.deliveries.claimDue();
      expect(room.hooks.hits).toHaveLength(600);
    });
  });
});
