// The checks of "doctor": what the gateway needs, whether it is there, and how to fix what is not. Changes nothing but a probe in the object store.
import { randomBytes } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type BackupState, findBackupState } from '../backup/backups-store.ts';
import { counted } from '../base/counted.ts';
import { textOfError } from '../base/errors.ts';
import { uuidv7 } from '../base/ids.ts';
import type { Config } from '../config.ts';
import { findWaiting, waitingText } from '../db/contract.ts';
import { findSteps } from '../db/database-clock.ts';
import type { Db } from '../db/db.ts';
import { readDurability } from '../db/durability.ts';
import { findHeldSince } from '../db/gateway-state.ts';
import { migrationState, problemWith } from '../db/migrate.ts';
import { findNotice } from '../db/operator-notices.ts';
import { listFailedChecks } from '../messaging/senders/states-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { findNotices } from '../retention/settings-store.ts';
import { clockFinding } from './clock-finding.ts';
import { diskFinding, readDisks } from './disks.ts';
import { durabilityFinding } from './durability-finding.ts';
import { readServer } from './figures-store.ts';
import { type Finding, type Found, failed, note, ok } from './finding.ts';
import {
  countConnections,
  type ListedTrouble,
  listDisconnected,
  listFailing,
  listHalted,
} from './findings-store.ts';
import { retentionFinding } from './retention-finding.ts';
import { settingsFinding } from './settings-finding.ts';
import { timeZoneFinding, timeZoneVersions } from './time-zone-data.ts';

/** What the checks examine. */
export interface Examined {
  config: Config;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Finds the encryption keys, and whether they decrypt what is in the database. */
  keys: (db: Db | undefined) => Promise<Found>;
  /** The database, or why there is none: not created yet, or not reachable (then with `fix`). */
  database: Db | { missing: string; fix: string | null };
  /** Opens the object store; null: its folder does not exist yet. */
  objects: () => Promise<ObjectStore | null>;
  /** The folder of stored files; undefined if they are in a bucket. */
  objectsFolder: string | undefined;
  /** Checks the port to listen on; without it, a gateway uses it. */
  port?: () => Promise<Found>;
}

/** The same, once the database was found to be migrated. */
interface Context extends Examined {
  migrated: Db | undefined;
}

type Check = (context: Context) => Promise<Found>;

const unknown = ok('unknown: the database cannot be read yet');
const week = 7 * 24 * 3_600_000;
const listedMax = 20;

const database: Check = async (context) => {
  if ('missing' in context.database) {
    const { missing, fix } = context.database;
    return fix === null ? ok(missing) : failed(missing, fix);
  }
  const state = await migrationState(context.database);
  const problem = problemWith(state);
  if (problem !== undefined) return failed(problem, 'Install the version that fits this database.');
  const { pending, unknown: newer } = state;
  if (pending.length === 0) context.migrated = context.database;
  if (newer.length > 0)
    return note(
      `reachable; newer than this program by ${newer.join(', ')}; it still works`,
      'Install the newer version soon.',
    );
  const waits = pending.length === 0 ? waitingText(await findWaiting(context.database)) : undefined;
  if (waits !== undefined) return ok(`reachable and migrated; ${waits}`);
  return pending.length === 0
    ? ok('reachable and migrated')
    : note(`reachable; ${counted(pending.length, 'pending migration')}`, 'Run "migrate", or just start.');
};

/** Checks of the database that need its tables. */
const ofDatabase =
  (check: (db: Db, context: Context) => Promise<Found>): Check =>
  async (context) =>
    context.migrated ? check(context.migrated, context) : unknown;

const objectStore: Check = async ({ objects, objectsFolder }) => {
  const fix =
    objectsFolder === undefined
      ? 'Check the address in OBJECT_STORE_URL, the credentials, and the rights to put, get, list and delete objects.'
      : `Check that the gateway's user may write in ${objectsFolder}, and that the disk is not full.`;
  try {
    const store = await objects();
    if (!store) return ok(`none yet: the first start creates ${objectsFolder}`);
    return (await tryFile(store))
      ? ok('files can be written, read and deleted')
      : failed('a file was not read back as it was written', fix);
  } catch (error) {
    return failed(textOfError(error), fix);
  }
};

