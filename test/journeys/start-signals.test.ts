// Stop signals at any moment: everything that was started stops in time, with the right exit code.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Staff } from '../harness/demo-account.ts';
import { gatewayClient } from '../harness/gateway-client.ts';
import { endBy, openProgramFolder, type ProgramFolder, patienceMs, root } from '../harness/program.ts';
import { until } from '../harness/until.ts';

// several whole starts each
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let workspace: ProgramFolder;

beforeAll(async () => {
  workspace = await openProgramFolder({ migrated: true });
});
afterAll(() => workspace?.close());

test('a first start interrupted while it creates the demo account stops in order, and the next one completes it', async () => {
  // it interrupts itself: a signal of the test could arrive when the account is complete
  const script = join(workspace.folder, 'interrupt.mjs');
  await writeFile(
    script,
    `const { stderr } = process;
    const write = stderr.write.bind(stderr);
    stderr.write = (text, ...more) => {
      if (String(text).includes('Asha Rao')) process.kill(process.pid, 'SIGTERM');
      return write(text, ...more);
    };`,
  );
  const program = workspace.start(['start', '--sandbox'], {
    command: [process.execPath, '--import', script, join(root, 'src/cli.ts')],
    cwd: workspace.folder,
  });
  await program.says(/departments, staff[\s\S]*Asha Rao/);
  const end = await endBy(program, () => undefined);
  expect(end).toMatchObject({ code: 0, out: '' });
  expect(end.tookMs).toBeLessThan(patienceMs);
  expect(workspace.living()).toEqual([]);
  expect(existsSync(join(workspace.dataDir, 'demo.json'))).toBe(false);
});

test('Ctrl-C, which reaches the whole process group, stops everything in order', async () => {
  const { program, demo } = await workspace.startDemo();
  const { items } = await gatewayClient(demo.baseUrl, demo.apiKey)<{ items: Staff[] }>(
    'GET',
    '/v1/appointments/users',
  );
  expect(items.map(({ calendarConnected }) => calendarConnected)).toEqual([true, true, true]);
  const end = await endBy(program, () => process.kill(-program.pid, 'SIGINT'));
  expect(end).toMatchObject({ code: 0, signal: null });
  expect(end.err).toMatch(/Stopping \(SIGINT\)/);
  expect(end.tookMs).toBeLessThan(patienceMs);
  expect(workspace.living()).toEqual([]);
});

test.each([
  ['SIGTERM to', 'SIGTERM', 1],
  ['Ctrl-C in the terminal of', 'SIGINT', -1],
] as const)('%s "npm start", which passes it on, stops everything in order', async (_, signal, group) => {
  // like a person's shell: their own Node, not the one in this checkout
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  const npm = workspace.start([], { command: ['npm', 'start'], env: { PATH } });
  await npm.says(/Ctrl-C stops everything/);
  const end = await endBy(npm, () => process.kill(group * npm.pid, signal));
  expect(end).toMatchObject({ code: 0, signal: null });
  expect(end.err).not.toMatch(/Stopping immediately/);
  await until(() => expect(workspace.living()).toEqual([]));
});
