// `npm run faults -- --ha`: runs the high-availability campaign, and prints and saves the results.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { guarantees } from '../guarantees.ts';
import { type HaResult, haProblem, isAsExpected, provesTheCheck, runHaCampaign } from './campaign.ts';
import type { Mode } from './cluster-files.ts';
import { versionsOfPrograms } from './programs.ts';
import { scenarios } from './scenarios.ts';

const known: readonly string[] = ['sync', 'strict', 'async'];

/** The names of a list separated by commas; throws for an unknown one. */
function namesIn(list: string, allowed: readonly string[]): string[] {
  const names = list.split(',').map((name) => name.trim());
  for (const name of names)
    if (!allowed.includes(name)) throw new Error(`"${name}" is none of ${allowed.join(', ')}.`);
  return names;
}

/** Runs the campaign; sets the exit code to 1 if a scenario did not go as it must. Without the programs, says so and returns. */
export async function runHa(
  modes: string,
  only: string | undefined,
  lines: number,
  out: string,
): Promise<void> {
  const chosenModes = namesIn(modes, known) as Mode[];
  const chosen = only === undefined ? undefined : namesIn(only, Object.keys(scenarios));
  const problem = haProblem();
  if (problem !== undefined) {
    console.log(`NOT TESTED: high availability: ${problem}`);
    return;
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const began = performance.now();
  const report = (text: string) =>
    console.log(`${((performance.now() - began) / 60_000).toFixed(1).padStart(5)} min  ${text}`);
  const results: HaResult[] = [];
  const save = () => {
    mkdirSync(out, { recursive: true });
    const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
    const shown = results.map((one) => ({ ...one, violations: one.violations.slice(0, 100) }));
    const saved = { at: new Date(), machine, programs: versionsOfPrograms(), results: shown };
    writeFileSync(join(out, 'ha.json'), `${JSON.stringify(saved, null, 2)}\n`);
  };
  await runHaCampaign({
    modes: chosenModes,
    only: chosen,
    callerCount: lines,
    report: (text) => report(`  ${text}`),
    logs: join(out, 'ha'),
    onResult(result) {
      results.push(result);
      describe(result, report);
      save();
    },
  });
  const unexpected = results.filter((result) => !isAsExpected(result));
  const asynchronous = results.filter(({ mode }) => mode === 'async');
  if (asynchronous.length > 0 && !provesTheCheck(asynchronous)) {
    report('NO asynchronous scenario lost or repeated anything: the check was not proven');
    process.exitCode = 1;
  }
  report(
    `${results.length} scenarios, ${unexpected.length} not as they must be; saved in test/faults/out/ha.json`,
  );
  if (unexpected.length > 0) process.exitCode = 1;
}

function describe(
  { figures, broken, violations, ...result }: HaResult,
  report: (text: string) => void,
): void {
  const { messages = 0, sends = 0 } = figures;
  const [booked, events] = [figures['bookings confirmed'] ?? 0, figures['calendar events'] ?? 0];
  const found = Object.entries(broken).filter(([, count]) => count > 0);
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  report(
    `  ${result.mode} ${result.name}: database away ${seconds(result.databaseAwayMs)} s, sends whole after ` +
      `${seconds(result.wholeAfterMs)} s; ${sends} sends, ${messages} messages, ${booked} bookings, ${events} events; ` +
      (result.failure ?? (found.length === 0 ? 'no violation' : JSON.stringify(Object.fromEntries(found)))),
  );
  if (result.mode === 'async') return;
  for (const { guarantee, subject, text } of violations.slice(0, 10))
    report(`    ${guarantee} (${guarantees[guarantee]}): ${subject}: ${text.slice(0, 300)}`);
}
