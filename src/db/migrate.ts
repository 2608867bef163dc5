// Migration of a database: runs the missing numbered SQL files of migrations/, forward only, in one transaction.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Db } from './db.ts';
import { isLockFailure } from './failure.ts';
import { migrationsRun, recordDigests, recordMissingDigests } from './migration-digests.ts';
import { type MigrationFile, migrationsFolder, readMigrations } from './migration-files.ts';

export interface MigrationState {
  /** Names of files that have not run and without which this program cannot work, in order. */
  pending: string[];
  /** Names of contract migrations that have not run, in order. This program works without them too. */
  waiting: string[];
  /** Names that the database has run but this program does not know: the database is newer. */
  unknown: string[];
  /** The unknown migrations that older programs cannot work with. */
  breaking: string[];
  /** Names of files that were edited after the database ran them. */
  changed: string[];
}

async function stateOf(db: Db, files: MigrationFile[]): Promise<MigrationState> {
  const run = new Map((await migrationsRun(db)).map(({ name, digest }) => [name, digest]));
  const breaking = await breakingMigrations(db);
  const known = new Set(files.map(({ name }) => name));
  // a database whose migrations ran before digests were recorded has run the released files
  const isChanged = ({ name, digest, released = digest }: MigrationFile) =>
    run.has(name) && digest !== (run.get(name) ?? released);
  const unknown = [...run.keys()].filter((name) => !known.has(name));
  const missing = files.filter(({ name }) => !run.has(name));
  // a new database has no older processes
  const waits = ({ kind }: MigrationFile) => kind === 'contract' && run.size > 0;
  return {
    pending: missing.filter((file) => !waits(file)).map(({ name }) => name),
    waiting: missing.filter(waits).map(({ name }) => name),
    unknown,
    breaking: unknown.filter((name) => breaking.has(name)),
    changed: files.filter(isChanged).map(({ name }) => name),
  };
}

/** The differences between the database's migrations and this program's; all lists are empty if none. Changes nothing. */
export async function migrationState(db: Db, folder = migrationsFolder): Promise<MigrationState> {
  return stateOf(db, await readMigrations(folder));
}

/**
 * How long a statement of a migration waits for a lock: all requests to that table wait behind it. Longer than
 * deadlock_timeout (1 s), so that a deadlock ends one transaction, and not always this one.
 */
const lockTimeoutMs = 2_000;
/** Pauses between attempts to get the locks: two minutes in all. A backup keeps its locks for longer. */
const lockPausesMs = [1, 2, 4, 8, 15, 15, 15, 15, 15, 15, 15].map((seconds) => seconds * 1_000);

/** Each file records its digest in the transaction that runs it. */
function migrationsOf(files: MigrationFile[], before: (tx: Db) => Promise<void>): Record<string, Migration> {
  const run = async (db: Db, file: MigrationFile) => {
    await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(db);
    await before(db);
    // without parameters pg sends the text as one simple query, which may hold many statements
    await sql.raw(file.text).execute(db);
    await recordDigests(db, [file]);
    if (file.breaksOlder) await recordBreaking(db, file.name);
  };
  return Object.fromEntries(files.map((file) => [file.name, { up: (db) => run(db, file) }]));
}

/** The migrations that older programs cannot work with; empty if the database has no such table yet. */
async function breakingMigrations(db: Db): Promise<Set<string>> {
  const { rows: found } = await sql<{ there: boolean }>`
    select to_regclass('breaking_migrations') is not null as there`.execute(db);
  if (!found[0]?.there) return new Set();
  const { rows } = await sql<{ name: string }>`select name from breaking_migrations`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

async function recordBreaking(tx: Db, name: string): Promise<void> {
  await sql`insert into breaking_migrations values (${name}) on conflict do nothing`.execute(tx);
}

const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** Runs `work` on one connection without timeouts: large tables take long, and so may a concurrent migration. */
function withoutTimeouts<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (one) => {
    const { rows } = await sql<{ name: string; value: string }>`
      select name, current_setting(name) as value from unnest(${limits}::text[]) name`.execute(one);
    const set = (name: string, value: string) =>
      sql`select set_config(${name}, ${value}, false)`.execute(one);
    for (const { name } of rows) await set(name, '0');
    try {
      return await work(one);
    } finally {
      for (const { name, value } of rows) await set(name, value);
    }
  });
}