/** Writes, reads and deletes a file; returns whether it was read as it was written. */
async function tryFile(store: ObjectStore): Promise<boolean> {
  const key = `doctor/${uuidv7()}`;
  const content = randomBytes(1_024);
  await store.check();
  await store.put(key, Readable.from([content]));
  const stored = await store.get(key);
  const read = stored && Buffer.concat(await stored.toArray());
  await store.delete(key);
  return read?.equals(content) === true;
}

const publicAddress: Check = async ({ config: { publicUrl } }) => {
  if (publicUrl === null)
    return note(
      'PUBLIC_URL is not set: only this machine can reach the gateway, not the messaging platform and browsers',
      'Set PUBLIC_URL to the address of your proxy.',
    );
  return publicUrl.startsWith('https:')
    ? ok(publicUrl)
    : note(
        `${publicUrl} is not https, which the messaging platform requires`,
        'Put a proxy with TLS in front.',
      );
};

const proxies = ofDatabase(async (db, { config: { trustedProxies }, now }) => {
  if (trustedProxies.length > 0) return ok(`X-Forwarded-For is read from ${trustedProxies.join(', ')}`);
  const seen = await findNotice(db, 'untrusted_proxy', new Date(now() - week));
  if (!seen) return ok('no undeclared proxy was seen');
  return note(
    `requests came with X-Forwarded-For from ${seen.detail}, last at ${seen.seenAt.toISOString()}, but TRUSTED_PROXIES is not set: failed authentication is not limited for them`,
    `Set TRUSTED_PROXIES=${seen.detail} if that is your proxy.`,
  );
});

/** At most 20 lines, and whether there are more. */
const listed = (lines: readonly string[]) =>
  [...lines.slice(0, listedMax), ...(lines.length > listedMax ? ['and more'] : [])].join('\n');

const troubleLines = (found: readonly ListedTrouble[]) =>
  listed(found.map(({ account, name, detail }) => `${account}: ${name}${detail ? `: ${detail}` : ''}`));

const senders = ofDatabase(async (db) => {
  const [halted, checks] = [await listHalted(db, listedMax + 1), await listFailedChecks(db)];
  if (halted.length + checks.length === 0) return ok('no check of a sender failed, and none is halted');
  const lines = [
    ...halted.map(
      ({ account, name, detail }) => `${account}: ${name} is halted: ${detail ?? 'no reason given'}`,
    ),
    ...checks.map(({ sender, name, detail, fix }) => `${sender}: ${name}: ${detail} ${fix ?? ''}`.trim()),
  ];
  return note(
    listed(lines),
    'Follow the fix of each check. Then resume halted senders: PATCH /v1/senders/:id.',
  );
});

const calendars = ofDatabase(async (db, { config: { google } }) => {
  const unusable = google.clientId === null ? await countConnections(db, 'google') : 0;
  if (unusable > 0)
    return note(
      `GOOGLE_CLIENT_ID is not set, but ${counted(unusable, 'connected Google calendar needs', 'connected Google calendars need')} it: no slots and no bookings there (a sandbox sets it for its own process only)`,
      'Set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET as they were when the calendars were connected.',
    );
  const disconnected = await listDisconnected(db, listedMax + 1);
  if (disconnected.length > 0)
    return note(
      troubleLines(disconnected),
      'These staff members must connect their calendars again, by a new link.',
    );
  return google.clientId === null
    ? note(
        'GOOGLE_CLIENT_ID is not set: Google calendars cannot be connected',
        'Set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET if you use them.',
      )
    : ok('an OAuth client is configured, and no calendar is disconnected');
});

const endpoints = ofDatabase(async (db) => {
  const failing = await listFailing(db, listedMax + 1);
  return failing.length === 0
    ? ok('no webhook endpoint fails')
    : note(
        troubleLines(failing),
        'See the attempts in GET /v1/webhooks/deliveries; activate disabled endpoints with PATCH.',
      );
});

/** A note without a schedule: backups may be made in another way. */
const daysWithoutBackup = 2;

