// Monthly partitions: created ahead of time, and no obstacle for rows that came before them.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzeFirstRows, makePartitions } from '../../src/db/partitions.ts';
import { beginDispatch } from '../../src/messaging/messages/moves-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { textOf } from '../harness/plans.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A UUIDv7 of exactly that millisecond; `uuidv7` never goes back in time. */
function idAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

async function insertAttempt(at: Date): Promise<string> {
  const { rows } = await sql<{ partition: string }>`
    insert into attempts (subject_id, endpoint_id, stage, no) values (${idAt(at)}, ${randomUUID()}, 3, 1)
    returning tableoid::regclass::text as partition`.execute(database.db);
  return rows[0]?.partition ?? '';
}

const now = new Date();
const inMonths = (months: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15, 12));
const named = (at: Date) => `${at.getUTCFullYear()}_${String(at.getUTCMonth() + 1).padStart(2, '0')}`;

describe('monthly partitions', () => {
  it('are created once, for this and the requested months, by several concurrent processes', async () => {
    // rows from before: their month stays in the default partition
    expect(await insertAttempt(inMonths(1))).toBe('attempts_default');
    const made = await Promise.all([makePartitions(database.db), makePartitions(database.db)]);
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(11);
    expect(await makePartitions(database.db)).toBe(0);
    expect(await insertAttempt(inMonths(0))).toBe(`attempts_${named(inMonths(0))}`);
    expect(await insertAttempt(inMonths(1))).toBe('attempts_default');
    expect(await insertAttempt(inMonths(2))).toBe(`attempts_${named(inMonths(2))}`);
    expect(await insertAttempt(inMonths(7))).toBe('attempts_default');
  });

  it('start and end with their month in UTC', async () => {
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1);
    expect(await insertAttempt(new Date(first))).toBe(`attempts_${named(new Date(first))}`);
    expect(await insertAttempt(new Date(first - 1))).not.toBe(`attempts_${named(new Date(first))}`);
  });

  it('are created later for a table that a backup reads, and stop nobody until then', async () => {
    const own = await createTestDatabase();
    try {
      const read = () =>
        own.db.transaction().execute(async (tx) => {
          await sql`set local lock_timeout = '5s'`.execute(tx);
          await sql`select from messages limit 1`.execute(tx);
        });
      await own.db.transaction().execute(async (backup) => {
        await sql`select from messages limit 1`.execute(backup);
        let isOver = false;
        const making = makePartitions(own.db).finally(() => {
          isOver = true;
        });
        while (!isOver) await read();
        expect(await making).toBe(9);
      });
      expect(await makePartitions(own.db)).toBe(3);
    } finally {
      await own.drop();
    }
  });

  it('that were vacuumed while empty are read by their keys once they have rows', async () => {
    const own = await createTestDatabase();
    try {
      await makePartitions(own.db);
      await sql`vacuum analyze messages`.execute(own.db);
      expect(await analyzeFirstRows(own.db)).toBe(0);
      const hot = own.open({ maxConnections: 1, hot: true });
      const key = { accountId: randomUUID(), id: idAt(now) };
      const text = await textOf((db) => beginDispatch(db, [{ ...key, lease: '2026-01-01' }]));
      await sql.raw(`prepare mark (text, text, text[]) as ${text}`).execute(hot);
      const kept = async () => {
        const { rows } = await sql<{ 'QUERY PLAN': string }>`explain execute mark ('{}', '{}', '{}')`.execute(
          hot,
        );
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      };
      const month = `messages_${named(now)}`;
      const byKey = new RegExp(
        `${month}_pkey[^\\n]*\\n\\s*Index Cond: \\(\\(account_id = [^)]+\\) AND \\(id =`,
      );
      expect(await kept()).not.toMatch(byKey);
      await sql`
        insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, expires_at)
        select gen_random_uuid(), uuid7(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '15550100', '{}', now()
        from generate_series(1, 500)`.execute(own.db);
      expect(await kept()).not.toMatch(byKey);
      expect(await analyzeFirstRows(own.db)).toBe(1);
      expect(await kept()).toMatch(byKey);
      expect(await analyzeFirstRows(own.db)).toBe(0);
    } finally {
      await own.drop();
    }
  });
});

