// A large default partition: new partitions beside it are created without searching it while its table is locked.
import { randomUUID } from 'node:crypto';
import { type KyselyPlugin, sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { makePartitions } from '../../src/db/partitions.ts';
import { databasePerTest } from '../harness/database-per-test.ts';

const database = databasePerTest();
const now = new Date();
const inMonths = (months: number, day = 15) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, day, 12));
const named = (at: Date) => `attempts_${at.toISOString().slice(0, 7).replace('-', '_')}`;

/** A pool of one session, whose statistics are exact. */
let one: Db;
beforeEach(() => {
  one = database.open({ maxConnections: 1 });
});

/** Inserts an attempt of a subject from that time; returns its partition. */
async function insertAttempt(at: Date): Promise<string> {
  const { rows } = await sql<{ partition: string }>`
    insert into attempts (subject_id, endpoint_id, stage, no) values (uuid7_floor(${at}), ${randomUUID()}, 3, 1)
    returning tableoid::regclass::text as partition`.execute(one);
  return rows[0]?.partition ?? '';
}

const large = 8_500;

/** Inserts so many old rows that each has a page of the default partition for itself. */
async function fillDefault(): Promise<void> {
  await sql`alter table attempts_default set (fillfactor = 10)`.execute(one);
  await sql`insert into attempts (subject_id, endpoint_id, stage, no, answer)
    select uuid7_floor(now() - interval '90 days'), gen_random_uuid(), 3, 1, repeat(md5(n::text), 25)
    from generate_series(1, ${large}::int) n`.execute(one);
}

/** The rows of the default partition that searches have read. */
async function rowsRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(one);
  const { rows } = await sql<{ n: number }>`
    select seq_tup_read::int as n from pg_stat_user_tables where relname = 'attempts_default'`.execute(one);
  return rows[0]?.n ?? -1;
}

async function checks(): Promise<unknown[]> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint where conrelid = 'attempts_default'::regclass and contype = 'c'`.execute(
    one,
  );
  return rows.map(({ name }) => name);
}

/** Ends a call of `makePartitions` when the default partition was searched, as a crash would. */
const dies: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind === 'RawNode' && node.sqlFragments.some((text) => text.includes('make_partition(')))
      throw new Error('died');
    return node;
  },
  transformResult: async ({ result }) => result,
};

const drop = (name: string) => sql`drop table ${sql.table(name)}`.execute(one);

describe('a large default partition', () => {
  it('is read once for all new partitions, before their table is locked', async () => {
    await makePartitions(one);
    await fillDefault();
    const before = await checks();
    for (const month of [1, 2]) await drop(named(inMonths(month)));
    const read = await rowsRead();
    expect(await makePartitions(one)).toBe(2);
    expect((await rowsRead()) - read).toBe(large);
    expect(await checks()).toEqual(before);
    for (const month of [1, 2]) expect(await insertAttempt(inMonths(month))).toBe(named(inMonths(month)));
  });

  it('takes rows of the present and the past while a partition is being created', async () => {
    await makePartitions(one);
    await fillDefault();
    await drop(named(inMonths(0)));
    await drop(named(inMonths(2)));
    expect(await insertAttempt(now)).toBe('attempts_default');
    await expect(makePartitions(one.withPlugin(dies))).rejects.toThrow('died');
    expect(await checks()).toContain('before_new_partitions');
    expect(await insertAttempt(now)).toBe('attempts_default');
    expect(await insertAttempt(inMonths(-1))).toBe('attempts_default');
    // a later call does the rest
    expect(await makePartitions(one)).toBe(1);
    expect(await insertAttempt(inMonths(2))).toBe(named(inMonths(2)));
  });

  it('loses what a crash left of the creation, also when nothing is missing', async () => {
    await makePartitions(one);
    const before = await checks();
    await sql`alter table attempts_default add constraint before_new_partitions
      check (subject_id < '01a00000-0000-0000-0000-000000000000') not valid`.execute(one);
    expect(await makePartitions(one)).toBe(0);
    expect(await checks()).toEqual(before);
  });

  it('with a row of a later month that a wrong clock made gets the other partitions', async () => {
    await makePartitions(one);
    await fillDefault();
    for (const month of [1, 2]) await drop(named(inMonths(month)));
    expect(await insertAttempt(inMonths(2))).toBe('attempts_default');
    expect(await makePartitions(one)).toBe(1);
    expect(await insertAttempt(inMonths(1))).toBe(named(inMonths(1)));
    expect(await insertAttempt(inMonths(2))).toBe('attempts_default');
  });
});

describe('a month whose first rows are in the default partition', () => {
  it('is not tried again by every call, which would lock its table', async () => {
    await makePartitions(one);
    await drop(named(inMonths(1)));
    await insertAttempt(inMonths(1));
    const read = await rowsRead();
    expect(await makePartitions(one)).toBe(0);
    expect((await rowsRead()) - read).toBe(0);
  });
});
