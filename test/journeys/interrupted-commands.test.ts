// Ctrl-C and SIGTERM while a command has started the embedded database: the database stops with the command.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openProgramFolder, type ProgramFolder, root } from '../harness/program.ts';

// several whole starts each
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let workspace: ProgramFolder;
let backup: string;
let restored: string;
beforeAll(async () => {
  workspace = await openProgramFolder({ migrated: true });
  backup = join(workspace.folder, 'b.tar');
  restored = join(workspace.folder, 'restored');
  const env = { ENCRYPTION_KEYS: keys };
  expect(await workspace.run(['backup', backup], { env })).toMatchObject({ code: 0 });
});
afterAll(() => workspace?.close());

const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

const interruptedBy = (signal: string) =>
  `\nStopping (${signal}). Press Ctrl-C again to stop immediately.\nInterrupted by ${signal}.\n`;

/** Runs a command that gets a signal when it sends a statement that matches `at`, which then takes minutes. */
function interrupt(args: string[], at: string, env: Record<string, string> = {}) {
  const preload = join(root, 'test/harness/interrupt-at-query.ts');
  return workspace.run(args, {
    command: [process.execPath, '--import', preload, join(root, 'src/cli.ts')],
    cwd: workspace.folder,
    env: { INTERRUPT_AT: at, ENCRYPTION_KEYS: keys, ...env },
  });
}

test.each([
  ['migrate', [], 'kysely_migration'],
  ['rotate-encryption-key', [], 'from senders'],
  ['retention', [], 'retention_runs'],
  ['doctor', [], 'from senders'],
  ['release', [], 'gateway_state'],
])('%s that is interrupted leaves no database server running', async (command, args, at) => {
  const { code, err } = await interrupt([command, ...args], at);
  expect({ code, err }).toEqual({ code: 130, err: interruptedBy('SIGINT') });
  expect(workspace.living()).toEqual([]);
});

test('restore that is interrupted by SIGTERM leaves no database server running, and can be repeated', async () => {
  const env = { DATA_DIR: restored, INTERRUPT_BY: 'SIGTERM' };
  const { code, err } = await interrupt(['restore', backup], '^insert into|^copy|^create table', env);
  expect({ code, err }).toEqual({ code: 130, err: interruptedBy('SIGTERM') });
  expect(workspace.living()).toEqual([]);
  const run = (...args: string[]) =>
    workspace.run(args, { env: { ENCRYPTION_KEYS: keys, DATA_DIR: restored } });
  expect(await run('restore', backup)).toMatchObject({ code: 0, err: '' });
  // the backup has none of this month
  expect((await run('doctor')).out).toMatch(/^ok +partitions: partitions exist for \d\d days/m);
});

test('backup that is interrupted by the end of its terminal says that it wrote none, and leaves no database server running', async () => {
  const place = join(workspace.folder, 'interrupted.tar');
  const { code, err } = await interrupt(['backup', place], 'kysely_migration', {
    INTERRUPT_BY: 'SIGHUP',
  });
  expect({ code, err }).toEqual({ code: 130, err: 'Stopped. No backup was written.\n' });
  expect(workspace.living()).toEqual([]);
});

test('a start that is interrupted during a migration stops the database immediately', async () => {
  const { code, err } = await interrupt(['start', '--no-sandbox'], 'kysely_migration');
  expect(code).toBe(0);
  expect(err).toContain('Stopping (SIGINT)');
  expect(workspace.living()).toEqual([]);
});
