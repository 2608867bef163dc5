// The benchmarks: each workload is listed with its options, and documented.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readProjectFile } from '../harness/documents.ts';
import { root } from '../harness/program.ts';

const files = readdirSync(join(root, 'bench/workloads')).map((file) => file.replace(/\.ts$/, ''));

test('npm run bench lists every workload with its options', () => {
  const listed = execFileSync(process.execPath, ['bench/run.ts'], { cwd: root, encoding: 'utf8' });
  const names = [...listed.matchAll(/^([a-z]+)\n {2}\S.*\n {4}--/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual(files.sort());
});

test('the document of the benchmarks names every workload', () => {
  const text = readProjectFile('docs/benchmarks.md');
  expect(files.filter((name) => !new RegExp(`\`${name}[ \`]`).test(text))).toEqual([]);
});
