// `retention`: removes what ended long ago now, or says what would be removed.
import { systemClock } from '../base/clock.ts';
import { openLog } from '../base/log.ts';
import { readConfig } from '../config.ts';
import { openDb } from '../db/db.ts';
import { dryRun } from '../retention/dry-run.ts';
import { everySeconds, type Removed, removeExpired } from '../retention/retention.ts';
import { endRun, leaseRun, makeRunDue } from '../retention/settings-store.ts';
import { onDatabase } from './database.ts';
import { CommandError } from './exit-codes.ts';
import { say } from './output.ts';

export interface RetentionOptions {
  dryRun: boolean;
}

/** Prints what a run would remove (`dryRun`), or does one and prints what it removed. */
export async function retention(options: RetentionOptions): Promise<object> {
  const { retentionDays: days } = readConfig();
  const log = openLog('warn');
  return onDatabase(async ({ connection }) => {
    // counts read whole tables
    const db = openDb(connection, {
      ...{ maxConnections: 2, applicationName: 'gateway retention' },
      statementTimeoutMs: 0,
    });
    try {
      const now = new Date(systemClock.now());
      return options.dryRun
        ? printDryRun(await dryRun(db, days, now))
        : await removeNow({ db, log, days }, now);
    } finally {
      await db.destroy();
    }
  });
}

const keptText = (days: number | null) => (days === null ? 'for ever' : `${days} days`);

function printDryRun(found: Awaited<ReturnType<typeof dryRun>>): object {
  const row = (...[kind = '', kept = '', rows = '', from = '']: string[]) =>
    say(`  ${kind.padEnd(12)}${kept.padEnd(15)}${rows.padEnd(15)}${from}`.trimEnd());
  row('', 'kept', 'to be removed', 'from');
  for (const { kind, days, rows, beginsAt } of found.kinds)
    row(kind, keptText(days), rows === null ? '-' : String(rows), rows === null ? '' : (beginsAt ?? 'now'));
  row('media', 'with messages', String(found.media));
  say(`  accounts that keep less: ${found.accountsWithOwnDays}`);
  say(`  whole partitions: ${found.partitions.join(', ') || 'none'}`);
  say('Nothing was removed.');
  return found;
}

async function removeNow(deps: Parameters<typeof removeExpired>[0], now: Date): Promise<object> {
  // no process has a negative id
  const lease = -process.pid;
  await makeRunDue(deps.db);
  if (!(await leaseRun(deps.db, lease)))
    throw new CommandError(
      'unavailable',
      'A worker is removing old data now, or the gateway is held. Try again in a few minutes.',
    );
  const steps = removeExpired(deps, now);
  let removed: Removed = { rows: {}, partitions: [], busy: [] };
  for (let done: boolean | undefined = false; !done; ) {
    ({ done, value: removed } = await steps.next());
    if (!done && !(await leaseRun(deps.db, lease)))
      throw new CommandError('unavailable', 'Another process took over. It goes on with the removal.');
  }
  await endRun(deps.db, lease, everySeconds);
  const rows = Object.entries(removed.rows).filter(([, n]) => n > 0);
  for (const [kind, n] of rows) say(`  ${kind.padEnd(12)}${n}`);
  for (const name of removed.partitions) say(`  partition   ${name}`);
  for (const name of removed.busy) say(`  in use, later: ${name}`);
  say(rows.length + removed.partitions.length === 0 ? 'There was nothing to remove.' : 'Removed.');
  return removed;
}
