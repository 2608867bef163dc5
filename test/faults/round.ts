// One run of the campaign: load, faults, the wait for the end, and the reckoning.
import { type Callers, startCallers } from './callers.ts';
import type { Chance } from './chance.ts';
import { beginRun, collect } from './collect.ts';
import { type Deed, doDeeds } from './faults.ts';
import { type Reckoning, reckon } from './reckoning.ts';
import type { Scene } from './scene.ts';
import { settle } from './settle.ts';

export interface Round {
  deeds: Deed[];
  /** Callers at once, and a caller's mean rest between two sends. */
  lines: number;
  restMs: number;
  chance: Chance;
  /** Numbers of recipients begin here, so that no two rounds of a campaign share one. */
  firstNumber: number;
  tell: (text: string) => void;
}

/** Runs it; rejects only where the campaign itself fails, never for a broken promise. */
export async function runRound(scene: Scene, round: Round): Promise<Reckoning> {
  return underLoad(scene, round, () => doDeeds(scene, round.deeds, round.tell));
}

/** The same with faults of one's own. */
export async function underLoad(
  scene: Scene,
  { lines, restMs, chance, firstNumber }: Omit<Round, 'deeds'>,
  act: (callers: Callers) => Promise<void>,
): Promise<Reckoning> {
  const begin = await beginRun(scene);
  const callers = startCallers({
    gateways: scene.gateways.urls,
    apiKey: scene.apiKey,
    templateIds: scene.templateIds,
    senderIds: scene.senderIds,
    lines,
    restMs,
    chance,
    firstNumber,
  });
  try {
    await act(callers);
    await callers.stop();
    const unfinished = await settle(scene, callers, begin.atMs);
    return reckon(await collect(scene, begin, { sends: callers.sends, unfinished }));
  } finally {
    await callers.close();
  }
}
