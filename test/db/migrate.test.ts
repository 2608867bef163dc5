// Migrations: all or nothing, forward only, safe with concurrent starts, and never run by an older program.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordMigrations } from '../../scripts/record-migrations.ts';
import { migrateToLatest, migrationState } from '../../src/db/migrate.ts';
import { readMigrations } from '../../src/db/migration-files.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase('empty');
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);

async function tables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%' and tablename <> 'migration_digests' order by 1`.execute(
    database.db,
  );
  return rows.map((row) => row.name);
}

describe('migrations', () => {
  test('this program’s files create a database that it accepts', async () => {
    await migrateToLatest(database.db);
    expect(await migrationState(database.db)).toEqual({
      pending: [],
      waiting: [],
      unknown: [],
      breaking: [],
      changed: [],
    });
  });

  test('an empty folder needs no migration', async () => {
    expect(await migrateToLatest(database.db, folder)).toEqual([]);
    expect(await migrationState(database.db, folder)).toEqual({
      pending: [],
      waiting: [],
      unknown: [],
      breaking: [],
      changed: [],
    });
  });

  test('run in the order of their numbers, with many statements per file, and only once', async () => {
    await write('0002_second.sql', 'alter table a add column c int; create table b (id int);');
    await write(
      '0001_first.sql',
      "create table a (id int); -- a ';' in a comment\ninsert into a values (1);",
    );
    expect((await migrationState(database.db, folder)).pending).toEqual(['0001_first', '0002_second']);
    expect(await migrateToLatest(database.db, folder)).toEqual(['0001_first', '0002_second']);
    expect(await migrateToLatest(database.db, folder)).toEqual([]);
    expect(await tables()).toEqual(['a', 'b']);
    await write('0003_third.sql', 'create table c (id int)');
    expect((await migrationState(database.db, folder)).pending).toEqual(['0003_third']);
    expect(await migrateToLatest(database.db, folder)).toEqual(['0003_third']);
  });

  test('a lower number that was merged later runs in a database that has run higher ones', async () => {
    await write('0001_first.sql', 'create table a (id int)');
    await write('0003_third.sql', 'create table c (id int)');
    await migrateToLatest(database.db, folder);
    await write('0002_second.sql', 'create table b (id int)');
    expect(await migrateToLatest(database.db, folder)).toEqual(['0002_second']);
    expect(await tables()).toEqual(['a', 'b', 'c']);
  });

  test('a failure names its file and rolls back all files', async () => {
    await write('0001_first.sql', 'create table a (id int)');
    await write('0002_wrong.sql', 'create table b (id int); create table b (id int)');
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(
      /0002_wrong failed, and nothing was changed/,
    );
    expect(await tables()).toEqual([]);
    expect((await migrationState(database.db, folder)).pending).toEqual(['0001_first', '0002_wrong']);
  });

  test('four concurrent starts run each file once', async () => {
    await write('0001_first.sql', 'create table a (id int); insert into a values (1)');
    await write('0002_second.sql', 'create table b (id int)');
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => migrateToLatest(database.open({ maxConnections: 2 }), folder)),
    );
    expect(runs.flat().sort()).toEqual(['0001_first', '0002_second']);
    expect((await sql`select * from a`.execute(database.db)).rows).toHaveLength(1);
  });

  test('run without timeouts on one connection and restore its limits', async () => {
    const withTimeouts = database.open({ maxConnections: 1, statementTimeoutMs: 500, lockTimeoutMs: 500 });
    await write('0001_slow.sql', 'create table a (id int); select pg_sleep(0.6)');
    expect(await migrateToLatest(withTimeouts, folder)).toEqual(['0001_slow']);
    await expect(sql`select pg_sleep(5)`.execute(withTimeouts)).rejects.toThrow(/statement timeout/);
  });

  test('a program older than its database starts if no later migration breaks it', async () => {
    await write(
      '0001_first.sql',
      'create table a (id int); create table breaking_migrations (name text primary key)',
    );
    await write('0002_newer.sql', '-- Makes more.\ncreate table b (id int)');
    await migrateToLatest(database.db, folder);
    await rm(join(folder, '0002_newer.sql'));
    expect(await migrationState(database.db, folder)).toMatchObject({
      unknown: ['0002_newer'],
      breaking: [],
    });
    expect(await migrateToLatest(database.db, folder)).toEqual([]);
    expect(await tables()).toContain('b');
  });

  test('a program older than its database fails if a later migration breaks older programs', async () => {
    await write(
      '0001_first.sql',
      'create table a (id int); create table breaking_migrations (name text primary key)',
    );
    await write('0002_newer.sql', '-- Takes a away.\n-- breaks older processes\ndrop table a');
    await migrateToLatest(database.db, folder);
    await rm(join(folder, '0002_newer.sql'));
    expect((await migrationState(database.db, folder)).breaking).toEqual(['0002_newer']);
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(/newer than this program.*0002_newer/);
  });

  test('a program fails if the database has unknown migrations and lacks its own', async () => {
    await write('0001_first.sql', 'create table a (id int)');
    await write('0002_theirs.sql', 'create table b (id int)');
    await migrateToLatest(database.db, folder);
    await rm(join(folder, '0002_theirs.sql'));
    await write('0002_ours.sql', 'create table c (id int)');
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(/0002_theirs.*0002_ours/);
  });

  test.each([['1_short.sql'], ['0001-dashes.sql'], ['0001_Upper.sql']])(
    'a file named %s is rejected',
    async (name) => {
      await write(name, 'select 1');
      await expect(migrateToLatest(database.db, folder)).rejects.toThrow(/must be named like/);
    },
  );

  test('two files with the same number are rejected', async () => {
    await write('0001_one.sql', 'select 1');
    await write('0001_two.sql', 'select 1');
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(/Two migrations have the same number/);
  });
});

