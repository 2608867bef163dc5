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
Ends with 1 if a mutation survived, or if none was chosen by --only.`;

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
  const survivors: string[] = [];
  let done = 0;
  const work = async () => {
    const copy = copyCheckout();
    copies.push(copy);
    for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
      const noticed = await isNoticed(mutation, copy);
      if (!noticed) survivors.push(mutation.name);
      done += 1;
      console.log(`${done}/${chosen.length}  ${noticed ? 'noticed ' : 'SURVIVED'}  ${mutation.name}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, chosen.length) }, work));
  console.log(`${chosen.length - survivors.length} noticed, ${survivors.length} survived`);
  for (const name of survivors) console.log(`SURVIVED  ${name}`);
  process.exitCode = survivors.length > 0 ? 1 : 0;
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
async function isNoticed(mutation: Mutation, copy: string): Promise<boolean> {
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
    if (numFailedTests + numPassedTests === 0)
      throw new Error(`${mutation.name}: no test ran.\n${stderr.slice(-2_000)}`);
    return numFailedTests > 0;
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
