// The reading of counts by interval and group, compared with sums of single quarter hours.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { intervalStarts, piecesOf } from '../../src/statistics/intervals.ts';
import { type MessageGroup, readMessageCounts } from '../../src/statistics/read-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { fc } from '../harness/property.ts';

const accountId = uuidv7();
const templates = [uuidv7(), uuidv7(), null] as const;
const senders = [uuidv7(), uuidv7()] as const;
const quarterMs = 900_000;
const firstMs = Date.parse('2026-03-28T00:00:00Z');
const quarters = 3 * 96;

interface Count {
  quarter: number;
  sender: number;
  template: number;
  category: number | null;
  queued: number;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function store(counts: readonly Count[]): Promise<void> {
  await sql`truncate message_counts`.execute(database.db);
  const rows = counts.map(({ quarter, sender, template, category, queued }) => ({
    ...{ at: new Date(firstMs + quarter * quarterMs), sender: senders[sender], queued, category },
    template: templates[template],
  }));
  for (const minutes of [15, 60])
    await sql`
      insert into message_counts (account_id, minutes, at, sender_id, template_id, category, queued)
      select ${accountId}, ${minutes}, date_bin(${minutes}::int * interval '1 minute', at, 'epoch'::timestamptz), sender, template,
        category, sum(queued)
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        x(at timestamptz, sender uuid, template uuid, category smallint, queued int) group by 3, 4, 5, 6`.execute(
      database.db,
    );
}

const keyOf: Record<MessageGroup, (count: Count) => string | null> = {
  none: () => null,
  sender: ({ sender }) => senders[sender] ?? null,
  template: ({ template }) => templates[template] ?? null,
  category: ({ category }) => (category === null ? null : String(category)),
};

it('intervals of any zone and range have the sums of their quarter hours, in order', async () => {
  const counts = fc.array(
    fc.record({
      quarter: fc.nat(quarters - 1),
      sender: fc.nat(1),
      template: fc.nat(2),
      category: fc.constantFrom<number | null>(0, 1, 2, null),
      queued: fc.integer({ min: 1, max: 9 }),
    }),
    { maxLength: 60 },
  );
  const edges = fc.uniqueArray(fc.nat(quarters), { minLength: 2, maxLength: 2 });
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu');
  const groups = fc.constantFrom<MessageGroup>('none', 'sender', 'template', 'category');
  const lengths = fc.constantFrom('hour' as const, 'day' as const);
  const piecesMax = fc.constantFrom(2, 7, 1_000);
  // a day of Kathmandu begins and ends a quarter past an hour of UTC
  const everyQuarter = Array.from({ length: quarters }, (_, quarter) => ({
    ...{ quarter, sender: 0, template: 0, category: 1, queued: 1 },
  }));
  await fc.assert(
    fc.asyncProperty(
      counts,
      edges,
      zones,
      groups,
      lengths,
      piecesMax,
      async (stored, edge, zone, by, length, most) => {
        await store(stored);
        const [from = 0, to = 0] = edge.sort((a, b) => a - b).map((one) => firstMs + one * quarterMs);
        const starts = intervalStarts(zone, length, { from, to }, 2_000) ?? [];
        const reading = { accountId, pieces: piecesOf(starts, { from, to }), limit: 10_000 };
        const rows = await readMessageCounts(database.db, reading, by, most);

        const sums = new Map<string, { index: number; key: string | null; queued: number }>();
        for (const count of stored) {
          const at = firstMs + count.quarter * quarterMs;
          if (at < from || at >= to) continue;
          const index = starts.findLastIndex((start) => start <= at);
          const key = keyOf[by](count);
          const sum = sums.get(`${index} ${key}`) ?? { index, key, queued: 0 };
          sums.set(`${index} ${key}`, { ...sum, queued: sum.queued + count.queued });
        }
        const last = 'z';
        const expected = [...sums.values()].sort(
          (a, b) => a.index - b.index || ((a.key ?? last) < (b.key ?? last) ? -1 : 1),
        );
        expect(rows.map(({ index, key, queued }) => ({ index, key, queued }))).toEqual(expected);
      },
    ),
    { numRuns: 60, examples: [[everyQuarter, [0, quarters], 'Asia/Kathmandu', 'sender', 'day', 2]] },
  );
});
