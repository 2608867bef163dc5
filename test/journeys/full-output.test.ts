// Commands whose output is on a full disk: they finish their work, and the gateway goes on without its log.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openProgramFolder, type ProgramFolder, root } from '../harness/program.ts';

vi.setConfig({ testTimeout: 180_000 });

let workspace: ProgramFolder;
beforeAll(async () => {
  workspace = await openProgramFolder({ migrated: true });
});
afterAll(() => workspace?.close());

/** The command line with redirections of a shell. */
const redirected = (redirections: string): [string, ...string[]] => [
  'sh',
  '-c',
  `exec "${process.execPath}" "${join(root, 'src/cli.ts')}" "$@" ${redirections}`,
  'sh',
];

test('a command does its work, and says that its result could not be written', async () => {
  const created = await workspace.run(['account', 'create', 'My company'], {
    command: redirected('> /dev/full'),
  });
  expect(created).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Standard output cannot be written: .+\n$/),
  });
  const silent = await workspace.run(['account', 'list', '--json'], { command: redirected('2> /dev/full') });
  expect(silent).toMatchObject({ code: 0, out: expect.stringContaining('My company') });
});

test('the gateway serves and stops in order', async () => {
  const program = workspace.start(['start', '--no-sandbox'], { command: redirected('> /dev/full') });
  const [, url] = await program.says(/The gateway answers at (\S+)\. /);
  for (let n = 0; n < 3; n += 1) expect((await fetch(`${url}/v1/senders`)).status).toBe(401);
  program.process.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 0, signal: null });
});
