// The reckoning of a run: all accounts held against each other. All but accepted must be nought. Pure.
import type { Evidence } from './evidence.ts';
import { type Breach, type PromiseName, promises } from './promises.ts';
import { reckonEvents } from './reckon-events.ts';
import { reckonAnswers, reckonMessages } from './reckon-messages.ts';

export interface Reckoning {
  /** What happened, by name; how often each promise was broken is in `broken`. */
  figures: Record<string, number>;
  broken: Record<PromiseName, number>;
  breaches: Breach[];
}

/** Reckons a run; never throws for what it finds. */
export function reckon(evidence: Evidence): Reckoning {
  const breaches: Breach[] = [];
  const tell = (promise: PromiseName, about: string, text: string) => {
    breaches.push({ promise, about, text });
  };
  const figures: Record<string, number> = {
    sends: evidence.sends.length,
    messages: evidence.messages.length,
    'taken by the platform': evidence.taken.length,
    'repeats by callers': evidence.sends.reduce(
      (sum, { heard, unheard }) => sum + Math.max(0, heard.length + unheard - 1),
      0,
    ),
    kills: evidence.breaks.filter(({ what }) => what === 'kill').length,
    'database outages': evidence.breaks.filter(({ what }) => what === 'database').length,
  };
  if (evidence.unfinished !== null) tell('still_open', 'the end of the run', evidence.unfinished);
  for (const text of evidence.selfDeaths) tell('died_by_itself', 'a gateway', text);
  for (const { id, hook, stage, state } of evidence.deliveries)
    if (state !== 'delivered') tell('still_open', `${hook} ${id}`, `the delivery of ${stage} is ${state}`);
  reckonMessages(evidence, tell, figures);
  reckonAnswers(evidence, tell, figures);
  reckonEvents(evidence, tell, figures);
  const broken = Object.fromEntries(Object.keys(promises).map((name) => [name, 0])) as Reckoning['broken'];
  for (const { promise } of breaches) broken[promise] += 1;
  return { figures, broken, breaches };
}
