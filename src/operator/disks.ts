// The disks of the gateway's folders: how much space is left.
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Found, failed, note, ok } from './finding.ts';

export interface Disk {
  /** What is there: `data`, `objects`, `backups`. */
  use: string;
  path: string;
  freeBytes: number;
  totalBytes: number;
}

/** The space below each folder, or below the nearest one that exists. */
export async function readDisks(folders: readonly { use: string; path: string }[]): Promise<Disk[]> {
  return Promise.all(
    folders.map(async ({ use, path }) => {
      let there = path;
      while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
      const { bavail, blocks, bsize } = await statfs(there);
      return { use, path, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    }),
  );
}

/** As disks are sold, and as the dashboard shows them. */
const gigabyte = 1e9;
const low = { bytes: gigabyte, share: 0.02 } as const;
const soonLow = { bytes: 5 * gigabyte, share: 0.1 } as const;

/** A share counts up to 20 GB, and on small disks at most the half. */
function isBelow({ freeBytes, totalBytes }: Disk, limit: { bytes: number; share: number }): boolean {
  const least = Math.max(limit.bytes, Math.min(totalBytes * limit.share, 20 * gigabyte));
  return freeBytes < Math.min(least, totalBytes / 2);
}

/** Fails below 1 GB or 2 % of a disk, notes below 5 GB or 10 %. */
export function diskFinding(disks: readonly Disk[]): Found {
  const of = (disk: Disk) =>
    `${disk.use} ${(disk.freeBytes / gigabyte).toFixed(1)} of ${(disk.totalBytes / gigabyte).toFixed(1)} GB free in ${disk.path}`;
  const text = disks.map(of).join('; ');
  const fix = 'Free space or enlarge the disk. While it is full, requests that need space return 507.';
  if (disks.some((disk) => isBelow(disk, low))) return failed(text, fix);
  return disks.some((disk) => isBelow(disk, soonLow)) ? note(text, fix) : ok(text);
}
