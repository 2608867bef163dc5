// `doctor`: checks configuration and dependencies, and says how to fix problems. Changes nothing.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { systemClock } from '../base/clock.ts';
import { openLog } from '../base/log.ts';
import { openOutgoing } from '../base/outgoing/outgoing.ts';
import { type Config, readConfig } from '../config.ts';
import { hasEmbedded } from '../db/embedded/running.ts';
import { keyFinding } from '../encryption-keys.ts';
import { type OpenDatabase, openDatabaseBeside } from '../open-database.ts';
import { type Finding, type Found, findingText, isHealthy, note, ok } from '../operator/finding.ts';
import { examine } from '../operator/findings.ts';
import { objectsFolder, openObjects } from '../parts.ts';
import { databaseOf } from './database.ts';
import { errorText } from './exit-codes.ts';
import { interruptible, type OnServer } from './interruption.ts';
import { say } from './output.ts';

const port = ({ host, port: number }: Config): Promise<Found> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === 'EADDRINUSE'
          ? note(
              `${number} of ${host} is in use by a running gateway or another program`,
              'If it is no gateway, set PORT.',
            )
          : note(
              `${number} of ${host} cannot be used: ${error.message}`,
              'Set HOST and PORT to an address of this machine.',
            ),
      ),
    );
    server.listen(number, host, () => server.close(() => resolve(ok(`${number} of ${host} is free`))));
  });

/** Opens the database; the text says why there is none. */
async function openOwn(
  config: Config,
  onServer: OnServer,
): Promise<OpenDatabase | { missing: string; fix: string | null }> {
  if (config.databaseUrl === null && !(await hasEmbedded(config.dataDir)))
    return { missing: `none yet: the first start creates one in ${config.dataDir}`, fix: null };
  const where = { ...databaseOf(config), onServer };
  return openDatabaseBeside(where, openLog('silent'), 'inspect').catch((error: unknown) => ({
    missing: errorText(error),
    fix: 'Do what the message says. If it names no remedy, check DATABASE_URL or DATA_DIR, and that the server runs.',
  }));
}

async function findAll(config: Config, onServer: OnServer): Promise<Finding[]> {
  const folder = objectsFolder(config);
  const outgoing = openOutgoing({ connectionsPerOrigin: 2, keepAliveMs: 1_000 });
  const opened = await openOwn(config, onServer);
  try {
    return await examine({
      config,
      now: systemClock.now,
      keys: (db) => keyFinding(config, db),
      database: 'missing' in opened ? opened : opened.db,
      objects: async () =>
        folder !== undefined && !existsSync(folder)
          ? null
          : openObjects(config, { outgoing, clock: systemClock }),
      objectsFolder: folder,
      port: () => port(config),
    });
  } finally {
    if (!('missing' in opened)) await opened.close();
    await outgoing.close();
  }
}

/** Prints each finding; `ok`: none failed. Throws ConfigError if the settings cannot be used. */
export async function doctor(): Promise<{ ok: boolean; findings: Finding[] }> {
  const findings = await interruptible((onServer) => findAll(readConfig(), onServer));
  for (const finding of findings) say(findingText(finding));
  return { ok: isHealthy(findings), findings };
}
