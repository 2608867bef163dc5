// The faults that a run is dealt, drawn by chance that can be repeated: which, when, and how they are made.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformFault } from '../../sandbox/control.ts';
import type { Fault } from '../../sandbox/faults.ts';
import type { Chance } from './chance.ts';
import type { Ending } from './database.ts';
import { points } from './points.ts';
import type { Scene } from './scene.ts';

export type Kind = 'kill' | 'point' | 'restart' | 'database' | 'cut' | 'platform' | 'receiver' | 'gone';

/** How often each kind is drawn against the others. */
export type Weights = Partial<Record<Kind, number>>;

export interface Deed {
  /** Milliseconds after the deed before it. */
  afterMs: number;
  /** In words, for the account of a run. */
  text: string;
  do(scene: Scene): Promise<unknown>;
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
];

const shaky: readonly Omit<Fault, 'on'>[] = [
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

/** Draws `count` deeds for a scene with so many gateways. */
export function drawDeeds(
  chance: Chance,
  { count, weights, gateways, gapMs }: { count: number; weights: Weights; gateways: number; gapMs: number },
): Deed[] {
  const kinds = Object.entries(weights) as [Kind, number][];
  return Array.from({ length: count }, () => ({
    afterMs: chance.between(gapMs / 2, gapMs * 1.5),
    ...draw(chance, chance.weighed(kinds), gateways),
  }));
}

function draw(chance: Chance, kind: Kind, gateways: number): Omit<Deed, 'afterMs'> {
  const index = chance.between(0, gateways - 1);
  switch (kind) {
    case 'kill': {
      const downMs = chance.pick([0, 0, 500, 2_000]);
      return {
        text: `kill -9 of gateway ${index}, down for ${downMs} ms`,
        do: ({ gateways: all }) => all.kill(index, { downMs }),
      };
    }
    case 'point': {
      const dieAt = `${chance.pick(points).name}#${chance.between(1, 6)}`;
      return {
        text: `kill -9 of gateway ${index}, and of its follower at ${dieAt}`,
        do: ({ gateways: all }) => all.kill(index, { dieAt }),
      };
    }
    case 'restart':
      return { text: `restart of gateway ${index}`, do: ({ gateways: all }) => all.restart(index) };
    case 'database': {
      const ending = chance.pick<Ending>(['SIGINT', 'SIGQUIT', 'SIGKILL']);
      const downMs = chance.pick([0, 500, 2_500]);
      return {
        text: `PostgreSQL ended by ${ending}, out of reach for ${downMs} ms`,
        do: (scene) => outage(scene, () => scene.database.stopAndStart(ending, downMs)),
      };
    }
    case 'cut':
      return {
        text: 'every connection to PostgreSQL cut',
        do: (scene) => outage(scene, async () => scene.database.cutConnections()),
      };
    case 'platform': {
      const fault = chance.pick(platformFaults);
      return {
        text: `platform: ${JSON.stringify(fault)}`,
        do: ({ platform }) => platform.addFault({ ...fault }),
      };
    }
    case 'gone':
      return {
        text: 'receiver: 410 at the hook gone',
        do: ({ receiver }) => receiver.addFault({ on: 'gone', does: 'answer', status: 410, times: 1 }),
      };
    case 'receiver': {
      const fault = { ...chance.pick(shaky), on: 'shaky' };
      return { text: `receiver: ${JSON.stringify(fault)}`, do: ({ receiver }) => receiver.addFault(fault) };
    }
  }
}

/** Does what breaks the database, and notes from when to when it was gone. */
async function outage(scene: Scene, act: () => Promise<unknown>): Promise<void> {
  const fromMs = Date.now();
  await act();
  scene.gateways.breaks.push({ what: 'database', fromMs, toMs: Date.now() });
}

/** Does the deeds one after the other; `tell` is told of each before it is done. */
export async function doDeeds(scene: Scene, deeds: Deed[], tell: (text: string) => void): Promise<void> {
  for (const deed of deeds) {
    await sleep(deed.afterMs);
    tell(deed.text);
    await deed.do(scene);
  }
}
