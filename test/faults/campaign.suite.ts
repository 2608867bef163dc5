// Tests of the fault campaign for any number of points and faults: gateways die at named points, then random faults are injected.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { wrongCounts } from '../harness/statistics.ts';
import { type CampaignFixture, openCampaignFixture } from './campaign-fixture.ts';
import { drawFaults, injectFaults, type Weights } from './faults.ts';
import { points } from './points.ts';
import { seededRandom } from './random.ts';
import { underLoad } from './round.ts';

// tens of starts of whole gateways
vi.setConfig({ testTimeout: 420_000, hookTimeout: 90_000 });

const seed = 20_261_121;
/** Some points need the few operators and people, whose repeated bookings wait about 45 s for the key of a gateway that died. */
const dieWithinMs = 120_000;

interface Campaign {
  /** The names of the points at which a gateway dies. */
  dieAt: readonly string[];
  /** The number of random faults, after one outage of the database. */
  faultCount: number;
}

const weights: Weights = {
  kill: 3,
  point: 2,
  restart: 1,
  database: 1,
  cut: 1,
  platform: 2,
  receiver: 3,
  gone: 1,
};

export const allPoints = points.map(({ name }) => name);

/** Defines the tests, and returns the fixture of two gateways on which they run. */
export function faultCampaign({ dieAt, faultCount }: Campaign): () => CampaignFixture {
  let fixture: CampaignFixture;
  beforeAll(async () => {
    fixture = await openCampaignFixture(2);
  });
  afterAll(() => fixture?.close());

  /** Kills the gateway at each of its points, one start after the other. */
  async function killAtPoints(index: number, names: string[]): Promise<void> {
    const own = names.map((name) => `${name}#2`);
    await fixture.gateways.kill(index, { dieAt: own[0] as string });
    for (const [position, name] of own.entries()) {
      await fixture.gateways.dies(index, dieWithinMs, own[position + 1]).catch((error: unknown) => {
        throw new Error(`${name} (does its statement still have that name? see points.ts): ${String(error)}`);
      });
    }
  }

  test('loses no message, sends none twice, and delivers every event in order, whatever dies or fails', async () => {
    const random = seededRandom(seed);
    const gateways = { gateways: 2, gapMs: 700 };
    const faults = [
      ...drawFaults(random.fork('outage'), { count: 1, weights: { database: 1 }, ...gateways }),
      ...drawFaults(random.fork('faults'), { count: faultCount, weights, ...gateways }),
    ];
    const load = { callerCount: 8, restMs: 60, random, firstNumber: 0, report: () => {} };
    const { violations, figures } = await underLoad(fixture, load, async () => {
      // some points need rejections that are retried, and failed attempts
      await fixture.platform.addFault({ code: 131016, share: 0.02 });
      await fixture.receiver.addFault({ on: 'shaky', does: 'answer', status: 500, share: 0.05 });
      const half = (index: number) => dieAt.filter((_, position) => position % 2 === index);
      await Promise.all([killAtPoints(0, half(0)), killAtPoints(1, half(1))]);
      await injectFaults(fixture, faults, () => {});
    });
    expect(violations.slice(0, 20)).toEqual([]);
    expect(await wrongCounts(fixture.database.db)).toEqual([]);
    // enough happened for the check to mean something
    expect(figures.kills).toBeGreaterThanOrEqual(dieAt.length);
    expect(figures.read).toBeGreaterThan(20);
    expect(figures.events).toBeGreaterThan(3 * (figures.read ?? 0));
  });

  return () => fixture;
}
