// Statistics of a month of an account with 10 million messages: how long each kind of question takes.
import { sql } from 'kysely';
import { startBenchFixture } from '../bench-fixture.ts';
import { nowMs } from '../child.ts';
import { type Spread, spread } from '../percentiles.ts';
import { progress, saveFigures, table } from '../print.ts';
import { workload } from '../workload.ts';

/** The days of the month that is filled, the last 31 full ones. */
const days = 31;
const dayMs = 86_400_000;

export default workload({
  about:
    'Statistics of a month with 10 million messages of 3 numbers and 20 templates, by hour, day and group.',
  options: {
    messages: { default: 10_000_000, about: 'messages in the month' },
    senders: { default: 3, about: 'numbers' },
    templates: { default: 20, about: 'templates' },
    times: { default: 30, about: 'requests of each kind, one after the other' },
  },
  async run({ messages, senders, templates, times }) {
    const fixture = await startBenchFixture();
    try {
      const account = await fixture.account('Bench');
      const to = Math.floor(Date.now() / dayMs) * dayMs;
      const from = to - days * dayMs;
      progress('a month of counts');
      const cells = days * 96 * senders * templates;
      for (const minutes of [15, 60]) {
        const each = Math.round((messages / cells) * (minutes / 15));
        await sql`
          insert into message_counts (account_id, minutes, at, sender_id, template_id, category, queued, accepted, sent, delivered, read, failed)
          select ${account.accountId}, ${minutes}, at, md5('s' || s)::uuid, md5('t' || t)::uuid, t % 3, ${each}, ${each}, ${each}, ${each}, ${each / 2}::float8, 1
          from generate_series(${new Date(from)}::timestamptz, ${new Date(to - 1)}::timestamptz, ${minutes}::int * interval '1 minute') at,
            generate_series(1, ${senders}::int) s, generate_series(1, ${templates}::int) t order by at, s, t`.execute(
          fixture.db,
        );
      }
      await sql`analyze message_counts`.execute(fixture.db);
      const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
      const measured: [string, Spread, number][] = [];
      for (const query of [
        'interval=day',
        'interval=day&by=sender',
        'interval=day&by=template',
        'interval=day&by=template&timezone=Asia/Kathmandu',
        'interval=hour',
        'interval=hour&by=category',
        'interval=hour&by=template',
      ]) {
        const ms: number[] = [];
        let bytes = 0;
        for (let index = 0; index < times + 3; index++) {
          const began = nowMs();
          const response = await fetch(`${fixture.gateway.url}/v1/statistics/messages?${range}&${query}`, {
            headers: { 'x-api-key': account.apiKey },
          });
          const text = await response.text();
          if (!response.ok) throw new Error(text);
          bytes = text.length;
          // the first ones compile and read from disk
          if (index >= 3) ms.push(nowMs() - began);
        }
        measured.push([query, spread(ms), bytes]);
      }
      table(`A month of ${messages} messages, ${senders} numbers, ${templates} templates`, [
        ['', 'p50 ms', 'p95 ms', 'longest ms', 'KB'],
        ...measured.map(([query, ms, bytes]) => [query, ms.p50, ms.p95, ms.max, bytes / 1024]),
      ]);
      saveFigures('statistics', { messages, senders, templates, times }, { measured });
    } finally {
      await fixture.close();
    }
  },
});
