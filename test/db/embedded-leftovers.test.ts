// What killed processes left beside the embedded database, and what of it a start removes.
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeLeftovers } from '../../src/db/embedded/folders.ts';

test('a start removes old sockets and abandoned first starts, and no folder that another start may be creating', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leftovers-test-'));
  try {
    const names = [
      'postgres',
      'postgres.before-upgrade',
      'postgres.new-old',
      'postgres.new-young',
      'socket-new',
      'socket-old',
    ];
    for (const name of names) await mkdir(join(folder, name));
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of names)
      if (name !== 'postgres.new-young') await utimes(join(folder, name), hoursAgo, hoursAgo);
    const folders = { folder, cluster: join(folder, 'postgres'), owner: undefined, copyTargets: [] };
    await removeLeftovers(folders, join(folder, 'socket-new'));
    expect((await readdir(folder)).sort()).toEqual([
      'postgres',
      'postgres.before-upgrade',
      'postgres.new-young',
      'socket-new',
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
