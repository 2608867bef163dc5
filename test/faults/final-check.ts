// The final check of a run: compares the platform's, the database's, the callers' and the receiver's records. Pure.

import { checkEvents } from './check-events.ts';
import { checkMessages, checkResponses } from './check-messages.ts';
import { checkOperated } from './check-operated.ts';
import { checkPeople } from './check-people.ts';
import type { Evidence } from './evidence.ts';
import { type GuaranteeName, guarantees, type Violation } from './guarantees.ts';

export interface CheckResult {
  /** What happened, counted by name. */
  figures: Record<string, number>;
  /** How often each guarantee was violated. */
  broken: Record<GuaranteeName, number>;
  violations: Violation[];
}

/** Checks a run; never throws because of a violation. */
export function checkEvidence(evidence: Evidence): CheckResult {
  const violations: Violation[] = [];
  const report = (guarantee: GuaranteeName, subject: string, text: string) => {
    violations.push({ guarantee, subject, text });
  };
  const figures: Record<string, number> = {
    sends: evidence.sends.length,
    messages: evidence.messages.length,
    'accepted by the platform': evidence.accepted.length,
    'repeats by callers': evidence.sends.reduce(
      (sum, { responses, unanswered }) => sum + Math.max(0, responses.length + unanswered - 1),
      0,
    ),
    kills: evidence.outages.filter(({ kind }) => kind === 'kill').length,
    'halted numbers resumed': evidence.resumed,
    'database outages': evidence.outages.filter(({ kind }) => kind === 'database').length,
  };
  if (evidence.unfinished !== null) report('still_open', 'the end of the run', evidence.unfinished);
  for (const text of evidence.unexpectedResponses) report('unexpected_response', 'a repeated request', text);
  for (const text of evidence.unanswered) report('unanswered', 'a repeated request', text);
  for (const text of evidence.unexpectedExits) report('died_by_itself', 'a gateway', text);
  for (const { id, hook, stage, state } of evidence.deliveries)
    if (state !== 'delivered') report('still_open', `${hook} ${id}`, `the delivery of ${stage} is ${state}`);
  checkMessages(evidence, report, figures);
  checkResponses(evidence, report, figures);
  checkOperated(evidence, report, figures);
  checkPeople(evidence, report, figures);
  checkEvents(evidence, report, figures);
  const broken = Object.fromEntries(
    Object.keys(guarantees).map((name) => [name, 0]),
  ) as CheckResult['broken'];
  for (const { guarantee } of violations) broken[guarantee] += 1;
  return { figures, broken, violations };
}
