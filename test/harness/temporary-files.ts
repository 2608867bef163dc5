// Where the tests keep temporary files: in memory if there is room, because making a database is making a thousand files.
import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';
/** A whole run takes about a third of this. */
const minFreeBytes = 3 * 2 ** 30;

/** The folder for TMPDIR: Linux's file system in memory if it is large enough and programs in it may be run, else the usual one. */
export function folderForTemporaryFiles(): string {
  if (process.env.TMPDIR || process.platform !== 'linux') return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === inMemory);
    const isUsable = mount?.split(' ')[2] === 'tmpfs' && !/\bnoexec\b/.test(mount);
    return isUsable && bavail * bsize >= minFreeBytes ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}