/** Whether the last good backup is recent enough for the schedule. */
export function backupFinding(state: BackupState, { backup }: Pick<Config, 'backup'>): Found {
  const failures = state.failures > 0 ? `; ${state.failures} failed since: ${state.lastFailure}` : '';
  const fix =
    failures === ''
      ? 'Run "backup", or set BACKUP_TO for a worker to do it.'
      : 'See backup.failed in the log of the workers.';
  if (state.goodSeconds === null) return note(`no good backup yet${failures}`, fix);
  const hours = state.goodSeconds / 3_600;
  const isLate = hours > (backup.to === null ? daysWithoutBackup * 24 : backup.everyHours + 1);
  const text = `the last good one is ${hours.toFixed(1)} hours old${failures}`;
  return isLate || failures !== '' ? note(text, fix) : ok(text);
}

/** A worker keeps 14 days, or two months. */
const partitionDays = { failed: 7, note: 12 };

const partitions = ofDatabase(async (db) => {
  const { partitionDaysAhead } = await readServer(db);
  const text = `partitions exist for ${partitionDaysAhead} days after today`;
  const fix =
    'A worker creates them every hour: check that a process with ROLE all or worker runs, and its log. ' +
    'A time whose first rows are in the default partition never gets its own: then wait until it is over.';
  if (partitionDaysAhead < partitionDays.failed) return failed(text, fix);
  return partitionDaysAhead < partitionDays.note ? note(text, fix) : ok(text);
});

const held = ofDatabase(async (db, { now }) => {
  const since = await findHeldSince(db);
  return since === null
    ? ok('no: the gateway sends and books')
    : note(
        // just after a restore, the stored time may lie ahead
        `since ${new Date(Math.min(since.getTime(), now())).toISOString()}, after a restore: it neither sends nor books`,
        'Run "release" when you have checked what was restored.',
      );
});

const clock: Check = async ({ migrated, now }) => {
  if (!migrated) return clockFinding(now(), undefined);
  const { nowMs: databaseMs, steps } = await findSteps(migrated, new Date(now() - week));
  return clockFinding(now(), { databaseMs, machineMs: now(), steps });
};

/** The folders whose disks matter. */
export function foldersOf({ config, objectsFolder }: Pick<Examined, 'config' | 'objectsFolder'>) {
  const { to } = config.backup;
  const backups =
    to === null || to.startsWith('s3:')
      ? undefined
      : resolve(to.startsWith('file:') ? fileURLToPath(to) : to);
  return [
    { use: 'data', path: config.dataDir },
    ...(objectsFolder !== undefined && dirname(objectsFolder) !== config.dataDir
      ? [{ use: 'objects', path: objectsFolder }]
      : []),
    ...(backups === undefined ? [] : [{ use: 'backups', path: backups }]),
  ];
}

const disks: Check = async (context) => diskFinding(await readDisks(foldersOf(context)));

const checks: [string, Check][] = [
  ['settings', async ({ config }) => settingsFinding(config)],
  ['database', database],
  ['encryption keys', ({ keys, migrated }) => keys(migrated)],
  ['durability', ofDatabase(async (db) => durabilityFinding(await readDurability(db)))],
  ['object store', objectStore],
  ['port', async ({ port }) => (port ? port() : ok('this gateway listens'))],
  ['public address', publicAddress],
  ['proxies', proxies],
  ['held', held],
  ['senders', senders],
  ['calendars', calendars],
  ['webhook endpoints', endpoints],
  ['backups', ofDatabase(async (db, { config }) => backupFinding(await findBackupState(db), config))],
  [
    'retention',
    ofDatabase(async (db, { config, now }) =>
      retentionFinding(config.retentionDays, await findNotices(db), new Date(now())),
    ),
  ],
  ['partitions', partitions],
  ['disks', disks],
  ['time zones', async ({ now }) => timeZoneFinding(await timeZoneVersions(), now())],
  ['clock', clock],
];

/** Performs every check, in order. A check that throws is a failure. */
export async function examine(examined: Examined): Promise<Finding[]> {
  const context: Context = { ...examined, migrated: undefined };
  const findings: Finding[] = [];
  for (const [check, perform] of checks) {
    const found = await perform(context).catch((error: unknown) =>
      failed(textOfError(error), 'See the message, and the log of the gateway.'),
    );
    findings.push({ check, ...found });
  }
  return findings;
}
