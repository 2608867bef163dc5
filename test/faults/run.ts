// `npm run faults`: the long fault campaign. Runs rounds of load and faults, checks each one, and prints and saves the results.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type CampaignFixture, openCampaignFixture } from './campaign-fixture.ts';
import { drawFaults, type Weights } from './faults.ts';
import type { CheckResult } from './final-check.ts';
import { guarantees, type Violation } from './guarantees.ts';
import { runHa } from './ha/run-ha.ts';
import { type Random, seededRandom } from './random.ts';
import { runRound } from './round.ts';

const usage = `Usage: npm run faults -- [options]
  --minutes <n>   duration (default 10); the round in progress is completed and checked
  --seed <n>      repeats the faults, sends and choices of an earlier campaign (default: random, and printed)
  --lines <n>     number of concurrent callers (default 16)
  --ha            instead, fails a PostgreSQL cluster over in each of its scenarios (docs/high-availability.md)
  --mode <modes>  with --ha: sync, strict, async, separated by commas (default: all of them)
  --only <names>  with --ha: only these scenarios, separated by commas
Exits with 1 if a guarantee was violated. Figures, violations and the gateways' logs are saved in test/faults/out/.`;

const out = fileURLToPath(new URL('./out/', import.meta.url));

/** The kinds of rounds, in turn. The first half of the time runs one gateway, the second half two. */
const kinds: readonly (readonly [name: string, weights: Weights])[] = [
  ['kills', { kill: 4, restart: 1 }],
  ['kills at named points', { point: 4, kill: 1, platform: 1, receiver: 1 }],
  ['PostgreSQL outages', { database: 3, cut: 2, kill: 1 }],
  ['failing external systems', { platform: 4, receiver: 4, gone: 1, restart: 1 }],
  ['everything', { kill: 2, point: 2, restart: 1, database: 1, cut: 1, platform: 2, receiver: 2, gone: 1 }],
];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    lines: { type: 'string', default: '16' },
    ha: { type: 'boolean', default: false },
    mode: { type: 'string', default: 'sync,strict,async' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

interface Total {
  rounds: number;
  faults: number;
  restarts: number;
  figures: Record<string, number>;
  broken: Record<string, number>;
  violations: (Violation & { round: number })[];
}

const began = performance.now();
const minutesGone = () => (performance.now() - began) / 60_000;
const say = (text: string) => console.log(`${minutesGone().toFixed(1).padStart(5)} min  ${text}`);

if (values.help) console.log(usage);
else if (values.ha) await runHa(values.mode, values.only, Number(values.lines), out);
else
  await campaign(Number(values.minutes), Number(values.seed ?? Date.now() % 1_000_000), Number(values.lines));

async function campaign(minutes: number, seed: number, lines: number): Promise<void> {
  console.log(`The fault campaign of ${minutes} minutes, --seed ${seed}, ${lines} concurrent callers`);
  const total: Total = { rounds: 0, faults: 0, restarts: 0, figures: {}, broken: {}, violations: [] };
  let fixture: CampaignFixture | undefined;
  // Ctrl-C ends all processes of the campaign
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  // the figures so far are saved even if the campaign itself fails
  process.once('exit', () => save({ minutes, seed, lines }, total));
  for (const count of [1, 2]) {
    fixture = await openCampaignFixture(count);
    say(`the fixture with ${count === 1 ? 'one gateway' : 'two gateways'} is open`);
    try {
      while (minutesGone() < (minutes * count) / 2) await round(fixture, count, total, { seed, lines });
      total.restarts += fixture.gateways.restarts();
      if (total.violations.length > 0) await fixture.gateways.keepLogs(join(out, `logs-${count}`));
    } finally {
      await fixture.close();
    }
  }
  process.exitCode = total.violations.length > 0 ? 1 : 0;
}

async function round(
  fixture: CampaignFixture,
  gateways: number,
  total: Total,
  { seed, lines }: { seed: number; lines: number },
): Promise<void> {
  const index = total.rounds;
  const [name, weights] = kinds[index % kinds.length] as (typeof kinds)[number];
  const random: Random = seededRandom(seed).fork(`round ${index}`);
  say(`round ${index + 1}: ${name}`);
  const faults = drawFaults(random.fork('faults'), { count: 12, weights, gateways, gapMs: 1_600 });
  const report = (text: string) => say(`  ${text}`);
  const load = { callerCount: lines, restMs: 40, random, firstNumber: index * 20_000, report };
  add(total, await runRound(fixture, { ...load, faults }), faults.length);
}

function add(total: Total, { figures, broken, violations }: CheckResult, faults: number): void {
  total.rounds += 1;
  total.faults += faults;
  for (const [name, value] of Object.entries(figures))
    total.figures[name] = (total.figures[name] ?? 0) + value;
  for (const [name, value] of Object.entries(broken)) total.broken[name] = (total.broken[name] ?? 0) + value;
  total.violations.push(...violations.map((violation) => ({ ...violation, round: total.rounds })));
  const { messages = 0, events = 0, repeats = 0, kills = 0 } = figures;
  const found = violations.length === 0 ? 'no violation' : `${violations.length} VIOLATIONS`;
  say(`  ${messages} messages, ${events} events, ${repeats} repeated, ${kills} kills: ${found}`);
  for (const { guarantee, subject, text } of violations.slice(0, 10))
    say(`  ${guarantee}: ${subject}: ${text}`);
}

function save(options: object, total: Total): void {
  mkdirSync(out, { recursive: true });
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
  const saved = { at: new Date(), options, machine, ...total, violations: total.violations.slice(0, 1_000) };
  writeFileSync(join(out, 'faults.json'), `${JSON.stringify(saved, null, 2)}\n`);
  const { rounds, faults, restarts } = total;
  console.log(`\nAfter ${minutesGone().toFixed(1)} minutes:`);
  for (const [name, value] of Object.entries({ rounds, faults, restarts, ...total.figures }))
    console.log(`  ${name.padEnd(24)} ${String(value).padStart(8)}`);
  console.log('Violations:');
  for (const [name, value] of Object.entries(total.broken))
    console.log(
      `  ${name.padEnd(24)} ${String(value).padStart(8)}   ${guarantees[name as keyof typeof guarantees]}`,
    );
  console.log('Saved in test/faults/out/faults.json');
}
