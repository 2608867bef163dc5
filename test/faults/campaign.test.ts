// A short fault campaign: two gateways are killed at every named point of a message's life, then random faults are injected.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { drawFaults } from './faults.ts';
import type { CheckResult } from './final-check.ts';
import { points } from './points.ts';
import { seededRandom } from './random.ts';
import { runRound, underLoad } from './round.ts';
import { openScene, type Scene } from './scene.ts';

// tens of starts of whole gateways
vi.setConfig({ testTimeout: 300_000, hookTimeout: 90_000 });

const seed = 20_261_121;
const dieWithinMs = 60_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(2);
});
afterAll(() => scene?.close());

/** Expects no violation, and enough activity for the check to mean something. */
function expectNoViolation({ violations, figures }: CheckResult, kills: number): void {
  expect(violations.slice(0, 20)).toEqual([]);
  expect(figures.kills).toBeGreaterThanOrEqual(kills);
  expect(figures.read).toBeGreaterThan(20);
  expect(figures.events).toBeGreaterThan(3 * (figures.read ?? 0));
}

test('a gateway killed at each named point loses no message, sends none twice, and delivers every event in order', async () => {
  const random = seededRandom(seed).fork('points');
  const load = { callerCount: 8, restMs: 60, random, firstNumber: 0, report: () => {} };
  const died: string[] = [];
  const result = await underLoad(scene, load, async () => {
    // some points need rejections that are retried, and failed attempts
    await scene.platform.addFault({ code: 131016, share: 0.02 });
    await scene.receiver.addFault({ on: 'shaky', does: 'answer', status: 500, share: 0.05 });
    const names = points.map(({ name }) => name);
    const killAtEachPoint = async (index: number) => {
      const own = names.filter((_, position) => position % 2 === index).map((name) => `${name}#2`);
      await scene.gateways.kill(index, { dieAt: own[0] as string });
      for (const [position, name] of own.entries()) {
        await scene.gateways.dies(index, dieWithinMs, own[position + 1]).catch((error: unknown) => {
          throw new Error(
            `${name} (does its statement still have that name? see points.ts): ${String(error)}`,
          );
        });
        died.push(name);
      }
    };
    await Promise.all([killAtEachPoint(0), killAtEachPoint(1)]);
  });
  expect(died).toHaveLength(points.length);
  expectNoViolation(result, points.length);
});

test('keeps every guarantee during random kills, database outages, and failing external systems', async () => {
  const random = seededRandom(seed);
  const weights = { kill: 3, point: 2, restart: 1, database: 2, cut: 1, platform: 2, receiver: 3, gone: 1 };
  const faults = drawFaults(random.fork('faults'), { count: 10, weights, gateways: 2, gapMs: 700 });
  const load = { callerCount: 8, restMs: 60, random, firstNumber: 40_000, report: () => {} };
  expectNoViolation(await runRound(scene, { ...load, faults }), 3);
});

/** Sends through the first gateway, which dies at the point. Every stage must arrive within 20 s. */
async function arrivesAfter(dieAt: string, prefix: string, count: number): Promise<void> {
  const { gateways, receiver, apiKey, templateIds, senderIds } = scene;
  // the list of events returns the oldest page only
  await receiver.clear();
  await gateways.kill(0, { dieAt });
  const recipients = Array.from({ length: count }, (_, index) => ({
    phone: `${prefix}${String(index).padStart(3, '0')}`,
    variables: { 1: 'Ada', 2: 'A-1', 3: 'today' },
  }));
  // the gateway starts first, and dies before it responds
  const send = () =>
    fetch(`${gateways.urls[0]}/v1/templates/send`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ templateId: templateIds.order_update, senderId: senderIds[0], recipients }),
    }).then(
      () => undefined,
      (error) => {
        if (error.cause?.code === 'ECONNREFUSED') throw error;
      },
    );
  const sent = expect.poll(send, { timeout: 20_000, interval: 100 }).toBe(undefined);
  await Promise.all([sent, gateways.dies(0, dieWithinMs)]);
  const stages = async () => {
    const events = await receiver.events({ hook: 'steady' });
    return events.filter((event) => event.body.includes(`"recipientPhone":"${prefix}`)).length;
  };
  await expect.poll(stages, { timeout: 20_000, interval: 50 }).toBeGreaterThanOrEqual(3 * count);
}

// leases last 60 and 75 s; 20 s leave time for a busy machine
test('the work that a killed gateway had leased is done within seconds, before its leases expire', async () => {
  await scene.platform.settings({ callbackOrigins: [scene.gateways.urls[0] as string] });
  await arrivesAfter('callback-after-commit#1', '15550990', 1);
  await scene.platform.settings({ callbackOrigins: scene.gateways.urls });
  // more recipients than a send inserts as already dispatching
  await arrivesAfter('dispatch-before#1', '15550991', 20);
});
