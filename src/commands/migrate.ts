// `migrate`: creates or migrates the database with its next partitions, and reports which migrations wait for older versions to disappear.
import { readConfig } from '../config.ts';
import { findWaiting, runContracts, waitingText } from '../db/contract.ts';
import { makePartitions } from '../db/partitions.ts';
import { onDatabase } from './database.ts';
import { say } from './output.ts';

/**
 * Runs pending migrations of the configured database and creates missing partitions. `contract`: also those that wait for a day without older versions. Throws
 * if processes of these are running.
 */
export async function migrate({ contract }: { contract: boolean }): Promise<object> {
  return onDatabase(async ({ db }) => {
    if (contract) {
      const { run, waiting, older } = await runContracts(db, { hours: 0 });
      for (const name of run) say(`Ran ${name}. Versions that do not know it no longer start.`);
      if (waiting.length > 0) throw new Error(waitingText({ run, waiting, older }));
    }
    // the first worker may start much later: until then, "doctor" and the first rows would miss them
    await makePartitions(db, readConfig().partitionBy);
    const { waiting, older } = await findWaiting(db);
    const waits = waitingText({ run: [], waiting, older });
    say(waits === undefined ? 'The database is up to date.' : `The database is up to date. ${waits}`);
    return { migrated: true, waiting, waitsFor: older };
  }, 'migrate');
}
