// `doctor`: checks configuration and dependencies, and says how to fix problems. Changes nothing.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { type BackupState, findBackupState } from '../backup/backups-store.ts';
import { systemClock } from '../base/clock.ts';
import { openLog } from '../base/log.ts';
import { openOutgoing } from '../base/outgoing.ts';
import { type Config, readConfig } from '../config.ts';
import { findWaiting, waitingText } from '../db/contract.ts';
import { findSteps } from '../db/database-clock.ts';
import { hasEmbedded } from '../db/embedded-running.ts';
import { migrationState, problemWith } from '../db/migrate.ts';
import { openDatabaseBeside } from '../db/open-database.ts';
import { findNotice, type Notice } from '../db/operator-notices.ts';
import { keyFileOf, openKeyRing } from '../encryption-keys.ts';
import { type FailedCheck, listFailedChecks } from '../messaging/senders/states-store.ts';
import { objectsFolder, openObjects } from '../parts.ts';
import type { Announcements } from '../retention/cutoffs.ts';
import { findNotices } from '../retention/settings-store.ts';
import { type Clocks, clockFinding } from './clock-finding.ts';
import { databaseOf } from './database.ts';
import { say as print } from './output.ts';
import { retentionFinding } from './retention-finding.ts';
import { timeZoneFinding, timeZoneVersions } from './time-zone-data.ts';

/** What the database check found for later checks. */
interface Context {
  untrustedProxy?: Notice | undefined;
  clocks?: Clocks;
  failedChecks?: FailedCheck[];
  backups?: BackupState;
  retention?: Announcements;
}

/** Returns a finding; a warning begins with `!`. Throws on failure. */
type Check = (config: Config, found: Context) => Promise<string>;

const keys: Check = async (config) => {
  if (config.encryptionKeys === null && !existsSync(keyFileOf(config)))
    return 'none yet: the first start creates one in DATA_DIR';
  const ring = await openKeyRing(config);
  return `${ring.keys.length}, the newest is ${ring.keys[0].id}`;
};

/** A note without a schedule: backups may be made in another way. */
const daysWithoutBackup = 2;

/** Maximum age of reported notices. */
const noticeAgeMs = 7 * 24 * 3_600_000;

const database: Check = async (config, found) => {
  if (config.databaseUrl === null && !(await hasEmbedded(config.dataDir)))
    return `none yet: the first start creates one in ${config.dataDir}`;
  const opened = await openDatabaseBeside(databaseOf(config), openLog('silent'), 'inspect');
  try {
    const state = await migrationState(opened.db);
    const problem = problemWith(state);
    if (problem !== undefined) throw new Error(problem);
    const { pending, unknown } = state;
    if (pending.length === 0) {
      const since = new Date(systemClock.now() - noticeAgeMs);
      found.untrustedProxy = await findNotice(opened.db, 'untrusted_proxy', since);
      found.failedChecks = await listFailedChecks(opened.db);
      found.backups = await findBackupState(opened.db);
      found.retention = await findNotices(opened.db);
      const { nowMs: databaseMs, steps } = await findSteps(opened.db, since);
      found.clocks = { databaseMs, machineMs: systemClock.now(), steps };
    }
    if (unknown.length > 0)
      return `!reachable; newer than this program by ${unknown.join(', ')}; it still works, but install the newer version soon`;
    const waits = pending.length === 0 ? waitingText(await findWaiting(opened.db)) : undefined;
    if (waits !== undefined) return `reachable and migrated; ${waits}`;
    return pending.length === 0
      ? 'reachable and migrated'
      : `!reachable; ${pending.length} pending migrations, which the next start or "migrate" runs`;
  } finally {
    await opened.close();
  }
};

const objectStore: Check = async (config) => {
  const folder = objectsFolder(config);
  if (folder !== undefined && !existsSync(folder)) return `none yet: the first start creates ${folder}`;
  const outgoing = openOutgoing({ connectionsPerOrigin: 2, keepAliveMs: 1_000 });
  try {
    await (await openObjects(config, { outgoing, clock: systemClock })).check();
    return 'files can be stored and removed';
  } finally {
    await outgoing.close();
  }
};

