// `npm run mutations`: applies each mutation to a copy of the checkout and runs its tests; a mutation that no test notices has survived.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { allMutations } from './all.ts';
import type { Mutation } from './mutation.ts';

const usage = `Usage: npm run mutations -- [options]
  --only <text>   only mutations whose name or file contains the text
Ends with 1 if a mutation survived.`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const notCopied = new Set(['.git', 'data', 'node_modules']);

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', default: false } },
});

if (values.help) console.log(usage);
else await run(values.only ?? '');

async function run(only: string): Promise<void> {
  const chosen = (await allMutations()).filter(
    ({ name, file }) => name.includes(only) || file.includes(only),
  );
  const copy = copyCheckout();
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const survivors: string[] = [];
  for (const [index, mutation] of chosen.entries()) {
    const noticed = isNoticed(mutation, copy);
    if (!noticed) survivors.push(mutation.name);
    console.log(`${index + 1}/${chosen.length}  ${noticed ? 'noticed ' : 'SURVIVED'}  ${mutation.name}`);
  }
  console.log(`${chosen.length - survivors.length} noticed, ${survivors.length} survived`);
  process.exitCode = survivors.length > 0 || chosen.length === 0 ? 1 : 0;
}

function copyCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutations-'));
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !notCopied.has(path.slice(root.length)),
  });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** True if a test failed with the mutation. Throws if the tests could not run at all, since that would prove nothing. */
function isNoticed(mutation: Mutation, copy: string): boolean {
  const path = join(copy, mutation.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(mutation.find, () => mutation.replace),
  );
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  try {
    const { stderr } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        ...['run', '--mode', 'full', '--bail=1', '--reporter=json', `--outputFile=${report}`],
        ...mutation.tests,
      ],
      { cwd: copy, encoding: 'utf8' },
    );
    const { numFailedTests, numPassedTests } = readReport(report, stderr);
    if (numFailedTests + numPassedTests === 0)
      throw new Error(`${mutation.name}: no test ran.\n${stderr.slice(-2_000)}`);
    return numFailedTests > 0;
  } finally {
    writeFileSync(path, text);
  }
}

function readReport(path: string, stderr: string): { numFailedTests: number; numPassedTests: number } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`vitest wrote no report.\n${stderr.slice(-2_000)}`, { cause });
  }
}
