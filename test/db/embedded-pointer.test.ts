// A database outside DATA_DIR and the one DATA_DIR that may open it: copies are rejected, renamed folders are accepted.
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findCluster, prepareFolders } from '../../src/db/embedded/folders.ts';
import { readPointer, recordOwner } from '../../src/db/embedded/pointer.ts';

let folder: string;
let dataDir: string;
let target: string;

const point = (from: string, to: string) => writeFile(join(from, 'postgres.location'), `${to}\n`);
const record = () => readFile(join(target, 'data-dir'), 'utf8');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointer-'));
  dataDir = join(folder, 'data');
  target = join(folder, 'target');
  await mkdir(dataDir);
  await mkdir(join(target, 'postgres'), { recursive: true });
  await point(dataDir, target);
  await recordOwner(dataDir, target, join(target, 'postgres'));
});

afterEach(() => rm(folder, { recursive: true }));

async function copied(to = 'copy'): Promise<string> {
  const copy = join(folder, to);
  await cp(dataDir, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return copy;
}

describe('a DATA_DIR with a pointer to its database', () => {
  test('resolves to that folder, also for commands that only read', async () => {
    expect(await readPointer(dataDir)).toBe(target);
    expect(await findCluster(dataDir)).toBe(join(target, 'postgres'));
  });

  test('is rejected if it is a copy, with an error that says what to do, and writes nothing', async () => {
    const copy = await copied();
    const before = [await record(), (await stat(target)).mtimeMs, await readdir(copy)];
    const rejection = new RegExp(
      `${copy} is a copy of ${dataDir}.*Nothing was opened.*echo ${copy} > ${target}/data-dir`,
    );
    await expect(prepareFolders(copy)).rejects.toThrow(rejection);
    await expect(findCluster(copy)).rejects.toThrow(rejection);
    expect([await record(), (await stat(target)).mtimeMs, await readdir(copy)]).toEqual(before);
    expect(await readPointer(dataDir)).toBe(target);
  });

  test('is rejected as a copy even if the original was deleted, until the record names it', async () => {
    const copy = await copied();
    await rm(dataDir, { recursive: true });
    await expect(readPointer(copy)).rejects.toThrow(/is a copy of .*, or was moved from there/);
    await writeFile(join(target, 'data-dir'), `${copy}\n`);
    expect(await readPointer(copy)).toBe(target);
  });

  test('is accepted after it or a parent folder was renamed, and a copy at the old path is rejected', async () => {
    const inner = join(folder, 'above', 'data');
    await mkdir(join(folder, 'above'));
    await rename(dataDir, inner);
    await rename(join(folder, 'above'), join(folder, 'renamed'));
    const moved = join(folder, 'renamed', 'data');
    expect(await readPointer(moved)).toBe(target);
    await recordOwner(moved, target, join(target, 'postgres'));
    await cp(moved, dataDir, { recursive: true });
    await expect(readPointer(dataDir)).rejects.toThrow(/is a copy of/);
    expect(await readPointer(moved)).toBe(target);
  });

  test('is accepted when restored at its path, and the former folder is then rejected', async () => {
    const older = join(folder, 'older');
    await rename(dataDir, older);
    await cp(older, dataDir, { recursive: true });
    expect(await readPointer(dataDir)).toBe(target);
    await expect(readPointer(older)).rejects.toThrow(/is a copy of/);
  });

  test('is rejected if the database belongs to another DATA_DIR that points to it', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    await point(other, target);
    await expect(readPointer(other)).rejects.toThrow(/belongs to /);
  });

  test('without a record is recognized by the digest of its path, and a copy of it is rejected', async () => {
    const { createHash } = await import('node:crypto');
    const named = join(folder, `${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}-aB3dEf`);
    await mkdir(join(named, 'postgres'), { recursive: true });
    await point(dataDir, named);
    const copy = await copied();
    await expect(readPointer(copy)).rejects.toThrow(/is a copy of another DATA_DIR/);
    expect(await readPointer(dataDir)).toBe(named);
    await recordOwner(dataDir, named, join(named, 'postgres'));
    expect(await readFile(join(named, 'data-dir'), 'utf8')).toMatch(new RegExp(`^${dataDir}\n\\d+:\\d+\n$`));
  });
});

test('a copy of a DATA_DIR whose postgres is a symbolic link is rejected', async () => {
  await rm(join(dataDir, 'postgres.location'));
  const cluster = join(dataDir, 'postgres');
  await symlink(join(target, 'postgres'), cluster);
  await recordOwner(dataDir, dataDir, cluster);
  expect(await findCluster(dataDir)).toBe(cluster);
  await expect(findCluster(await copied())).rejects.toThrow(/is a copy of/);
});

test('a copy of a DATA_DIR that contains its database is accepted', async () => {
  await rm(join(dataDir, 'postgres.location'));
  await mkdir(join(dataDir, 'postgres'));
  const copy = await copied();
  expect(await findCluster(copy)).toBe(join(copy, 'postgres'));
});

test('writing the record does not follow a symbolic link in the database’s folder', async () => {
  const outside = join(folder, 'outside');
  await rm(join(target, 'data-dir'));
  for (const name of ['data-dir', 'data-dir.new']) await symlink(outside, join(target, name));
  await writeFile(outside, `${dataDir}\n`);
  await recordOwner(dataDir, target, join(target, 'postgres'));
  expect(await readFile(outside, 'utf8')).toBe(`${dataDir}\n`);
  expect(await record()).toMatch(/\n\d+:\d+\n$/);
});

test('findCluster creates nothing', async () => {
  const none = join(folder, 'none');
  expect(await findCluster(none)).toBeUndefined();
  await mkdir(none, { mode: 0o700 });
  expect(await findCluster(none)).toBeUndefined();
  expect(await readdir(none)).toEqual([]);
});