/**
 * Runs the missing migrations and returns their names. If several processes call it concurrently, one works and the others
 * wait. A failure changes nothing. A newer database is left as it is. Throws if a newer migration breaks this program,
 * or if a file was edited after the database ran it.
 */
export async function migrateToLatest(db: Db, folder = migrationsFolder): Promise<string[]> {
  const files = await readMigrations(folder);
  const state = await stateOf(db, files);
  const problem = problemWith(state);
  if (problem !== undefined) throw new Error(problem);
  if (state.unknown.length > 0) return [];
  const now = files.filter(({ name }) => !state.waiting.includes(name));
  const run = state.pending.length > 0 ? await runMissing(db, now) : [];
  await recordMissingDigests(db, files);
  return run;
}

/**
 * Runs those of the named migrations that are missing, and no later ones: for a database that is about to be loaded from a
 * backup. Throws if it has run others.
 */
export async function migrateTo(db: Db, names: readonly string[], folder = migrationsFolder): Promise<void> {
  const files = (await readMigrations(folder)).filter(({ name }) => names.includes(name));
  const { unknown } = await stateOf(db, files);
  if (unknown.length > 0)
    throw new Error(`The database was migrated while it was restored: it has run ${unknown.join(', ')}.`);
  await runMissing(db, files);
}

/**
 * Runs the missing ones of `files`, all or none, each after `before` in the same transaction. Tries again for two minutes if
 * others keep the tables locked.
 */
export async function runMissing(
  db: Db,
  files: MigrationFile[],
  before: (tx: Db) => Promise<void> = async () => {},
): Promise<string[]> {
  const provider = { getMigrations: async () => migrationsOf(files, before) };
  for (const pauseMs of [...lockPausesMs, undefined]) {
    const { error, results = [] } = await withoutTimeouts(db, (one) =>
      // numbers are reserved while several changes are made, so a lower one may be merged later
      new Migrator({ db: one, provider, allowUnorderedMigrations: true }).migrateToLatest(),
    );
    if (error === undefined) return results.map((result) => result.migrationName);
    const isLocked = isLockFailure(error);
    if (isLocked && pauseMs !== undefined) await sleep(pauseMs);
    else throw failureOf(error, results.find((result) => result.status === 'Error')?.migrationName);
  }
  return [];
}

function failureOf(error: unknown, name = ''): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const advice = isLockFailure(error)
    ? '. A long transaction, such as a backup, keeps a table locked: try again when it has ended.'
    : '';
  return new Error(`The migration ${name} failed, and nothing was changed: ${reason}${advice}`, {
    cause: error,
  });
}

/** Why this program cannot use a database in that state, and what to do; undefined if it can, after pending migrations. */
export function problemWith({ pending, unknown, breaking, changed }: MigrationState): string | undefined {
  if (breaking.length > 0)
    return (
      `The database is newer than this program, which cannot work with it: it has run ${breaking.join(', ')}. ` +
      'Start the newer version again, or restore a backup made before the upgrade.'
    );
  if (unknown.length > 0 && pending.length > 0)
    return (
      `The database was migrated by a version from another branch: it has run ${unknown.join(', ')}, but not ${pending.join(', ')}. ` +
      'Start the version that migrated it.'
    );
  if (changed.length > 0)
    return (
      `These migrations were edited after this database ran them: ${changed.map((name) => `${name}.sql`).join(', ')}. ` +
      'Restore the files as they were released (git checkout -- migrations, or install the version again). A change to the database is a new migration.'
    );
  return undefined;
}
