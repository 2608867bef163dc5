// Servers whose defaults differ from PostgreSQL's: sessions set what they rely on, and a database must be in UTF-8.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { checkServer, type Db, openDb } from '../../src/db/db.ts';
import { openProcessSession } from '../../src/db/process-session.ts';
import { thisProgram } from '../../src/db/programs.ts';
import { administer, ownedBy } from '../harness/administer.ts';
import { connectionTo, createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.db);
  for (const setting of [
    "datestyle = 'German'",
    "intervalstyle = 'sql_standard'",
    "default_transaction_isolation = 'serializable'",
    "idle_session_timeout = '500ms'",
  ])
    await administer(inject('testServer').administrator, `alter database ${rows[0]?.name} set ${setting}`);
});
afterAll(() => database.drop());

test('a session of a pool does not use the defaults of the database', async () => {
  const { rows } = await sql<Record<string, unknown>>`
    select current_setting('transaction_isolation') as isolation, current_setting('idle_session_timeout') as idle,
      timestamptz '2026-03-29 02:30:00+02' as time, interval '90 minutes' as duration`.execute(
    database.open(),
  );
  expect(rows).toEqual([
    {
      isolation: 'read committed',
      idle: '0',
      time: new Date('2026-03-29T00:30:00Z'),
      duration: '01:30:00',
    },
  ]);
});

test('the session of a process is kept while it is idle', async () => {
  const lost: string[] = [];
  const session = await openProcessSession({
    connection: database.connection,
    program: await thisProgram('1.0.0'),
    log: { warn: (_, message) => lost.push(message) },
  });
  // opened later, so the server ends it later
  const other = new pg.Client(database.connection);
  await other.connect();
  await new Promise<void>((resolve) => {
    other.on('error', () => {});
    other.on('end', () => resolve());
  });
  expect(lost).toEqual([]);
  await session.close();
});

test('a database with another encoding is rejected before its first migration', async () => {
  const { connection: server, administrator } = inject('testServer');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const place = "encoding 'LATIN1' locale_provider libc locale 'C' template template0";
  await administer(administrator, `create database ${name} ${place} ${ownedBy(server)}`);
  const db: Db = openDb(connectionTo(server, name), { maxConnections: 1, applicationName: 'test' });
  try {
    await expect(checkServer(db)).rejects.toThrow(/encoding of the database is LATIN1.*encoding 'UTF8'/);
    await sql`create extension btree_gist`.execute(db);
    await sql`create table kysely_migration ()`.execute(db);
    await checkServer(db);
  } finally {
    await db.destroy();
    await administer(administrator, `drop database ${name}`);
  }
});
