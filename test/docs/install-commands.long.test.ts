// The documents' commands that install and start: pasted into a clone of this checkout, with packages from the registry.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProgramFolder, type Program, type ProgramFolder, root } from '../harness/program.ts';
import { elsewhere, elsewhereOf, shellBlocks } from './blocks.ts';

const minutes = 60_000;
let workspace: ProgramFolder;
let clone: string;
const ran = new Set<string>();

beforeAll(async () => {
  workspace = await openProgramFolder();
  clone = join(workspace.folder, 'checkout');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone]);
  const list = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  // the working tree, committed or not
  const changed = [...list('diff', '--name-only', 'HEAD'), ...list('ls-files', '-o', '--exclude-standard')];
  for (const path of changed.filter((one) => existsSync(join(root, one)))) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    cpSync(join(root, path), join(clone, path));
  }
}, 2 * minutes);
afterAll(() => workspace?.close());

/** Pastes one block into a terminal in the clone; `/opt` is a directory of the test. */
function paste(path: string, contains: string): Program {
  const block = shellBlocks.find((one) => one.path === path && one.code.includes(contains));
  const entry = block && elsewhereOf(block);
  if (!block || entry?.runBy !== 'install-commands.long.test.ts')
    throw new Error(`No block of ${path} for this test contains ${contains}`);
  ran.add(entry.contains);
  const code = block.code.replaceAll('/opt/', `${workspace.folder}/opt/`);
  return workspace.start([`set -e\n${code}`], {
    command: ['bash', '-c'],
    cwd: clone,
    // with the user's home: npm keeps its settings and packages there
    env: { ...process.env, DATA_DIR: undefined },
  });
}

const succeeded = async (program: Program) => {
  const { code, out, err } = await program.ended;
  expect(code, err).toBe(0);
  return out;
};

/** Presses Ctrl-C: the signal goes to everything that the terminal runs. */
async function interrupt(program: Program): Promise<void> {
  process.kill(-program.pid, 'SIGINT');
  await program.ended;
}

test('README: installs and starts the sandbox', { timeout: 10 * minutes }, async () => {
  const program = paste('README.md', 'npm ci && npm start');
  await program.says(/Ctrl-C stops everything/);
  expect(existsSync(join(clone, 'data/demo.json'))).toBe(true);
  await interrupt(program);
});

test('README: creates a database and an account, and starts without the sandbox', {
  timeout: 10 * minutes,
}, async () => {
  const program = paste('README.md', 'cat > .env');
  await program.says(/API key +cgw_/);
  await program.says(/The gateway answers at http/);
  await interrupt(program);
});

test('docs/operations.md: installs without development packages, starts, and opens psql', {
  timeout: 10 * minutes,
}, async () => {
  await succeeded(paste('docs/operations.md', 'npm ci --omit=dev'));
  const program = paste('docs/operations.md', 'src/cli.ts migrate');
  await program.says(/API key +cgw_/);
  await program.says(/The gateway answers at http/);
  await succeeded(paste('docs/operations.md', 'psql -h'));
  await interrupt(program);
});

test('docs/clients.md: builds the client and installs it in another directory', {
  timeout: 2 * minutes,
}, async () => {
  await succeeded(paste('docs/clients.md', 'npm run client:pack'));
  const script =
    "import('chatbot-gateway-client').then(({ ChatbotGateway }) => console.log(typeof ChatbotGateway))";
  const cwd = join(workspace.folder, 'my-bot');
  expect(execFileSync('node', ['-e', script], { cwd, encoding: 'utf8' })).toBe('function\n');
});

test('every block that is assigned to this test ran', () => {
  const named = elsewhere.filter(({ runBy }) => runBy === 'install-commands.long.test.ts');
  expect(named.map(({ contains }) => contains).filter((contains) => !ran.has(contains))).toEqual([]);
});
