// `npm run dev` on a copy of the checkout: a change restarts the gateway with the changed code; database and sandbox keep running.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeDataDir } from '../../src/db/embedded/folders.ts';
import { freePort } from '../harness/free-port.ts';
import { openProgramFolder, type Program, type ProgramFolder, root } from '../harness/program.ts';
import { templateCluster } from '../harness/template-cluster.ts';

// several whole starts
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let workspace: ProgramFolder;
let checkout: string;
let dev: Program;
let url: string;

beforeAll(async () => {
  workspace = await openProgramFolder();
  checkout = join(workspace.folder, 'checkout');
  await mkdir(checkout);
  for (const path of ['package.json', 'src', 'sandbox', 'demo', 'client', 'migrations', 'scripts'])
    cpSync(join(root, path), join(checkout, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  for (const folder of [workspace.dataDir, join(workspace.dataDir, 'database')]) await makeDataDir(folder);
  await templateCluster()?.restore(join(workspace.dataDir, 'database'));
  dev = workspace.start([], {
    command: [process.execPath, join(checkout, 'scripts/dev.ts')],
    cwd: checkout,
    // paths of this copy are of no use to the next run
    env: { PORT: String(await freePort()), NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  [, url = ''] = await dev.says(/The gateway answers at +(\S+)/);
});
afterAll(() => workspace?.close());

const databasePid = () =>
  Number(readFileSync(join(workspace.dataDir, 'database/postgres/postmaster.pid'), 'utf8').split('\n')[0]);
const pidOf = (program: string) => workspace.living().find(({ command }) => command.includes(program))?.pid;

/** Changes one place of a source file, as an editor saves it. */
function edit(path: string, from: string, to: string): void {
  const text = readFileSync(join(checkout, path), 'utf8');
  expect(text.split(from)).toHaveLength(2);
  writeFileSync(join(checkout, path), text.replace(from, to));
}

test('a changed source file takes effect, with the same database and sandbox processes', async () => {
  const before = { database: databasePid(), sandbox: pidOf('sandbox/main.ts') };
  edit('src/http/openapi.ts', "title: 'Chatbot Gateway'", "title: 'Changed'");
  await vi.waitFor(
    async () => {
      const document = await (await fetch(`${url}/openapi.json`)).json();
      expect(document).toMatchObject({ info: { title: 'Changed' } });
    },
    { timeout: 30_000 },
  );
  expect({ database: databasePid(), sandbox: pidOf('sandbox/main.ts') }).toEqual(before);
});

test('Ctrl-C ends everything', async () => {
  process.kill(-dev.pid, 'SIGINT');
  expect(await dev.ended).toMatchObject({ code: 0, signal: null });
  expect(workspace.living()).toEqual([]);
});
