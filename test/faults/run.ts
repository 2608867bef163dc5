// `npm run faults`: the long fault campaign. Round after round of load, faults, and reckoning; prints and keeps what came of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Chance, chance } from './chance.ts';
import { drawDeeds, type Weights } from './faults.ts';
import { type Breach, promises } from './promises.ts';
import type { Reckoning } from './reckoning.ts';
import { runRound } from './round.ts';
import { openScene, type Scene } from './scene.ts';

const usage = `Usage: npm run faults -- [options]
  --minutes <n>   how long to go on (default 10); the round that is under way is ended and reckoned
  --seed <n>      repeats the faults, sends and choices of an earlier campaign (default: drawn, and printed)
  --lines <n>     callers at once (default 16)
Ends with 1 if a promise was broken. Figures, breaches and the gateways' logs are kept in test/faults/out/.`;

const out = fileURLToPath(new URL('./out/', import.meta.url));

/** What the rounds are about, in turn: the first half of the time with one gateway, then with two. */
const kinds: readonly (readonly [about: string, weights: Weights])[] = [
  ['kills', { kill: 4, restart: 1 }],
  ['deaths at named points', { point: 4, kill: 1, platform: 1, receiver: 1 }],
  ['PostgreSQL away', { database: 3, cut: 2, kill: 1 }],
  ['the outside misbehaves', { platform: 4, receiver: 4, gone: 1, restart: 1 }],
  ['everything', { kill: 2, point: 2, restart: 1, database: 1, cut: 1, platform: 2, receiver: 2, gone: 1 }],
];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    lines: { type: 'string', default: '16' },
    help: { type: 'boolean', default: false },
  },
});

interface Total {
  rounds: number;
  deeds: number;
  restarts: number;
  figures: Record<string, number>;
  broken: Record<string, number>;
  breaches: (Breach & { round: number })[];
}

const began = performance.now();
const minutesGone = () => (performance.now() - began) / 60_000;
const say = (text: string) => console.log(`${minutesGone().toFixed(1).padStart(5)} min  ${text}`);

if (values.help) console.log(usage);
else
  await campaign(Number(values.minutes), Number(values.seed ?? Date.now() % 1_000_000), Number(values.lines));

async function campaign(minutes: number, seed: number, lines: number): Promise<void> {
  console.log(`The fault campaign of ${minutes} minutes, --seed ${seed}, ${lines} callers at once`);
  const total: Total = { rounds: 0, deeds: 0, restarts: 0, figures: {}, broken: {}, breaches: [] };
  let scene: Scene | undefined;
  // nothing of it outlives a Ctrl-C
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  for (const count of [1, 2]) {
    scene = await openScene(count);
    say(`scene with ${count === 1 ? 'one gateway' : 'two gateways'} is open`);
    try {
      while (minutesGone() < (minutes * count) / 2) await round(scene, count, total, { seed, lines });
      total.restarts += scene.gateways.restarts();
      if (total.breaches.length > 0) await scene.gateways.keepLogs(join(out, `logs-${count}`));
    } finally {
      await scene.close();
    }
  }
  keep({ minutes, seed, lines }, total);
  process.exitCode = total.breaches.length > 0 ? 1 : 0;
}

async function round(
  scene: Scene,
  gateways: number,
  total: Total,
  { seed, lines }: { seed: number; lines: number },
): Promise<void> {
  const place = total.rounds;
  const [about, weights] = kinds[place % kinds.length] as (typeof kinds)[number];
  const random: Chance = chance(seed).part(`round ${place}`);
  say(`round ${place + 1}: ${about}`);
  const deeds = drawDeeds(random.part('deeds'), { count: 12, weights, gateways, gapMs: 1_600 });
  const tell = (text: string) => say(`  ${text}`);
  const load = { lines, restMs: 40, chance: random, firstNumber: place * 20_000, tell };
  add(total, await runRound(scene, { ...load, deeds }), deeds.length);
}

function add(total: Total, { figures, broken, breaches }: Reckoning, deeds: number): void {
  total.rounds += 1;
  total.deeds += deeds;
  for (const [name, value] of Object.entries(figures))
    total.figures[name] = (total.figures[name] ?? 0) + value;
  for (const [name, value] of Object.entries(broken)) total.broken[name] = (total.broken[name] ?? 0) + value;
  total.breaches.push(...breaches.map((breach) => ({ ...breach, round: total.rounds })));
  const { messages = 0, events = 0, repeats = 0, kills = 0 } = figures;
  const found = breaches.length === 0 ? 'every promise kept' : `${breaches.length} BREACHES`;
  say(`  ${messages} messages, ${events} events, ${repeats} repeated, ${kills} kills: ${found}`);
  for (const { promise, about, text } of breaches.slice(0, 10)) say(`  ${promise}: ${about}: ${text}`);
}

function keep(options: object, total: Total): void {
  mkdirSync(out, { recursive: true });
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
  const kept = { at: new Date(), options, machine, ...total, breaches: total.breaches.slice(0, 1_000) };
  writeFileSync(join(out, 'faults.json'), `${JSON.stringify(kept, null, 2)}\n`);
  const { rounds, deeds, restarts } = total;
  console.log(`\nAfter ${minutesGone().toFixed(1)} minutes:`);
  for (const [name, value] of Object.entries({ rounds, faults: deeds, restarts, ...total.figures }))
    console.log(`  ${name.padEnd(24)} ${String(value).padStart(8)}`);
  console.log('Broken promises:');
  for (const [name, value] of Object.entries(total.broken))
    console.log(
      `  ${name.padEnd(24)} ${String(value).padStart(8)}   ${promises[name as keyof typeof promises]}`,
    );
  console.log('Kept in test/faults/out/faults.json');
}
