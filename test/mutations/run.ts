// `npm run mutations`: applies each mutation to a copy of the checkout and runs its tests; a mutation that no test notices has survived.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { chooseMutations, root } from './choose.ts';
import type { Mutation } from './mutation.ts';

const defaultJobs = Math.max(1, Math.floor(availableParallelism() / 2));
const usage = `Usage: npm run mutations -- [options]
  --only <text>    only mutations whose name or file contains the text
  --changed <ref>  only mutations of which the file, a test or the list changed since the Git ref, such as origin/main
  --jobs <n>       how many run at a time (default: half of the cores, here ${defaultJobs})
Ends with 1 if a mutation survived or its tests did not run, or if none was chosen by --only.`;

type Result = 'noticed' | 'SURVIVED' | 'NOT RUN';

const notCopied = new Set(['.git', 'data', 'node_modules']);

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    changed: { type: 'string' },
    jobs: { type: 'string', default: String(defaultJobs) },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(usage);
else await run(await chooseMutations(values.only, values.changed), Number(values.jobs));

async function run(chosen: Mutation[], jobs: number): Promise<void> {
  const copies: string[] = [];
  process.once('exit', () => {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const waiting = [...chosen];
  const results: Record<Result, string[]> = { noticed: [], SURVIVED: [], 'NOT RUN': [] };
  let done = 0;
  const work = async () => {
    const copy = copyCheckout();
    copies.push(copy);
    for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
      const result = await resultOf(mutation, copy);
      results[result].push(mutation.name);
      done += 1;
      console.log(`${done}/${chosen.length}  ${result.padEnd(8)}  ${mutation.name}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, chosen.length) }, work));
  const { noticed, SURVIVED: survived, 'NOT RUN': notRun } = results;
  console.log(`${noticed.length} noticed, ${survived.length} survived, ${notRun.length} not run`);
  for (const name of survived) console.log(`SURVIVED  ${name}`);
  for (const name of notRun) console.log(`NOT RUN   ${name}`);
  process.exitCode = survived.length + notRun.length > 0 ? 1 : 0;
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

/** The result of a mutation. Tries again if no test ran, which proves nothing: on a busy machine, a setup can time out. */
async function resultOf(mutation: Mutation, copy: string): Promise<Result> {
  const isNoticed = (await runTests(mutation, copy)) ?? (await runTests(mutation, copy));
  if (isNoticed === undefined) return 'NOT RUN';
  return isNoticed ? 'noticed' : 'SURVIVED';
}

/** True if a test failed with the mutation; undefined if no test ran. */
async function runTests(mutation: Mutation, copy: string): Promise<boolean | undefined> {
  const path = join(copy, mutation.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(mutation.find, () => mutation.replace),
  );
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const options = ['run', '--mode', 'full', '--bail=1', '--reporter=json', `--outputFile=${report}`];
    const child = spawn(process.execPath, [vitest, ...options, ...mutation.tests], {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const stderr = await text(child.stderr);
    const { numFailedTests, numPassedTests } = readReport(report, stderr);
    if (numFailedTests + numPassedTests > 0) return numFailedTests > 0;
    console.error(`${mutation.name}: no test ran.\n${stderr.slice(-2_000)}`);
    return undefined;
  } finally {
    writeFileSync(path, source);
  }
}

function readReport(path: string, stderr: string): { numFailedTests: number; numPassedTests: number } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`vitest wrote no report.\n${stderr.slice(-2_000)}`, { cause });
  }
}
