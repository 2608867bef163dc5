// Output of a workload: tables on standard output, and the file with its figures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Spread } from './percentiles.ts';

/** The folder of figures and profiles; not under version control. */
export const outFolder = fileURLToPath(new URL('./out/', import.meta.url));

/** A number with its significant digits. */
export function format(value: number | string | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (typeof value === 'string') return value;
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en');
  return value.toFixed(size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

export const formatSpread = (ms: Spread) =>
  `p50 ${format(ms.p50)} ms, p99 ${format(ms.p99)} ms, longest ${format(ms.max)} ms`;

type Cell = number | string | undefined;

/** Prints rows under a title, in aligned columns. */
export function table(title: string, rows: Cell[][]): void {
  const texts = rows.map((row) => row.map(format));
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

/** Reports a workload's progress on standard error. */
export const progress = (step: string) => process.stderr.write(`… ${step}\n`);

/** Saves a workload's figures in `bench/out/NAME.json`, with a description of the machine. */
export function saveFigures(name: string, options: object, figures: object): void {
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
  console.log(`\n  saved in bench/out/${name}.json`);
}
