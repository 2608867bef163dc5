// The thread of a scheduled backup: compression and encryption take no time from the gateway's own thread.
import { parentPort, workerData } from 'node:worker_threads';
import type { KeyRing } from '../base/cipher.ts';
import type { Config } from '../config.ts';
import type { Connection } from '../db/db.ts';
import { placeOf, runBackup } from './run.ts';

export interface BackupThreadData {
  config: Config;
  connection: Connection;
  keyRing: KeyRing;
}

/** The result: null if another process is writing a backup. */
export type BackupThreadResult = {
  name: string;
  bytes: number;
  deleted: string[];
  deleteFailure: string | null;
  missingFiles: number;
} | null;

const { config, connection, keyRing } = workerData as BackupThreadData;
const stopping = new AbortController();
parentPort?.once('message', () => stopping.abort(new Error('The gateway is stopping.')));

const done = await runBackup(
  config,
  { connection, keyRing, target: placeOf(config.backup.to as string) },
  { withKeys: false, keep: config.backup.keep, signal: stopping.signal },
);
const result: BackupThreadResult = done
  ? {
      name: done.name,
      bytes: done.bytes,
      deleted: done.deleted,
      deleteFailure: done.deleteFailure,
      missingFiles: done.manifest.files.missingCount,
    }
  : null;
parentPort?.postMessage(result);
parentPort?.close();
