// What a killed or failed upgrade of the embedded PostgreSQL leaves: the next start uses the verified copy, or the old directory.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { majorOf } from '../../src/db/embedded/cluster.ts';
import { finishUpgrade, settleUpgrade, undoUpgrade } from '../../src/db/embedded/upgrade.ts';

let folder: string;
let given: Parameters<typeof settleUpgrade>[0];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  const folders = { folder, cluster: join(folder, 'postgres'), owner: undefined, copyTargets: [] };
  given = { folders, log: { info() {}, warn() {}, error() {} } };
});
afterEach(() => rm(folder, { recursive: true }));

async function directory(name: string, major: string, isUnproven = false): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'PG_VERSION'), `${major}\n`);
  if (isUnproven) await writeFile(join(folder, name, 'gateway.unproven'), '');
}
const state = async () =>
  Object.fromEntries(
    await Promise.all((await readdir(folder)).map(async (name) => [name, await majorOf(join(folder, name))])),
  );

test('a verified copy takes the place of the old directory if the process died between the renames', async () => {
  await directory('postgres.before-upgrade', '17');
  await directory('postgres.upgrade', '18', true);
  await settleUpgrade(given);
  expect(await state()).toEqual({ postgres: '18', 'postgres.before-upgrade': '17' });
  await finishUpgrade(given);
  expect(await state()).toEqual({ postgres: '18' });
  expect(existsSync(join(folder, 'postgres', 'gateway.unproven'))).toBe(false);
});

test.each([[true], [false]])('the old directory comes back if there is no verified copy', async (hasCopy) => {
  await directory('postgres.before-upgrade', '17');
  if (hasCopy) await directory('postgres.upgrade', '18');
  await settleUpgrade(given);
  expect((await state()).postgres).toBe('17');
});

test('an old directory beside a whole database is left alone until the server runs', async () => {
  await directory('postgres', '18', true);
  await directory('postgres.before-upgrade', '17');
  await settleUpgrade(given);
  expect(await state()).toEqual({ postgres: '18', 'postgres.before-upgrade': '17' });
});

test('a copy that nobody has used gives its place back, one that was used never', async () => {
  await directory('postgres', '18', true);
  await directory('postgres.before-upgrade', '17');
  expect(await undoUpgrade(given)).toBe(true);
  expect(await state()).toEqual({ postgres: '17', 'postgres.upgrade': '18' });
  // not taken for a verified copy
  expect(existsSync(join(folder, 'postgres.upgrade', 'gateway.unproven'))).toBe(false);
  await rm(join(folder, 'postgres'), { recursive: true });
  await rm(join(folder, 'postgres.upgrade'), { recursive: true });
  await directory('postgres', '18');
  await directory('postgres.before-upgrade', '17');
  expect(await undoUpgrade(given)).toBe(false);
  expect(await state()).toEqual({ postgres: '18', 'postgres.before-upgrade': '17' });
});
