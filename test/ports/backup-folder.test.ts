// The directory of backups: what it says where nothing can be written.
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBackupFolder } from '../../src/adapters/filesystem/backup-store.ts';
import { makeDurableFolder } from '../../src/adapters/filesystem/folders.ts';
import { backup } from '../../src/commands/backup.ts';
import { exitReasonOf } from '../../src/commands/exit-codes.ts';
import { restoreCommand } from '../../src/commands/restore.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backups-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function* content() {
  yield Buffer.from('backup');
}

test('is created with its parents, for its owner only', async () => {
  const directory = join(folder, 'a', 'b');
  await Promise.all([makeDurableFolder(directory), makeDurableFolder(directory)]);
  await openBackupFolder(directory).put('x.tar', content());
  expect(await readFile(join(directory, 'x.tar'), 'utf8')).toBe('backup');
  for (const made of [directory, join(folder, 'a')])
    expect(((await stat(made)).mode & 0o777).toString(8)).toBe(process.platform === 'win32' ? '666' : '700');
});

test.runIf(process.platform === 'linux')(
  'that cannot be created is an error at once, and names it',
  async () => {
    const put = (directory: string) => openBackupFolder(directory).put('x.tar', content());
    // /proc reports ENOENT for a new directory, for which mkdir with the option recursive never ends
    await expect(put('/proc/x')).rejects.toThrow(/^The directory \/proc\/x cannot be created: ENOENT/);
    await expect(put('/proc/x/y')).rejects.toThrow(/^The directory \/proc\/x\/y cannot be created: ENOENT/);
    await expect(put('/proc')).rejects.toThrow(/^\/proc\/x\.tar cannot be written: ENOENT/);
  },
);

test.runIf(process.platform === 'linux')('on a full disk, or with a failing source, says which', async () => {
  // the file that is written first
  await symlink('/dev/full', join(folder, 'full.tar.partial'));
  await expect(openBackupFolder(folder).put('full.tar', content())).rejects.toThrow(
    /^\/.*\/full\.tar cannot be written: ENOSPC: .* Choose a directory that .* has space\.$/,
  );
  const failing = (async function* () {
    yield Buffer.from('backup');
    throw new Error('the database is gone');
  })();
  await expect(openBackupFolder(folder).put('y.tar', failing)).rejects.toThrow(/^the database is gone$/);
  expect((await readdir(folder)).filter((name) => /tar/.test(name))).toEqual([]);
});

test('that is a file, or below one, is an error that says so', async () => {
  const file = join(folder, 'file');
  await writeFile(file, 'x');
  await expect(openBackupFolder(file).put('x.tar', content())).rejects.toThrow(`${file} is not a directory`);
  await expect(openBackupFolder(join(file, 'x')).put('x.tar', content())).rejects.toThrow(
    'cannot be created',
  );
  expect(await readdir(folder)).toContain('file');
});

test('that is a symbolic link to nothing, or below one, is an error that says so', async () => {
  const link = join(folder, 'link');
  await symlink(join(folder, 'missing'), link);
  for (const directory of [link, join(link, 'x')])
    await expect(openBackupFolder(directory).put('x.tar', content())).rejects.toThrow(
      `${link} is a symbolic link to nothing`,
    );
});

test('is not named by an empty argument', async () => {
  for (const nothing of ['', ' ', 'file:', 'file://'])
    await expect(backup(nothing, { verify: false, withKeys: false, keep: null })).rejects.toMatchObject({
      ...{ reason: 'usage', message: expect.stringContaining('Name the backup') },
    });
  await expect(restoreCommand('', { intoRunningCopy: false })).rejects.toMatchObject({ reason: 'usage' });
});

test('that lacks the backup to be verified or restored ends the command as for anything that does not exist', async () => {
  const missing = join(folder, 'missing.tar');
  const expected = { code: 'not_found', message: `There is no backup ${missing}.` };
  const failures = [
    backup(missing, { verify: true, withKeys: false, keep: null }),
    restoreCommand(missing, { intoRunningCopy: false }),
  ].map((run) => run.catch((error: unknown) => error));
  for (const error of await Promise.all(failures)) {
    expect(error).toMatchObject(expected);
    expect(exitReasonOf(error)).toBe('notFound');
  }
});
