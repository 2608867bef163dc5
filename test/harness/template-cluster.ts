// A database cluster kept between test runs: a run that finds it skips initdb and every migration.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const cache = new URL('node_modules/.cache/test-database/', root).pathname;

/**
 * What a kept cluster depends on: the migrations, the files that set the cluster up, PostgreSQL's version, the user, and the day, because
 * migrations make partitions for the present month.
 */
function digestOfInputs(): string {
  const hash = createHash('sha256');
  const files = { 'migrations/': /\.sql$/, 'src/db/': /^migrat|^partitions/, 'src/db/embedded/': /\.ts$/ };
  for (const [folder, pattern] of Object.entries(files)) {
    const names = readdirSync(new URL(folder, root)).sort();
    for (const name of names.filter((name) => pattern.test(name)))
      hash.update(name).update(readFileSync(new URL(`${folder}${name}`, root)));
  }
  for (const path of ['package-lock.json', 'test/harness/global-setup.ts'])
    hash.update(readFileSync(new URL(path, root)));
  return hash
    .update(`${process.getuid?.()} ${new Date().toISOString().slice(0, 10)}`)
    .digest('hex')
    .slice(0, 16);
}

/** The cluster in a data directory. */
export const clusterIn = (dataDir: string) => join(dataDir, 'postgres');

/** Copies a cluster that no server uses. `cp -a` keeps owners: as root, it belongs to the database's own user. */
export const copyCluster = (from: string, to: string) => run('cp', ['-a', from, to]);

/** The kept cluster that fits this checkout, or where to keep one; undefined where none can be kept. */
export function templateCluster() {
  if (process.platform === 'win32') return undefined;
  const today = new Date().toISOString().slice(0, 10);
  const name = `${today}-${digestOfInputs()}`;
  const kept = join(cache, name);
  return {
    exists: () => existsSync(kept),
    /** Copies the kept cluster into the data directory of a server that has not started yet; false if there is none. */
    async restore(dataDir: string): Promise<boolean> {
      if (!existsSync(kept)) return false;
      await copyCluster(kept, clusterIn(dataDir));
      return true;
    },
    /** Keeps the cluster of a stopped server, and removes those of other days. */
    async keep(dataDir: string): Promise<void> {
      await mkdir(cache, { recursive: true, mode: 0o700 });
      const others = (await readdir(cache)).filter((other) => !other.startsWith(today));
      for (const other of others) await rm(join(cache, other), { recursive: true, force: true });
      const unfinished = `${kept}.${process.pid}`;
      await copyCluster(clusterIn(dataDir), unfinished);
      // a concurrent run may have kept its own: that one is as good
      await rename(unfinished, kept).catch(() => rm(unfinished, { recursive: true, force: true }));
    },
  };
}
