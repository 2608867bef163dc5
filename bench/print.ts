// What a workload shows to people, and the file that keeps its figures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Spread } from './percentiles.ts';

/** Where figures and profiles are kept; not under version control. */
export const outFolder = fileURLToPath(new URL('./out/', import.meta.url));

/** A number with as many digits as mean something. */
export function shown(value: number | string | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (typeof value === 'string') return value;
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en');
  return value.toFixed(size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

export const shownSpread = (ms: Spread) =>
  `p50 ${shown(ms.p50)} ms, p99 ${shown(ms.p99)} ms, longest ${shown(ms.max)} ms`;

type Cell = number | string | undefined;

/** Prints rows under a title, in columns as wide as they need. */
export function table(title: string, rows: Cell[][]): void {
  const texts = rows.map((row) => row.map(shown));
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  );
  console.log(`\n${title}`);
  for (const row of texts) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(`  ${cells.join('   ').trimEnd()}`);
  }
}

/** Tells how far a workload is. */
export const progress = (step: string) => process.stderr.write(`… ${step}\n`);

/** Keeps a workload's figures in `bench/out/NAME.json`, with the machine that they were measured on. */
export function keep(name: string, options: object, figures: object): void {
  mkdirSync(outFolder, { recursive: true });
  const machine = {
    cpus: cpus().length,
    model: cpus()[0]?.model,
    memoryBytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
  const file = join(outFolder, `${name}.json`);
  writeFileSync(
    file,
    `${JSON.stringify({ workload: name, at: new Date(), machine, options, figures }, null, 2)}\n`,
  );
  console.log(`\n  kept in bench/out/${name}.json`);
}
