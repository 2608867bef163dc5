// Settings of the database server that put commits at risk: how they are read, and which are reported.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Durability, durabilityProblems, readDurability } from '../../src/db/durability.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('empty');
});
afterAll(() => database.drop());

const safe: Durability = {
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  synchronousStandbyNames: '',
  standbys: 0,
};
const synchronous = { ...safe, synchronousStandbyNames: 'ANY 1 (*)', standbys: 2 };

test.each<[string, Durability]>([
  ['a single server', safe],
  ['a primary with a synchronous standby', synchronous],
  ['a standby that confirms before it flushes', { ...synchronous, synchronousCommit: 'remote_write' }],
  ['a single server without standbys to wait for', { ...safe, synchronousCommit: 'local' }],
])('%s keeps what was committed', (_name, server) => {
  expect(durabilityProblems(server)).toEqual([]);
});

test.each<[string, RegExp, Durability]>([
  ['fsync', /Set fsync = on/, { ...safe, fsync: 'off' }],
  ['full_page_writes', /full_page_writes is off/, { ...safe, fullPageWrites: 'off' }],
  ['no flush at commit', /synchronous_commit is off/, { ...safe, synchronousCommit: 'off' }],
  ['no wait for the standby', /synchronous_commit is local/, { ...synchronous, synchronousCommit: 'local' }],
  ['asynchronous standbys', /2 servers replicate asynchronously/, { ...safe, standbys: 2 }],
])('%s is reported', (_name, text, server) => {
  const problems = durabilityProblems(server);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(text);
});

test('the settings are those of the gateway’s own sessions', async () => {
  const { rows } = await sql<{ name: string; fsync: string }>`
    select current_database() as name, current_setting('fsync') as fsync`.execute(database.db);
  const [{ name, fsync } = { name: '', fsync: '' }] = rows;
  for (const synchronousCommit of ['local', 'on']) {
    await sql
      .raw(`alter database ${name} set synchronous_commit = '${synchronousCommit}'`)
      .execute(database.db);
    const db = database.open({ maxConnections: 1 });
    expect(await readDurability(db)).toMatchObject({ fsync, synchronousCommit });
  }
});