const port: Check = ({ host, port: number }) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === 'EADDRINUSE'
          ? `!${number} of ${host} is in use by a running gateway or another program`
          : `!${number} of ${host} cannot be used: ${error.message}`,
      ),
    );
    server.listen(number, host, () => server.close(() => resolve(`${number} of ${host} is free`)));
  });

const publicAddress: Check = async ({ publicUrl }) => {
  if (publicUrl === null)
    return '!PUBLIC_URL is not set: only this machine can reach the gateway, not the messaging platform and browsers';
  return publicUrl.startsWith('https:')
    ? publicUrl
    : `!${publicUrl} is not https, which the messaging platform requires`;
};

const proxies: Check = async ({ trustedProxies }, { untrustedProxy: seen }) => {
  if (trustedProxies.length > 0) return `X-Forwarded-For is read from ${trustedProxies.join(', ')}`;
  if (!seen) return 'no undeclared proxy was seen';
  return (
    `!requests came with X-Forwarded-For from ${seen.detail}, last at ${seen.seenAt.toISOString()}, but TRUSTED_PROXIES is not set: ` +
    `failed authentication is not limited for them. Set TRUSTED_PROXIES=${seen.detail} if that is your proxy`
  );
};

const listedChecksMax = 20;

const senders: Check = async (_config, { failedChecks }) => {
  if (failedChecks === undefined) return 'unknown: the database cannot be read yet';
  if (failedChecks.length === 0) return 'no check of a sender failed';
  const listed = failedChecks
    .slice(0, listedChecksMax)
    .map(({ sender, name, detail, fix }) => `${sender}: ${name}: ${detail} ${fix ?? ''}`.trim());
  const more = failedChecks.length - listed.length;
  return `!${[...listed, ...(more > 0 ? [`and ${more} more`] : [])].join('\n      ')}`;
};

const backups: Check = async ({ backup }, { backups: state }) => {
  if (state === undefined) return 'unknown: the database cannot be read yet';
  const failed = state.failures > 0 ? `; ${state.failures} failed since: ${state.lastFailure}` : '';
  if (state.goodSeconds === null)
    return `!no good backup yet${failed}. Run "backup", or set BACKUP_TO for a worker to do it`;
  const hours = state.goodSeconds / 3_600;
  const isLate = hours > (backup.to === null ? daysWithoutBackup * 24 : backup.everyHours + 1);
  return `${isLate || failed ? '!' : ''}the last good one is ${hours.toFixed(1)} hours old${failed}`;
};

const google: Check = async ({ google: { clientId } }) =>
  clientId === null
    ? '!GOOGLE_CLIENT_ID is not set: Google calendars cannot be connected'
    : 'an OAuth client is configured';

const checks: [string, Check][] = [
  ['settings', async (config) => `data in ${config.dataDir}, role ${config.role}`],
  ['encryption keys', keys],
  ['database', database],
  ['object store', objectStore],
  ['port', port],
  ['public address', publicAddress],
  ['proxies', proxies],
  ['senders', senders],
  ['backups', backups],
  [
    'retention',
    async ({ retentionDays }, { retention = {} }) =>
      retentionFinding(retentionDays, retention, new Date(systemClock.now())),
  ],
  ['Google calendars', google],
  ['time zones', async () => timeZoneFinding(await timeZoneVersions(), systemClock.now())],
  ['clock', async (_config, { clocks }) => clockFinding(systemClock.now(), clocks)],
];

const marks = { ok: 'ok  ', note: 'note', failed: 'FAIL' } as const;

/** Prints each check with its finding (`ok`, `note` or `FAIL`); `ok`: none failed. */
export async function doctor() {
  const config = readConfig();
  const context: Context = {};
  const findings: { check: string; status: 'ok' | 'note' | 'failed'; text: string }[] = [];
  const add = (check: string, status: 'ok' | 'note' | 'failed', text: string) => {
    findings.push({ check, status, text });
    print(`${marks[status]}  ${check}: ${text}`);
  };
  for (const [what, check] of checks) {
    try {
      const found = await check(config, context);
      if (found.startsWith('!')) add(what, 'note', found.slice(1));
      else add(what, 'ok', found);
    } catch (error) {
      add(what, 'failed', error instanceof Error ? error.message : String(error));
    }
  }
  return { ok: findings.every(({ status }) => status !== 'failed'), findings };
}
