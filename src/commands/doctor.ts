// `doctor`: checks configuration and dependencies, and says how to fix problems; changes nothing.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { systemClock } from '../base/clock.ts';
import { openLog } from '../base/log.ts';
import { openOutgoing } from '../base/outgoing.ts';
import { type Config, readConfig } from '../config.ts';
import { findSteps } from '../db/database-clock.ts';
import { hasEmbedded } from '../db/embedded-running.ts';
import { migrationState, problemWith } from '../db/migrate.ts';
import { openDatabaseBeside } from '../db/open-database.ts';
import { findNotice, type Notice } from '../db/operator-notices.ts';
import { keyFileOf, openKeyRing } from '../encryption-keys.ts';
import { objectsFolder, openObjects } from '../parts.ts';
import { type Clocks, clockFinding } from './clock-finding.ts';
import { databaseOf } from './database.ts';
import { timeZoneFinding, timeZoneVersions } from './time-zone-data.ts';

/** What the database says about other subjects than itself. */
interface Found {
  untrustedProxy?: Notice | undefined;
  clocks?: Clocks;
}

/** Returns a finding; a warning begins with `!`. Throws on failure. */
type Look = (config: Config, found: Found) => Promise<string>;

const keys: Look = async (config) => {
  if (config.encryptionKeys === null && !existsSync(keyFileOf(config)))
    return 'none yet: the first start makes one in DATA_DIR';
  const ring = await openKeyRing(config);
  return `${ring.keys.length}, the newest is ${ring.keys[0].id}`;
};

/** How long a notice of a running process is reported. */
const noticedMs = 7 * 24 * 3_600_000;

const database: Look = async (config, found) => {
  if (config.databaseUrl === null && !(await hasEmbedded(config.dataDir)))
    return `none yet: the first start makes one in ${config.dataDir}`;
  const opened = await openDatabaseBeside(databaseOf(config), openLog('silent'), 'inspect');
  try {
    const state = await migrationState(opened.db);
    const problem = problemWith(state);
    if (problem !== undefined) throw new Error(problem);
    const { pending, unknown } = state;
    if (pending.length === 0) {
      const since = new Date(systemClock.now() - noticedMs);
      found.untrustedProxy = await findNotice(opened.db, 'untrusted_proxy', since);
      const { nowMs: databaseMs, steps } = await findSteps(opened.db, since);
      found.clocks = { databaseMs, machineMs: systemClock.now(), steps };
    }
    if (unknown.length > 0)
      return `!reached; newer than this program by ${unknown.join(', ')}; it still works, but install the newer version soon`;
    return pending.length === 0
      ? 'reached and migrated'
      : `!reached; ${pending.length} migrations are missing, which the next start or "migrate" runs`;
  } finally {
    await opened.close();
  }
};

const objectStore: Look = async (config) => {
  const folder = objectsFolder(config);
  if (folder !== undefined && !existsSync(folder)) return `none yet: the first start makes ${folder}`;
  const outgoing = openOutgoing({ connectionsPerOrigin: 2, keepAliveMs: 1_000 });
  try {
    await (await openObjects(config, { outgoing, clock: systemClock })).check();
    return 'files can be stored and removed';
  } finally {
    await outgoing.close();
  }
};

const port: Look = ({ host, port: number }) =>
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

const publicAddress: Look = async ({ publicUrl }) => {
  if (publicUrl === null)
    return '!PUBLIC_URL is not set: only this machine can reach the gateway, not the messaging platform and browsers';
  return publicUrl.startsWith('https:')
    ? publicUrl
    : `!${publicUrl} is not https, which the messaging platform requires`;
};

const proxies: Look = async ({ trustedProxies }, { untrustedProxy: seen }) => {
  if (trustedProxies.length > 0) return `X-Forwarded-For is read from ${trustedProxies.join(', ')}`;
  if (!seen) return 'none seen that TRUSTED_PROXIES should name';
  return (
    `!requests came with X-Forwarded-For from ${seen.detail}, last at ${seen.seenAt.toISOString()}, but TRUSTED_PROXIES is not set: ` +
    `failed authentication is not limited for them. Set TRUSTED_PROXIES=${seen.detail} if that is your proxy`
  );
};

const google: Look = async ({ google: { clientId } }) =>
  clientId === null ? '!no GOOGLE_CLIENT_ID: Google calendars cannot be connected' : 'a client is set';

const checks: [string, Look][] = [
  ['settings', async (config) => `data in ${config.dataDir}, role ${config.role}`],
  ['encryption keys', keys],
  ['database', database],
  ['object store', objectStore],
  ['port', port],
  ['public address', publicAddress],
  ['proxies', proxies],
  ['Google calendars', google],
  ['time zones', async () => timeZoneFinding(await timeZoneVersions(), systemClock.now())],
  ['clock', async (_config, { clocks }) => clockFinding(systemClock.now(), clocks)],
];

/** Prints each check with its finding (`ok`, `note` or `FAIL`); returns whether none failed. */
export async function doctor(): Promise<boolean> {
  const config = readConfig();
  const about: Found = {};
  let isSound = true;
  for (const [what, look] of checks) {
    try {
      const found = await look(config, about);
      const [mark, text] = found.startsWith('!') ? ['note', found.slice(1)] : ['ok  ', found];
      process.stdout.write(`${mark}  ${what}: ${text}\n`);
    } catch (error) {
      isSound = false;
      process.stdout.write(`FAIL  ${what}: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  return isSound;
}
