// Runs one backup of the configured gateway: opens what it reads and where it writes, at a low priority.
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { type BackUpOptions, type BackupDone, backUp } from '../backup/back-up.ts';
import { type BackupTarget, parseTarget } from '../backup/target.ts';
import { type KeyRing, parseKeyRing } from '../base/cipher.ts';
import { systemClock } from '../base/clock.ts';
import { type Outgoing, openOutgoing } from '../base/outgoing/outgoing.ts';
import { version } from '../base/version.ts';
import type { Config } from '../config.ts';
import { type Connection, openDb } from '../db/db.ts';
import { openBackupStore, openObjects } from '../parts.ts';

export interface RunOptions extends Pick<BackUpOptions, 'withKeys' | 'keep' | 'onProgress' | 'signal'> {
  /** A file, a directory or an `s3://` address. */
  to: string;
}

/** Below the gateway's own work. */
const lowPriority = 15;

/** The backup keys of the settings; null: none. */
export function backupKeysOf({ backup: { keys } }: Config): KeyRing | null {
  return keys === null ? null : parseKeyRing(keys);
}

/** Splits a target, and checks whether it is a directory. */
export async function targetOf(to: string): Promise<BackupTarget> {
  const found = to.startsWith('s3:')
    ? undefined
    : await stat(to.replace(/^file:(?:\/\/)?/, '')).catch(() => undefined);
  return parseTarget(to, () => found && (found.isDirectory() ? 'directory' : 'file'));
}

/** The place that a setting names: always a directory or bucket. */
export const placeOf = (to: string): BackupTarget => ({
  place: parseTarget(to, () => 'directory').place,
  name: null,
});

/** Opens connections for S3. The caller closes them. */
export const openBackupCalls = (): Outgoing => openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 5_000 });

/**
 * Writes one backup; undefined if another one of this database is running. Lowers the priority of the calling thread for
 * the rest of its life. Throws as `backUp` does.
 */
export async function runBackup(
  config: Config,
  parts: { connection: Connection; keyRing: KeyRing; target: BackupTarget },
  options: Omit<RunOptions, 'to'>,
): Promise<BackupDone | undefined> {
  setPriority(lowPriority);
  const { connection, keyRing, target } = parts;
  const { snapshotMinutes, megabytesPerSecond } = config.backup;
  const outgoing = openBackupCalls();
  const db = openDb(connection, { maxConnections: 1, applicationName: 'gateway backup' });
  try {
    const deps = {
      ...{ db, connection, keyRing, version },
      clock: systemClock,
      objects: await openObjects(config, { outgoing, clock: systemClock }),
      backupKeys: backupKeysOf(config),
    };
    return await backUp(deps, {
      ...options,
      ...target,
      store: await openBackupStore(target.place, outgoing),
      snapshotMaxMs: snapshotMinutes * 60_000,
      bytesPerSecond: megabytesPerSecond === 0 ? null : megabytesPerSecond * 1_000_000,
    });
  } finally {
    await db.destroy();
    await outgoing.close();
  }
}
