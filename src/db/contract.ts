// Contract migrations: they remove what older programs use, so they run when none of these has been seen for a day.
import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';
import { migrationState, problemWith, runMissing } from './migrate.ts';
import { migrationsFolder, readMigrations } from './migration-files.ts';
import {
  findOlderPrograms,
  lockProcesses,
  notePrograms,
  type OlderProgram,
  programsText,
  unseenHours,
} from './programs.ts';

export interface Contracted {
  /** Names of the migrations that ran. */
  run: string[];
  /** Those that wait. */
  waiting: string[];
  /** The programs that the first of `waiting` would break: running, or seen in the last day. */
  older: OlderProgram[];
}

/**
 * Runs the contract migrations that no older program hinders: none has a process now, and none had one in the last day
 * (`hours`; 0: only running ones count). Returns what ran and what waits. A database that is newer than this program is left
 * as it is.
 */
export async function runContracts(
  db: Db,
  { hours = unseenHours, folder = migrationsFolder }: { hours?: number; folder?: string } = {},
): Promise<Contracted> {
  await notePrograms(db);
  const files = await readMigrations(folder);
  const run: string[] = [];
  for (;;) {
    const state = await migrationState(db, folder);
    const { waiting, unknown, pending } = state;
    const [name, ...others] = waiting;
    const isOurs = unknown.length === 0 && pending.length === 0 && problemWith(state) === undefined;
    if (name === undefined || !isOurs) return { run, waiting, older: [] };
    const older = await db.transaction().execute((tx) => findOlderPrograms(tx, name, hours));
    if (older.length > 0) return { run, waiting, older };
    // a transaction for each, so that locks are short
    const known = files.filter((file) => !others.includes(file.name));
    run.push(...(await runMissing(db, known, (tx) => rejectOlder(tx as Tx, name))));
  }
}

/** Throws if a process of an older program has registered in the meantime; none can until the transaction ends. */
async function rejectOlder(tx: Tx, name: string): Promise<void> {
  await lockProcesses(tx);
  const older = await findOlderPrograms(tx, name, 0);
  if (older.length > 0) throw new Error(`${name} would break running processes: ${programsText(older)}.`);
}

/** What waits for which programs. Changes nothing. */
export async function findWaiting(db: Db, folder = migrationsFolder): Promise<Contracted> {
  const { waiting } = await migrationState(db, folder);
  const [name] = waiting;
  const older = name ? await db.transaction().execute((tx) => findOlderPrograms(tx, name, unseenHours)) : [];
  return { run: [], waiting, older };
}

/** In words what waits for which programs; undefined if nothing does. */
export function waitingText({ waiting, older }: Contracted): string | undefined {
  if (waiting.length === 0) return undefined;
  const names = waiting.join(', ');
  if (older.length === 0) return `${names} waits: the next start or "migrate" runs it.`;
  return (
    `${names} waits, because it would break ${programsText(older)}. It runs when none of these was seen for ${unseenHours} hours; ` +
    'to run it earlier, stop them and run "migrate --contract".'
  );
}

/** Why this program can no longer use the database; undefined if it can. */
export async function findProblem(db: Db): Promise<string | undefined> {
  // one statement for the usual case: nothing ran that this program does not know
  const { rows } = await sql<{ names: string[] }>`
    select array(select name from breaking_migrations) as names`.execute(db);
  const known = new Set((await readMigrations()).map(({ name }) => name));
  if ((rows[0]?.names ?? []).every((name) => known.has(name))) return undefined;
  return problemWith(await migrationState(db));
}
