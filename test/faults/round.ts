// One round of the campaign: load, faults, the wait until no work is open, and the final check.
import { type Callers, startCallers } from './callers.ts';
import type { CampaignFixture } from './campaign-fixture.ts';
import { beginRun, collect } from './collect.ts';
import { injectFaults, type ScheduledFault } from './faults.ts';
import { type CheckResult, checkEvidence } from './final-check.ts';
import type { Random } from './random.ts';
import { waitUntilDone } from './wait-until-done.ts';

export interface Round {
  faults: ScheduledFault[];
  /** Number of concurrent callers, and the mean pause of a caller between two sends. */
  callerCount: number;
  restMs: number;
  random: Random;
  /** First recipient number; no two rounds of a campaign share a number. */
  firstNumber: number;
  report: (text: string) => void;
}

/** Runs a round. Rejects only if the campaign itself fails, never for a violation. */
export async function runRound(fixture: CampaignFixture, round: Round): Promise<CheckResult> {
  return underLoad(fixture, round, () => injectFaults(fixture, round.faults, round.report));
}

/** Runs `act` under load, then waits and checks. */
export async function underLoad(
  fixture: CampaignFixture,
  { callerCount, restMs, random, firstNumber }: Omit<Round, 'faults'>,
  act: (callers: Callers) => Promise<void>,
): Promise<CheckResult> {
  const begin = await beginRun(fixture);
  const callers = startCallers({
    gateways: fixture.gateways.urls,
    apiKey: fixture.apiKey,
    templateIds: fixture.templateIds,
    senderIds: fixture.senderIds,
    callers: callerCount,
    restMs,
    random,
    firstNumber,
  });
  try {
    await act(callers);
    await callers.stop();
    const unfinished = await waitUntilDone(fixture, callers, begin.atMs);
    return checkEvidence(await collect(fixture, begin, { sends: callers.sends, unfinished }));
  } finally {
    await callers.close();
  }
}
