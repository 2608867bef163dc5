// Brings a database to this program's shape: the numbered SQL files of migrations/, forward only, all that is missing in one transaction.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import type { Db } from './db.ts';

const ourFolder = fileURLToPath(new URL('../../migrations/', import.meta.url));
const fileName = /^\d{4}_[a-z0-9_]+\.sql$/;

export interface MigrationState {
  /** Names of files not yet run, in order. */
  pending: string[];
  /** Names the database has run but this program does not know: the database is newer. */
  unknown: string[];
}

async function namesIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const wrong = files.find((name) => !fileName.test(name));
  if (wrong) throw new Error(`The migration ${wrong} is not named like 0001_what_it_makes.sql.`);
  const twice = files.find((name, at) => name.slice(0, 4) === files[at - 1]?.slice(0, 4));
  if (twice) throw new Error(`Two migrations have the number of ${twice}.`);
  return files.map((name) => name.slice(0, -'.sql'.length));
}

function filesOf(folder: string): MigrationProvider {
  return {
    async getMigrations() {
      const migrations: Record<string, Migration> = {};
      for (const name of await namesIn(folder)) {
        const text = await readFile(join(folder, `${name}.sql`), 'utf8');
        // without parameters pg sends the text as one simple query, which may hold many statements
        migrations[name] = { up: async (db) => void (await sql.raw(text).execute(db)) };
      }
      return migrations;
    },
  };
}

async function namesRun(db: Db): Promise<string[]> {
  const { rows: found } = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db);
  if (!found[0]?.there) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}

/** What stands between the database and this program; both lists are empty when they fit. */
export async function migrationState(db: Db, folder = ourFolder): Promise<MigrationState> {
  const [known, run] = await Promise.all([namesIn(folder), namesRun(db)]);
  return {
    pending: known.filter((name) => !run.includes(name)),
    unknown: run.filter((name) => !known.includes(name)),
  };
}

const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** Gives `work` one connection on which nothing runs out of time: a large table may take its while, and so may a rival. */
function withoutHaste<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
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
 * Runs what is missing and answers the names run. Several processes may call it at once: one works, the others wait.
 * On any failure nothing is changed. Throws when the database is newer than this program.
 */
export async function migrateToLatest(db: Db, folder = ourFolder): Promise<string[]> {
  const { unknown } = await migrationState(db, folder);
  if (unknown.length > 0) throw new Error(newerText(unknown));
  const { error, results = [] } = await withoutHaste(db, (one) =>
    new Migrator({ db: one, provider: filesOf(folder) }).migrateToLatest(),
  );
  if (error !== undefined) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The migration ${failed ?? ''} failed, and nothing was changed: ${reason}`, {
      cause: error,
    });
  }
  return results.map((result) => result.migrationName);
}

function newerText(unknown: string[]): string {
  return (
    `The database is newer than this program: it has run ${unknown.join(', ')}, which this version does not know. ` +
    'Start the newer version again, or restore a backup made before the upgrade.'
  );
}
