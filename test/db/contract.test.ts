// Contract migrations: they wait until no older program has been seen for a day, and never run beside one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProblem, findWaiting, runContracts, waitingText } from '../../src/db/contract.ts';
import { migrateToLatest, migrationState, problemWith } from '../../src/db/migrate.ts';
import { openProcessSession, type ProcessSession } from '../../src/db/process-session.ts';
import { lockProcesses, notePrograms, type Program } from '../../src/db/programs.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
let folder: string;
let sessions: ProcessSession[] = [];

const write = (name: string, text: string) => writeFile(join(folder, `${name}.sql`), text);

/** A program that knows the migrations of `folder` up to a number. */
const programOf = (version: string, ...migrations: string[]): Program => ({
  id: version,
  version,
  migrations,
});
const old = programOf('1.0.0', '0001_first');
const present = programOf('2.0.0', '0001_first', '0002_contracts');

async function start(program: Program): Promise<ProcessSession> {
  const session = await openProcessSession({
    connection: database.connection,
    program,
    log: { warn() {} },
  });
  sessions.push(session);
  return session;
}

const contract = (hours?: number) =>
  runContracts(database.db, { folder, ...(hours === undefined ? {} : { hours }) });
const hasColumn = async () =>
  (
    await sql`select from information_schema.columns where table_name = 'a' and column_name = 'b'`.execute(
      database.db,
    )
  ).rows.length > 0;
const seen = (version: string, ago: string) =>
  sql`update programs set seen_at = now() - ${ago}::interval where version = ${version}`.execute(database.db);
/** Locks of this database that somebody holds (`granted`) or waits for. */
const locks = async (granted: boolean) =>
  (
    await sql`select from pg_locks where granted = ${granted} and (${!granted} or locktype = 'advisory')
      and database = (select oid from pg_database where datname = current_database())`.execute(database.db)
  ).rows;
const end = async (session: ProcessSession) => {
  await session.close();
  // the server releases its lock a moment later
  await expect.poll(() => locks(true)).toEqual([]);
  await sql`delete from processes where id = ${session.id}`.execute(database.db);
};

beforeEach(async () => {
  database = await createTestDatabase('empty');
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  sessions = [];
  await write(
    '0001_first',
    `create table a (id int, b int); create table breaking_migrations (name text primary key);
    create table processes (id integer generated always as identity primary key, ended_at timestamptz, program text);
    create table programs (id text primary key, version text not null, migrations text[] not null, seen_at timestamptz not null default now());`,
  );
  await migrateToLatest(database.db, folder);
  await write('0002_contracts', '-- Takes b away.\n-- kind: contract\nalter table a drop column b;');
});
afterEach(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  await database.drop();
  await rm(folder, { recursive: true });
});

test('waits while an older program runs and for a day after it was last seen, then runs', async () => {
  const older = await start(old);
  await start(present);
  expect(await migrateToLatest(database.db, folder)).toEqual([]);
  expect(await contract()).toMatchObject({
    run: [],
    waiting: ['0002_contracts'],
    older: [{ version: '1.0.0', isRunning: true }],
  });
  // a running process counts however long ago its program was noted
  await seen('1.0.0', '3 days');
  expect(await contract(0)).toMatchObject({ run: [] });
  await sessions.pop()?.close();
  await end(older);
  await seen('1.0.0', '23 hours');
  expect(waitingText(await contract())).toMatch(
    /^0002_contracts waits, because it would break version 1\.0\.0 \(last seen 20.*migrate --contract/,
  );
  expect(await hasColumn()).toBe(true);
  await seen('1.0.0', '25 hours');
  expect(await contract()).toEqual({ run: ['0002_contracts'], waiting: [], older: [] });
  expect(await hasColumn()).toBe(false);
});

test('runs by command although an older program was seen lately, but not beside one', async () => {
  const older = await start(old);
  expect(await contract(0)).toMatchObject({ run: [], older: [{ isRunning: true }] });
  await end(older);
  expect(await contract()).toMatchObject({ run: [] });
  expect(await contract(0)).toMatchObject({ run: ['0002_contracts'] });
});

test('takes a process that does not say its program for an older one', async () => {
  await sql`insert into processes default values`.execute(database.db);
  await notePrograms(database.db);
  // it has ended, but its program was seen just now
  expect(await contract()).toMatchObject({ run: [], older: [{ version: 'of an earlier release' }] });
  await sql`delete from processes`.execute(database.db);
  await sql`update programs set seen_at = now() - interval '25 hours'`.execute(database.db);
  expect(await contract()).toMatchObject({ run: ['0002_contracts'] });
});

test('the program that brings it works before and after, older ones only before', async () => {
  const before = await migrationState(database.db, folder);
  expect([before.pending, problemWith(before)]).toEqual([[], undefined]);
  expect(await findWaiting(database.db, folder)).toEqual({ run: [], waiting: ['0002_contracts'], older: [] });
  await contract();
  expect(problemWith(await migrationState(database.db, folder))).toBeUndefined();
  // this program, whose folder does not have it
  expect(await findProblem(database.db)).toMatch(
    /newer than this program, which cannot work with it.*0002_contracts/,
  );
});

test('does not run if an older process registers after the check', async () => {
  const migrator = await database.db.startTransaction().execute();
  // of the migrator: kysely/dist/dialect/postgres/postgres-adapter.js
  await sql`select pg_advisory_xact_lock(3853314791062309107)`.execute(migrator);
  // it may fail before the commit below has returned
  const rejected = expect(contract()).rejects.toThrow(
    /0002_contracts would break running processes: version 1\.0\.0 \(running\)/,
  );
  await expect.poll(() => locks(false)).toHaveLength(1);
  await start(old);
  await migrator.commit().execute();
  await rejected;
  expect(await hasColumn()).toBe(true);
});

test('is not run by a program that is older than the database', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('0003_later', '')`.execute(database.db);
  expect(await contract()).toMatchObject({ run: [], waiting: ['0002_contracts'] });
});

test('an older process that starts meanwhile registers only afterwards, and finds that it is outdated', async () => {
  let isRegistered = false;
  const trx = await database.db.startTransaction().execute();
  await lockProcesses(trx);
  const starting = start(old).then(() => {
    isRegistered = true;
  });
  await expect.poll(() => locks(false)).toHaveLength(1);
  await sql`insert into breaking_migrations values ('0002_contracts')`.execute(trx);
  expect(isRegistered).toBe(false);
  await trx.commit().execute();
  await starting;
  const { rows } = await sql`select name from breaking_migrations`.execute(database.db);
  expect(rows).toHaveLength(1);
});

test('runs with all other migrations, in their order, in a new database', async () => {
  await write('0003_later', '-- Brings b back.\n-- kind: expand\nalter table a add column b text;');
  const other = await createTestDatabase('empty');
  try {
    expect(await migrateToLatest(other.db, folder)).toEqual(['0001_first', '0002_contracts', '0003_later']);
  } finally {
    await other.drop();
  }
});

test('a migration gives up after two seconds behind a long transaction, and tries again', async () => {
  await write('0003_later', '-- kind: expand\nalter table a add column c int;');
  const reader = await database.db.startTransaction().execute();
  await sql`select from a`.execute(reader);
  const migrating = migrateToLatest(database.db, folder);
  await expect.poll(() => locks(false), { interval: 10 }).toHaveLength(1);
  // this waits behind the migration, until that gives up
  const began = performance.now();
  await sql`select from a`.execute(database.open({ maxConnections: 1 }));
  expect(performance.now() - began).toBeLessThan(5_000);
  await reader.commit().execute();
  expect(await migrating).toEqual(['0003_later']);
});
