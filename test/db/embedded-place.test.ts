// A database that lies outside DATA_DIR belongs to one DATA_DIR: its copies never open it, its moves do.
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
import { findCluster, makeHome } from '../../src/db/embedded-home.ts';
import { bind, readPointer } from '../../src/db/embedded-place.ts';

let folder: string;
let dataDir: string;
let place: string;

const point = (from: string, to: string) => writeFile(join(from, 'postgres.location'), `${to}\n`);
const record = () => readFile(join(place, 'data-dir'), 'utf8');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'place-'));
  dataDir = join(folder, 'data');
  place = join(folder, 'place');
  await mkdir(dataDir);
  await mkdir(join(place, 'postgres'), { recursive: true });
  await point(dataDir, place);
  await bind(dataDir, place, join(place, 'postgres'));
});

afterEach(() => rm(folder, { recursive: true }));

async function copied(to = 'copy'): Promise<string> {
  const copy = join(folder, to);
  await cp(dataDir, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return copy;
}

describe('a DATA_DIR that points to its database elsewhere', () => {
  test('leads there, also for commands that only look', async () => {
    expect(await readPointer(dataDir)).toBe(place);
    expect(await findCluster(dataDir)).toBe(join(place, 'postgres'));
  });

  test('is refused when it is a copy, with what to do, and nothing is written', async () => {
    const copy = await copied();
    const before = [await record(), (await stat(place)).mtimeMs, await readdir(copy)];
    const refusal = new RegExp(
      `${copy} is a copy of ${dataDir}.*Nothing was opened.*echo ${copy} > ${place}/data-dir`,
    );
    await expect(makeHome(copy)).rejects.toThrow(refusal);
    await expect(findCluster(copy)).rejects.toThrow(refusal);
    expect([await record(), (await stat(place)).mtimeMs, await readdir(copy)]).toEqual(before);
    expect(await readPointer(dataDir)).toBe(place);
  });

  test('is refused as a copy also when the original is gone, until its owner says that it was moved', async () => {
    const copy = await copied();
    await rm(dataDir, { recursive: true });
    await expect(readPointer(copy)).rejects.toThrow(/is a copy of .*, or was moved from there/);
    await writeFile(join(place, 'data-dir'), `${copy}\n`);
    expect(await readPointer(copy)).toBe(place);
  });

  test('follows when it, or a folder above it, is renamed, and a copy that takes its old name does not', async () => {
    const inner = join(folder, 'above', 'data');
    await mkdir(join(folder, 'above'));
    await rename(dataDir, inner);
    await rename(join(folder, 'above'), join(folder, 'renamed'));
    const moved = join(folder, 'renamed', 'data');
    expect(await readPointer(moved)).toBe(place);
    await bind(moved, place, join(place, 'postgres'));
    await cp(moved, dataDir, { recursive: true });
    await expect(readPointer(dataDir)).rejects.toThrow(/is a copy of/);
    expect(await readPointer(moved)).toBe(place);
  });

  test('is itself again when it is restored under its path, and what was there before is not any more', async () => {
    const older = join(folder, 'older');
    await rename(dataDir, older);
    await cp(older, dataDir, { recursive: true });
    expect(await readPointer(dataDir)).toBe(place);
    await expect(readPointer(older)).rejects.toThrow(/is a copy of/);
  });

  test('of two that point to one database, one is refused', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    await point(other, place);
    await expect(readPointer(other)).rejects.toThrow(/belongs to /);
  });

  test('made before there were records is known by its path, and a copy of it is refused', async () => {
    const { createHash } = await import('node:crypto');
    const named = join(folder, `${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}-aB3dEf`);
    await mkdir(join(named, 'postgres'), { recursive: true });
    await point(dataDir, named);
    const copy = await copied();
    await expect(readPointer(copy)).rejects.toThrow(/is a copy of another DATA_DIR/);
    expect(await readPointer(dataDir)).toBe(named);
    await bind(dataDir, named, join(named, 'postgres'));
    expect(await readFile(join(named, 'data-dir'), 'utf8')).toMatch(new RegExp(`^${dataDir}\n\\d+:\\d+\n$`));
  });
});

test('a database that a symbolic link in DATA_DIR leads to is refused to a copy of DATA_DIR', async () => {
  await rm(join(dataDir, 'postgres.location'));
  const cluster = join(dataDir, 'postgres');
  await symlink(join(place, 'postgres'), cluster);
  await bind(dataDir, dataDir, cluster);
  expect(await findCluster(dataDir)).toBe(cluster);
  await expect(findCluster(await copied())).rejects.toThrow(/is a copy of/);
});

test('a DATA_DIR that holds its database itself may be copied', async () => {
  await rm(join(dataDir, 'postgres.location'));
  await mkdir(join(dataDir, 'postgres'));
  const copy = await copied();
  expect(await findCluster(copy)).toBe(join(copy, 'postgres'));
});

test('what is written into the database’s folder follows no link that its owner put there', async () => {
  const outside = join(folder, 'outside');
  await rm(join(place, 'data-dir'));
  for (const name of ['data-dir', 'data-dir.new']) await symlink(outside, join(place, name));
  await writeFile(outside, `${dataDir}\n`);
  await bind(dataDir, place, join(place, 'postgres'));
  expect(await readFile(outside, 'utf8')).toBe(`${dataDir}\n`);
  expect(await record()).toMatch(/\n\d+:\d+\n$/);
});

test('looking for a database makes nothing', async () => {
  const none = join(folder, 'none');
  expect(await findCluster(none)).toBeUndefined();
  await mkdir(none, { mode: 0o700 });
  expect(await findCluster(none)).toBeUndefined();
  expect(await readdir(none)).toEqual([]);
});
