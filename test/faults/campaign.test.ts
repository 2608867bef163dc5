// The fault campaign, short: two gateways die at every named point of a message's journey, then at random with all that can go wrong.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { chance } from './chance.ts';
import { drawDeeds } from './faults.ts';
import { points } from './points.ts';
import type { Reckoning } from './reckoning.ts';
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

/** Nothing broken, each breach in words; and things did happen. */
function expectAllKept({ breaches, figures }: Reckoning, kills: number): void {
  expect(breaches.slice(0, 20)).toEqual([]);
  expect(figures.kills).toBeGreaterThanOrEqual(kills);
  expect(figures.read).toBeGreaterThan(20);
  expect(figures.events).toBeGreaterThan(3 * (figures.read ?? 0));
}

test('a gateway killed at any point of the journey loses nothing, doubles nothing, and tells everything in order', async () => {
  const load = { lines: 8, restMs: 60, chance: chance(seed).part('points'), firstNumber: 0, tell: () => {} };
  const died: string[] = [];
  const reckoning = await underLoad(scene, load, async () => {
    // what some points need: refusals to be tried again, and tries that fail
    await scene.platform.addFault({ code: 131016, share: 0.02 });
    await scene.receiver.addFault({ on: 'shaky', does: 'answer', status: 500, share: 0.05 });
    const names = points.map(({ name }) => name);
    const chain = async (index: number) => {
      const own = names.filter((_, place) => place % 2 === index).map((name) => `${name}#2`);
      await scene.gateways.kill(index, { dieAt: own[0] as string });
      for (const [place, name] of own.entries()) {
        await scene.gateways.dies(index, dieWithinMs, own[place + 1]).catch((error: unknown) => {
          throw new Error(`${name} (has its statement changed? see points.ts): ${String(error)}`);
        });
        died.push(name);
      }
    };
    await Promise.all([chain(0), chain(1)]);
  });
  expect(died).toHaveLength(points.length);
  expectAllKept(reckoning, points.length);
});

test('kills at random, PostgreSQL away, and an outside that misbehaves: every promise is kept', async () => {
  const random = chance(seed);
  const weights = { kill: 3, point: 2, restart: 1, database: 2, cut: 1, platform: 2, receiver: 3, gone: 1 };
  const deeds = drawDeeds(random.part('deeds'), { count: 10, weights, gateways: 2, gapMs: 700 });
  const load = { lines: 8, restMs: 60, chance: random, firstNumber: 40_000, tell: () => {} };
  expectAllKept(await runRound(scene, { ...load, deeds }), 3);
});

test('events that a gateway had leased when it died arrive within seconds, not when the lease lapses', async () => {
  const { gateways, platform, receiver, call, templateIds, senderIds } = scene;
  await platform.settings({ callbackOrigins: [gateways.urls[0] as string] });
  await gateways.kill(0, { dieAt: 'callback-after-commit#1' });
  const phone = '15550990001';
  const send = () =>
    call<{ messages: { messageId: string }[] }>('POST', '/v1/templates/send', {
      templateId: templateIds.order_update,
      senderId: senderIds[0],
      recipients: [{ phone, variables: { 1: 'Ada', 2: 'A-1', 3: 'today' } }],
    });
  await Promise.all([send(), gateways.dies(0, dieWithinMs)]);
  const diedAtMs = performance.now();
  const stages = async () => {
    const events = await receiver.events({ hook: 'steady' });
    return events.filter(({ body }) => body.includes(phone)).length;
  };
  await expect.poll(stages, { timeout: 20_000, interval: 50 }).toBeGreaterThanOrEqual(3);
  // the lease lasts 75 s; the rest is room for a busy machine
  expect(performance.now() - diedAtMs).toBeLessThan(20_000);
});
