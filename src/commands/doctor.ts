// `doctor`: looks at everything the gateway needs and says what to mend.
import { databaseOf, openKeyRing } from '../app.ts';
import { systemClock } from '../base/clock.ts';
import { openLog } from '../base/log.ts';
import { readConfig } from '../config.ts';
import { migrationState } from '../db/migrate.ts';
import { openDatabaseBeside } from '../db/open-database.ts';

interface Check {
  what: string;
  look: () => Promise<string>;
}

/** Prints each check with its finding; answers whether all passed. */
export async function doctor(): Promise<boolean> {
  const config = readConfig();
  const checks: Check[] = [
    { what: 'settings', look: async () => `data in ${config.dataDir}, role ${config.role}` },
    { what: 'encryption keys', look: () => openKeyRing(config).then(() => 'readable') },
    {
      what: 'database',
      look: async () => {
        const database = await openDatabaseBeside(databaseOf(config), openLog('silent'));
        try {
          const { pending } = await migrationState(database.db);
          return pending.length === 0
            ? 'reached and migrated'
            : `${pending.length} migrations are missing: run migrate`;
        } finally {
          await database.close();
        }
      },
    },
    {
      what: 'public address',
      look: async () => {
        if (config.publicUrl === null)
          return 'PUBLIC_URL is not set: platforms cannot call back except on this machine';
        return config.publicUrl;
      },
    },
    {
      what: 'Google calendars',
      look: async () =>
        config.google.clientId === null ? 'no GOOGLE_CLIENT_ID: calendars cannot be connected' : 'set',
    },
    { what: 'clock', look: async () => new Date(systemClock.now()).toISOString() },
  ];
  let isSound = true;
  for (const { what, look } of checks) {
    try {
      process.stdout.write(`ok    ${what}: ${await look()}\n`);
    } catch (error) {
      isSound = false;
      process.stdout.write(`FAIL  ${what}: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  return isSound;
}
