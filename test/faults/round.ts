// One round of the campaign: load, faults, the wait until no work is open, and the final check.
import { type Callers, startCallers } from './callers.ts';
import type { CampaignFixture } from './campaign-fixture.ts';
import { beginRun, collect } from './collect.ts';
import { injectFaults, type ScheduledFault } from './faults.ts';
import { type CheckResult, checkEvidence } from './final-check.ts';
import { startOperators } from './operators.ts';
import { startPeople } from './people.ts';
import { openPersistentRequests } from './persistent-requests.ts';
import type { Random } from './random.ts';
import { startResumers } from './resumers.ts';
import { startStopWords } from './stop-words.ts';
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
  const requests = openPersistentRequests(fixture.gateways.urls, fixture.apiKey, random.fork('requests'));
  const lines = Math.ceil(callerCount / 4);
  const operators = startOperators({
    ...{ requests, lines, templateIds: fixture.templateIds, senderIds: fixture.senderIds },
    ...{ random: random.fork('operators'), firstNumber: firstNumber * 10 },
  });
  const writers = random.fork('writers');
  const people = startPeople({
    ...{ requests, lines, random: random.fork('people'), firstNumber },
    write: (write) => fixture.platform.write(writers.pick(fixture.numberIds), write),
  });
  const stopWords = startStopWords(fixture.database.db, fixture.accountId);
  const resumers = startResumers(fixture, random.fork('resumers'));
  try {
    await act(callers);
    await callers.stop();
    for (const lines of [operators, people, stopWords]) lines.stop();
    const unfinished = await waitUntilDone(fixture, { callers, lines: [operators, people] }, begin.atMs);
    await requests.close();
    // the last ones: what waits at a halted number is open work
    resumers.stop();
    await resumers.done;
    const { sends: operated, optOuts } = operators;
    const { written, replies } = people;
    const { unexpected: unexpectedResponses, unanswered } = requests;
    const ofCallers = {
      sends: callers.sends,
      operated,
      optOuts,
      written,
      replies,
      unexpectedResponses,
      unanswered,
      resumed: resumers.resumed(),
    };
    return checkEvidence(await collect(fixture, begin, { ...ofCallers, unfinished }));
  } finally {
    // of a run that failed, requests may still be in progress
    for (const lines of [operators, people, stopWords, resumers]) {
      lines.stop();
      lines.done.catch(() => undefined);
    }
    await requests.close();
    await callers.close();
  }
}
