// The faults of a run, drawn from a seeded generator: which, when, and how they are injected.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformFault } from '../../sandbox/control.ts';
import type { Fault } from '../../sandbox/faults.ts';
import type { CampaignFixture } from './campaign-fixture.ts';
import type { StopSignal } from './database.ts';
import { points } from './points.ts';
import type { Random } from './random.ts';

export type Kind = 'kill' | 'point' | 'restart' | 'database' | 'cut' | 'platform' | 'receiver' | 'gone';

/** Relative frequency of each kind. */
export type Weights = Partial<Record<Kind, number>>;

export interface ScheduledFault {
  /** Milliseconds after the fault before it. */
  afterMs: number;
  /** For the log of a run. */
  description: string;
  inject(fixture: CampaignFixture): Promise<unknown>;
}

const platformFaults: readonly PlatformFault[] = [
  { on: 'messages', does: 'reset', times: 3 },
  { on: 'messages', does: 'reset', when: 'after', times: 3 },
  { on: 'messages', does: 'answer', status: 500, times: 4 },
  { on: 'messages', does: 'answer', status: 502, when: 'after', times: 4 },
  { on: 'messages', does: 'garbage', when: 'after', times: 2 },
  { on: 'messages', does: 'delay', ms: 400, times: 30 },
  { on: 'messages', does: 'hang', when: 'after', times: 2 },
  { on: 'messages', does: 'close', times: 3 },
  { code: 131016, times: 5 },
  { code: 130429, times: 3 },
  { code: 80007, times: 3 },
  { code: 131056, times: 3 },
  { code: 131000, times: 3 },
  // halt templates of a number, the numbers of a business account, those with a token
  { code: 131048, on: 'messages', times: 2 },
  { code: 131042, on: 'messages', times: 1 },
  { code: 190, on: 'messages', times: 1 },
];

const receiverFaults: readonly Omit<Fault, 'on'>[] = [
  { does: 'hang', times: 5 },
  { does: 'reset', times: 20 },
  { does: 'close', times: 20 },
  { does: 'drip', ms: 200, times: 5 },
  { does: 'drip', ms: 200, status: 500, times: 5 },
  { does: 'flood', times: 2 },
  { does: 'flood', status: 500, times: 2 },
  { does: 'garbage', times: 10 },
  { does: 'delay', ms: 700, times: 30 },
  { does: 'answer', status: 500, times: 30 },
  { does: 'answer', status: 503, headers: { 'retry-after': '1' }, times: 3 },
  { does: 'answer', status: 429, headers: { 'retry-after': '1' }, times: 3 },
  { does: 'answer', status: 302, headers: { location: 'http://127.0.0.1:1/' }, times: 20 },
  { does: 'answer', status: 404, body: { error: 'no such hook' }, times: 20 },
];

/** Draws `count` faults for a fixture with `gateways` gateways. */
export function drawFaults(
  random: Random,
  { count, weights, gateways, gapMs }: { count: number; weights: Weights; gateways: number; gapMs: number },
): ScheduledFault[] {
  const kinds = Object.entries(weights) as [Kind, number][];
  return Array.from({ length: count }, () => ({
    afterMs: random.between(gapMs / 2, gapMs * 1.5),
    ...draw(random, random.weighted(kinds), gateways),
  }));
}

function draw(random: Random, kind: Kind, gateways: number): Omit<ScheduledFault, 'afterMs'> {
  const index = random.between(0, gateways - 1);
  switch (kind) {
    case 'kill': {
      const downMs = random.pick([0, 0, 500, 2_000]);
      return {
        description: `kill -9 of gateway ${index}, down for ${downMs} ms`,
        inject: ({ gateways: all }) => all.kill(index, { downMs }),
      };
    }
    case 'point': {
      const dieAt = `${random.pick(points).name}#${random.between(1, 6)}`;
      return {
        description: `kill -9 of gateway ${index}, and of the next process at ${dieAt}`,
        inject: ({ gateways: all }) => all.kill(index, { dieAt }),
      };
    }
    case 'restart':
      return {
        description: `restart of gateway ${index}`,
        inject: ({ gateways: all }) => all.restart(index),
      };
    case 'database': {
      const ending = random.pick<StopSignal>(['SIGINT', 'SIGQUIT', 'SIGKILL']);
      const downMs = random.pick([0, 500, 2_500]);
      return {
        description: `PostgreSQL ended by ${ending}, out of reach for ${downMs} ms`,
        inject: (fixture) => outage(fixture, () => fixture.database.stopAndStart(ending, downMs)),
      };
    }
    case 'cut':
      return {
        description: 'every connection to PostgreSQL cut',
        inject: (fixture) => outage(fixture, async () => fixture.database.cutConnections()),
      };
    case 'platform': {
      const fault = random.pick(platformFaults);
      return {
        description: `platform: ${JSON.stringify(fault)}`,
        inject: ({ platform }) => platform.addFault({ ...fault }),
      };
    }
    case 'gone':
      return {
        description: 'receiver: 410 at the hook gone',
        inject: ({ receiver }) => receiver.addFault({ on: 'gone', does: 'answer', status: 410, times: 1 }),
      };
    case 'receiver': {
      const fault = { ...random.pick(receiverFaults), on: 'shaky' };
      return {
        description: `receiver: ${JSON.stringify(fault)}`,
        inject: ({ receiver }) => receiver.addFault(fault),
      };
    }
  }
}

/** Breaks the database and records how long it was unavailable. */
async function outage(fixture: CampaignFixture, act: () => Promise<unknown>): Promise<void> {
  const fromMs = Date.now();
  await act();
  fixture.gateways.outages.push({ kind: 'database', fromMs, toMs: Date.now() });
}

/** Injects the faults one after the other, and reports each one first. */
export async function injectFaults(
  fixture: CampaignFixture,
  faults: ScheduledFault[],
  report: (description: string) => void,
): Promise<void> {
  for (const fault of faults) {
    await sleep(fault.afterMs);
    report(fault.description);
    await fault.inject(fixture);
  }
}
