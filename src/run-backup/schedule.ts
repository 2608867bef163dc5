// Scheduled backups: a worker starts one when it is due, and reports how backups are doing.
import { Worker } from 'node:worker_threads';
import { type BackupState, findBackupState } from '../backup/backups-store.ts';
import type { KeyRing } from '../base/cipher.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Config } from '../config.ts';
import type { Connection, Db } from '../db/db.ts';
import type { BackupThreadData, BackupThreadResult } from './thread.ts';

export interface BackupScheduleDeps {
  db: Db;
  log: Log;
  metrics: Pick<Metrics, 'backups'>;
  config: Config;
  connection: Connection;
  keyRing: KeyRing;
  /** True while the gateway is held: its backup would be that of the copy. */
  isHeld: () => boolean;
}

export interface BackupSchedule {
  /** To call about once a minute. Returns 0. */
  round(): Promise<number>;
  /** Stops a running backup, of which nothing is stored. */
  stop(): Promise<void>;
}

/** Seconds until a failed backup is tried again. */
const retrySeconds = 3_600;
const stopMs = 3_000;

/**
 * True if a backup is due: the last good one is `everyHours` old, and the last attempt an hour. One of the future, before the
 * database's clock stepped back, does not count.
 */
export function isBackupDue(
  { goodSeconds, beganSeconds }: Pick<BackupState, 'goodSeconds' | 'beganSeconds'>,
  everyHours: number,
): boolean {
  const isWithin = (seconds: number | null, limit: number) =>
    seconds !== null && seconds >= 0 && seconds < limit;
  const every = everyHours * 3_600;
  return !isWithin(goodSeconds, every) && !isWithin(beganSeconds, Math.min(retrySeconds, every));
}

/** Opens the schedule of BACKUP_TO; without it, only reports. */
export function openBackupSchedule(deps: BackupScheduleDeps): BackupSchedule {
  const { db, log, metrics, config, connection, keyRing } = deps;
  const data: BackupThreadData = { config, connection, keyRing };
  let running: { thread: Worker; ended: Promise<void> } | undefined;
  let isStopping = false;

  function report(state: BackupState): void {
    const { age, duration, bytes, failures, snapshotAge } = metrics.backups;
    age.set(state.goodSeconds ?? Number.POSITIVE_INFINITY);
    duration.set(state.tookSeconds ?? 0);
    bytes.set(state.bytes ?? 0);
    failures.set(state.failures);
    snapshotAge.set(state.snapshotSeconds ?? 0);
  }

  function reportDone({ deleteFailure, ...result }: NonNullable<BackupThreadResult>, ms: number): void {
    const { to } = config.backup;
    log.info({ ...result, to, ms }, 'backup.done');
    if (deleteFailure !== null) log.error({ reason: deleteFailure, to }, 'backup.old_not_deleted');
  }

  function start(): void {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), { name: 'backup', workerData: data });
    const began = performance.now();
    let result: BackupThreadResult = null;
    let failure: unknown;
    thread.on('message', (message: BackupThreadResult) => {
      result = message;
    });
    thread.on('error', (error) => {
      failure = error;
    });
    const ended = new Promise<void>((resolve) => {
      thread.once('exit', () => {
        running = undefined;
        const ms = Math.round(performance.now() - began);
        if (failure !== undefined && !isStopping)
          log.error({ err: failure, to: config.backup.to, ms }, 'backup.failed');
        else if (result) reportDone(result, ms);
        resolve();
      });
    });
    running = { thread, ended };
  }

  return {
    async round() {
      const state = await findBackupState(db);
      report(state);
      const isDue = config.backup.to !== null && isBackupDue(state, config.backup.everyHours);
      if (isDue && !running && !isStopping && !deps.isHeld()) start();
      return 0;
    },

    async stop() {
      isStopping = true;
      if (!running) return;
      const { thread, ended } = running;
      thread.postMessage('stop');
      const timer = setTimeout(() => void thread.terminate(), stopMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