describe('daily partitions', () => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase();
  });
  afterAll(() => own.drop());

  /** The partition of an attempt at that time. */
  async function partitionAt(at: Date): Promise<string> {
    const { rows } = await sql<{ partition: string }>`
      insert into attempts (subject_id, endpoint_id, stage, no) values (${idAt(at)}, ${randomUUID()}, 3, 1)
      returning tableoid::regclass::text as partition`.execute(own.db);
    return rows[0]?.partition ?? '';
  }
  const inDays = (days: number) => new Date(now.getTime() + days * 24 * 3_600_000);
  const dayOf = (at: Date) => `attempts_${at.toISOString().slice(0, 10).replaceAll('-', '_')}`;
  const monthEnd = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  const nextMonth = (day: number) => new Date(monthEnd.getTime() + (day - 0.5) * 24 * 3_600_000);
  const names = async () => {
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'attempts'::regclass order by 1`.execute(own.db);
    return rows.map(({ name }) => name);
  };

  it('replace empty months that begin later, and leave this month whole', async () => {
    await makePartitions(own.db);
    const month = `attempts_${named(inMonths(0))}`;
    expect(await partitionAt(now)).toBe(month);
    const made = await Promise.all([makePartitions(own.db, 'day'), makePartitions(own.db, 'day')]);
    expect(made.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(0);
    expect(await partitionAt(now)).toBe(month);
    const late = inDays(14);
    expect(await partitionAt(late)).toBe(late < monthEnd ? month : dayOf(late));
    expect(await names()).not.toContain(`attempts_${named(inMonths(2))}`);
    expect(await makePartitions(own.db, 'day')).toBe(0);
    // also when no day is missing, long before its first one
    const first = inMonths(2);
    await sql`select make_partition('attempts', ${`attempts_${named(first)}`}, date_trunc('month', ${first}::timestamptz)::date,
      (date_trunc('month', ${first}::timestamptz) + interval '1 month')::date, '')`.execute(own.db);
    expect(await names()).toContain(`attempts_${named(first)}`);
    expect(await makePartitions(own.db, 'day')).toBe(0);
    expect(await names()).not.toContain(`attempts_${named(first)}`);
  });

  it('are not created for a later month with rows', async () => {
    const own2 = await createTestDatabase();
    try {
      await makePartitions(own2.db);
      await sql`insert into attempts (subject_id, endpoint_id, stage, no)
        values (${idAt(inMonths(1))}, ${randomUUID()}, 3, 1)`.execute(own2.db);
      await makePartitions(own2.db, 'day');
      const { rows } = await sql`select from attempts`.execute(own2.db);
      expect(rows).toHaveLength(1);
    } finally {
      await own2.drop();
    }
  });

  it('cover their days in UTC, and by month again, the rest of their month', async () => {
    const empty = await createTestDatabase();
    const found = own;
    try {
      own = empty;
      // without a partition of this month
      await makePartitions(own.db, 'day');
      expect(await partitionAt(now)).toBe(dayOf(now));
      expect(await partitionAt(inDays(14))).toBe(dayOf(inDays(14)));
      const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
      expect(await partitionAt(midnight)).toBe(dayOf(midnight));
      expect(await partitionAt(new Date(midnight.getTime() - 1))).toBe(dayOf(now));
      await makePartitions(own.db);
      // each day of this month and the next one has a partition: of its own, or its month's
      const at = [now, nextMonth(1), nextMonth(20), nextMonth(28)];
      for (const day of at) expect(await partitionAt(day)).not.toBe('attempts_default');
    } finally {
      own = found;
      await empty.drop();
    }
  });
});