describe('the migrations of this program', () => {
  test('have the digests in migrations/SHA256SUMS (for a new one run "npm run db:types")', async () => {
    const files = await readMigrations();
    expect(files.length).toBeGreaterThanOrEqual(5);
    expect(files.map(({ name, released }) => [name, released])).toEqual(
      files.map(({ name, digest }) => [name, digest]),
    );
  });

  test('that were frozen first have their original digests', async () => {
    const digests = (await readMigrations())
      .slice(0, 5)
      .map(({ name, digest }) => [name, digest.slice(0, 12)]);
    expect(digests).toEqual([
      ['0001_accounts', '78a70f5b72fc'],
      ['0002_messaging', '697b209c4cab'],
      ['0003_appointments', 'a1811bfb46ee'],
      ['0004_webhooks', '1abc1dcf118c'],
      ['0005_media', '6e619d69ca2d'],
    ]);
  });
});

describe('a migration edited after it ran', () => {
  const rejection = /0001_first\.sql.*git checkout/;

  beforeEach(() => write('0001_first.sql', 'create table a (id int);\n'));

  test('is rejected by name before anything else runs', async () => {
    await migrateToLatest(database.db, folder);
    await write('0001_first.sql', 'create table a (id bigint);\n');
    await write('0002_second.sql', 'create table b (id int)');
    expect(await migrationState(database.db, folder)).toMatchObject({ changed: ['0001_first'] });
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(rejection);
    expect(await tables()).toEqual(['a']);
  });

  test('is accepted if only its line endings differ', async () => {
    await migrateToLatest(database.db, folder);
    await write('0001_first.sql', 'create table a (id int);\r\n');
    expect(await migrateToLatest(database.db, folder)).toEqual([]);
  });

  test('is rejected on a database whose migrations ran before digests were recorded', async () => {
    await migrateToLatest(database.db, folder);
    await sql`drop table migration_digests`.execute(database.db);
    // four concurrent starts record it once
    await Promise.all(
      Array.from({ length: 4 }, () => migrateToLatest(database.open({ maxConnections: 2 }), folder)),
    );
    await write('0001_first.sql', 'create table a (id bigint);\n');
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(rejection);
  });

  test('is rejected if it was edited before its digest was recorded', async () => {
    await recordMigrations(folder);
    await migrateToLatest(database.db, folder);
    await sql`drop table migration_digests`.execute(database.db);
    await write('0001_first.sql', 'create table a (id bigint);\n');
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(rejection);
  });

  test('is accepted if its only run failed, which records no digest', async () => {
    await write('0002_wrong.sql', 'create table a (id int)');
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(/0002_wrong failed/);
    await write('0001_first.sql', 'create table a (id bigint);\n');
    await write('0002_wrong.sql', 'create table b (id int)');
    expect(await migrateToLatest(database.db, folder)).toEqual(['0001_first', '0002_wrong']);
  });

  test('is not recorded again by "npm run db:types", which records new files only', async () => {
    await recordMigrations(folder);
    const first = await readFile(join(folder, 'SHA256SUMS'), 'utf8');
    await write('0002_second.sql', 'create table b (id int)');
    await recordMigrations(folder);
    expect(await readFile(join(folder, 'SHA256SUMS'), 'utf8')).toMatch(
      /^\S+ {2}0001_first\.sql\n\S+ {2}0002_second\.sql\n$/,
    );
    expect(await readFile(join(folder, 'SHA256SUMS'), 'utf8')).toContain(first);
    await write('0001_first.sql', 'create table a (id bigint);\n');
    await expect(recordMigrations(folder)).rejects.toThrow(/edited.*0001_first/);
    await rm(join(folder, '0001_first.sql'));
    await expect(recordMigrations(folder)).rejects.toThrow(/0001_first/);
  });
});
