// Transactions of hot statements: `begin` goes with the first statement, `commit` with the last one that is marked, and neither changes what a transaction is.
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Db, openDb, type Tx } from '../../src/db/db.ts';
import { isUnavailable } from '../../src/db/failure.ts';
import { thenCommit } from '../../src/db/preparing-client.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { openDatabaseProxy } from '../harness/database-proxy.ts';
import { openPostgresProxy } from '../harness/postgres-proxy.ts';

let database: TestDatabase;
let hot: Db;
beforeAll(async () => {
  database = await createTestDatabase('empty');
  hot = openDb(database.connection, { maxConnections: 1, applicationName: 'test', hot: true });
  await sql`create table notes (id int primary key, text text not null)`.execute(database.db);
});
afterAll(async () => {
  await hot.destroy();
  await database.drop();
});
beforeEach(() => sql`truncate notes`.execute(database.db));

const insert = (id: number, end: RawBuilder<unknown> = sql``) =>
  sql<{ id: number }>`insert into notes (id, text) values (${id}, 'a') returning id ${end}`;
const last = thenCommit(true);

async function notes(): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from notes order by id`.execute(database.db);
  return rows.map(({ id }) => id);
}
const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => hot.transaction().execute(work);

test('a transaction returns the rows of each statement, and commits them together', async () => {
  const seen = await inTransaction(async (tx) => {
    const first = await insert(1).execute(tx);
    const before = await notes();
    const second = await insert(2, last).execute(tx);
    return { rows: [first.rows, second.rows], before, after: await notes() };
  });
  expect(seen).toEqual({ rows: [[{ id: 1 }], [{ id: 2 }]], before: [], after: [1, 2] });
  expect(await notes()).toEqual([1, 2]);
});

test('the only statement of a transaction commits it', async () => {
  const { rows } = await inTransaction((tx) => insert(1, last).execute(tx));
  expect(rows).toEqual([{ id: 1 }]);
  expect(await notes()).toEqual([1]);
});

test('a last statement that fails commits nothing', async () => {
  const work = inTransaction(async (tx) => {
    await insert(1).execute(tx);
    await insert(1, last).execute(tx);
  });
  await expect(work).rejects.toThrow('duplicate key');
  expect(await notes()).toEqual([]);
});

test('a first statement that fails commits nothing, and the session goes on', async () => {
  await insert(1).execute(hot);
  await expect(inTransaction((tx) => insert(1).execute(tx))).rejects.toThrow('duplicate key');
  await inTransaction((tx) => insert(2, last).execute(tx));
  expect(await notes()).toEqual([1, 2]);
});

test('a caller that fails after its first statement rolls it back', async () => {
  const work = inTransaction(async (tx) => {
    await insert(1).execute(tx);
    throw new Error('failed');
  });
  await expect(work).rejects.toThrow('failed');
  expect(await notes()).toEqual([]);
});

test.each([true, false])('a transaction without a statement ends, whether it fails: %s', async (fails) => {
  const work = inTransaction(async () => {
    if (fails) throw new Error('failed');
  });
  if (fails) await expect(work).rejects.toThrow('failed');
  else await work;
  await insert(1).execute(hot);
  expect(await notes()).toEqual([1]);
});

test('a first statement without parameters is part of the transaction', async () => {
  const work = inTransaction(async (tx) => {
    await sql`insert into notes values (1, 'a')`.execute(tx);
    throw new Error('failed');
  });
  await expect(work).rejects.toThrow('failed');
  expect(await notes()).toEqual([]);
});

test('a commit that fails rejects its last statement', async () => {
  await sql`
    create table parents (id int primary key);
    create table children (id int primary key, parent int not null references parents deferrable initially deferred)`.execute(
    database.db,
  );
  const child = (end: RawBuilder<unknown>) => sql`insert into children values (1, ${7}) returning id ${end}`;
  await expect(inTransaction((tx) => child(last).execute(tx))).rejects.toThrow('foreign key');
  const { rows } = await sql`select from children`.execute(database.db);
  expect(rows).toEqual([]);
});

test('a statement after the last one is rejected', async () => {
  const work = inTransaction(async (tx) => {
    await insert(1, last).execute(tx);
    await insert(2).execute(tx);
  });
  await expect(work).rejects.toThrow('follows the last one');
  expect(await notes()).toEqual([1]);
  await insert(3).execute(hot);
});

test('a first statement with a stale plan is not repeated outside its transaction, and prepared again after it', async () => {
  const all = (id: number) => sql`insert into notes (id, text) values (${id}, 'a') returning *`;
  await all(1).execute(hot);
  await sql`alter table notes add column more int`.execute(database.db);
  const work = () =>
    inTransaction(async (tx) => {
      await all(2).execute(tx);
      throw new Error('failed');
    });
  await expect(work()).rejects.toThrow('cached plan');
  expect(await notes()).toEqual([1]);
  await expect(work()).rejects.toThrow('failed');
  expect(await notes()).toEqual([1]);
});

test('a lost connection before the last statement commits nothing', async () => {
  const { proxy, connection } = await openDatabaseProxy(database.connection);
  const db = openDb(connection, { maxConnections: 1, applicationName: 'test', hot: true });
  const work = db.transaction().execute(async (tx) => {
    await insert(1).execute(tx);
    proxy.cut();
    await insert(2, last).execute(tx);
  });
  await expect(work).rejects.toThrow();
  expect(await notes()).toEqual([]);
  await db.destroy();
  await proxy.close();
});

test('a last statement whose commit was not answered has an unknown outcome, and its connection is not used again', async () => {
  let isNext = false;
  const proxy = await openPostgresProxy(database.connection, (text) =>
    isNext && text.startsWith('commit') ? 'lost' : false,
  );
  const db = openDb(
    { connectionString: proxy.url },
    { maxConnections: 1, applicationName: 'test', hot: true },
  );
  const work = db.transaction().execute(async (tx) => {
    await insert(1).execute(tx);
    isNext = true;
    await insert(2, last).execute(tx);
  });
  const error = await work.catch((reason: unknown) => reason);
  isNext = false;
  expect(isUnavailable(error)).toBe(true);
  await expect.poll(notes).toEqual([1, 2]);
  await db.transaction().execute((tx) => insert(3, last).execute(tx));
  expect(await notes()).toEqual([1, 2, 3]);
  await db.destroy();
  await proxy.close();
});

test('a last statement whose values cannot be written commits nothing, nor does the one after it', async () => {
  const unwritable = {
    toPostgres() {
      throw new Error('unwritable');
    },
  };
  const work = inTransaction(async (tx) => {
    await insert(1).execute(tx);
    await sql`insert into notes (id, text) values (2, ${unwritable}) ${last}`.execute(tx);
  });
  await expect(work).rejects.toThrow('unwritable');
  const next = inTransaction(async (tx) => {
    await insert(3).execute(tx);
    throw new Error('failed');
  });
  await expect(next).rejects.toThrow('failed');
  expect(await notes()).toEqual([]);
});

test('a last statement after one that failed commits nothing, even if its caller ignored that', async () => {
  const work = inTransaction(async (tx) => {
    await insert(1).execute(tx);
    await insert(1)
      .execute(tx)
      .catch(() => undefined);
    await insert(2, last).execute(tx);
  });
  await expect(work).rejects.toThrow('aborted');
  expect(await notes()).toEqual([]);
});

test.each(['begin', 'commit'])('a session that has lost its prepared `%s` writes nothing', async (name) => {
  const db = openDb(database.connection, { maxConnections: 1, applicationName: 'test', hot: true });
  await sql`deallocate ${sql.ref(name)}`.execute(db);
  const work = db.transaction().execute(async (tx) => {
    await insert(1).execute(tx);
    await insert(2, last).execute(tx);
  });
  await expect(work).rejects.toThrow('does not exist');
  expect(await notes()).toEqual([]);
  await db.destroy();
});
