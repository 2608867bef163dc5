// The health of the gateway as its operator sees it: the findings of "doctor", backups and disks.
import { type BackupState, findBackupState } from '../backup/backups-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { readDisks } from './disks.ts';
import { isHealthy } from './finding.ts';
import { type Examined, examine, foldersOf } from './findings.ts';

export interface OperatorHealthDeps {
  db: Db;
  clock: Clock;
  config: Config;
  objects: ObjectStore;
  objectsFolder: string | undefined;
  version: string;
  /** The finding about the encryption keys. */
  findKeys: Examined['keys'];
}

/** The checks write to the object store and read several tables: any number of readers cost no more than one. */
const freshMs = 10_000;

function backupsOf(state: BackupState, { backup }: Config, nowMs: number) {
  const { goodSeconds, bytes, tookSeconds, failures, lastFailure } = state;
  return {
    scheduled: backup.to !== null,
    everyHours: backup.everyHours,
    lastGoodAt: goodSeconds === null ? null : new Date(nowMs - goodSeconds * 1000).toISOString(),
    lastGoodBytes: bytes,
    lastGoodSeconds: tookSeconds,
    failures,
    lastFailure,
  };
}

async function readHealth(deps: OperatorHealthDeps) {
  const { db, clock, config, objects, objectsFolder } = deps;
  const checkedAt = clock.now();
  const findings = await examine({
    ...{ config, objectsFolder, database: db, keys: deps.findKeys },
    now: () => clock.now(),
    objects: async () => objects,
  });
  return {
    ok: isHealthy(findings),
    checkedAt: new Date(checkedAt).toISOString(),
    version: deps.version,
    findings,
    backups: backupsOf(await findBackupState(db), config, clock.now()),
    disks: await readDisks(foldersOf({ config, objectsFolder })),
  };
}

/** Returns a function that reads the health, at most every ten seconds. */
export function openOperatorHealth(deps: OperatorHealthDeps): () => ReturnType<typeof readHealth> {
  let last: { atMs: number; health: ReturnType<typeof readHealth> } | undefined;
  return () => {
    const atMs = deps.clock.steady();
    if (last && atMs - last.atMs < freshMs) return last.health;
    const health = readHealth(deps);
    last = { atMs, health };
    health.catch(() => {
      last = undefined;
    });
    return health;
  };
}
