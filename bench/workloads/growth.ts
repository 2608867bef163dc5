// Growth: claim, status update, list page and search with few messages and with very many.

import { sql } from 'kysely';
import { openDb } from '../../src/db/db.ts';
import { findRunningEmbedded } from '../../src/db/embedded-running.ts';
import { foldReports } from '../../src/messaging/sending/message.ts';
import { claimDue, releaseLeases } from '../../src/messaging/sending/messages-claims-store.ts';
import { applyMoves } from '../../src/messaging/sending/messages-moves-store.ts';
import { type Account, type BenchFixture, type Numbers, startBenchFixture } from '../bench-fixture.ts';
import { nowMs } from '../child.ts';
import { addDue, fillMessages, resetToAccepted } from '../filling.ts';
import { growMonths } from '../growth-months.ts';
import { type Spread, spread } from '../percentiles.ts';
import { format, progress, saveFigures, table } from '../print.ts';
import { workload } from '../workload.ts';

const claimPerSender = 200;
const reportsPerBatch = 60;
/** Most reports are for recent messages. */
const newestOf = 10_000;

type Work = () => Promise<unknown>;

/** Repeats `work`, each time after `prepare`, whose time does not count. */
async function timed(rounds: number, work: Work, prepare?: Work): Promise<Spread> {
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await prepare?.();
    const began = nowMs();
    await work();
    ms.push(nowMs() - began);
  }
  return spread(ms);
}

interface Place {
  fixture: BenchFixture;
  account: Account;
  numbers: Numbers;
  hot: ReturnType<typeof openDb>;
}

async function measure(place: Place, total: number, rounds: number): Promise<Record<string, Spread>> {
  const { fixture, account, hot } = place;
  const { client, accountId } = account;
  const one = () => Math.floor(Math.random() * total);
  const updates = rounds * reportsPerBatch;
  const newest = await resetToAccepted(fixture, account, total, updates, Math.max(0, total - newestOf));
  const scattered = await resetToAccepted(fixture, account, total, updates);
  const readBefore = await resetToAccepted(fixture, account, total, updates);
  const claims: number[] = [];
  for (let round = 0; round < Math.min(rounds, 50); round++) {
    const began = nowMs();
    const { claimed: due } = await claimDue(hot, claimPerSender, [], 0);
    claims.push(nowMs() - began);
    const keys = due.map((message) => ({
      accountId: message.account_id,
      id: message.id,
      lease: message.lease,
    }));
    await releaseLeases(
      hot,
      keys.sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }
  const readPages = (ids: string[]) =>
    sql`select count(phone) from unnest(${ids}::uuid[]) i join messages on account_id = ${accountId} and id = i`.execute(
      hot,
    );
  const apply = (ids: string[]) => () => {
    const moves = ids
      .splice(0, reportsPerBatch)
      .sort()
      .map((id) =>
        foldReports(accountId, id, [
          {
            phoneNumberId: '',
            messageRef: '',
            correlationId: id,
            status: 'delivered',
            timestamp: Math.floor(Date.now() / 1000),
            priceCategory: null,
            billable: null,
            error: null,
          },
        ]),
      );
    return hot.transaction().execute((tx) => applyMoves(tx, moves));
  };
  const { pagination } = await client.listMessages({ limit: 50 });
  const cursor = pagination.nextCursor ?? '';
  return {
    [`claim, ${claimPerSender} of each number`]: spread(claims),
    [`status update, ${reportsPerBatch} of the newest ${format(newestOf)}`]: await timed(
      Math.floor(newest.length / reportsPerBatch),
      apply(newest),
    ),
    [`status update, ${reportsPerBatch} of all`]: await timed(
      Math.floor(scattered.length / reportsPerBatch),
      apply(scattered),
    ),
    // the difference to the row above is the disk's
    [`status update, ${reportsPerBatch} of all, pages read before`]: await timed(
      Math.floor(readBefore.length / reportsPerBatch),
      apply(readBefore),
      () => readPages(readBefore.slice(0, reportsPerBatch)),
    ),
    'list: first page of 50': await timed(rounds, () => client.listMessages({ limit: 50 })),
    'list: next page': await timed(rounds, () => client.listMessages({ limit: 50, cursor })),
    'list: one state': await timed(rounds, () => client.listMessages({ limit: 50, status: 'failed' })),
    'search by phone': await timed(rounds, () =>
      client.listMessages({ phone: String(491_700_000_000 + one()) }),
    ),
    "search by the platform's id": await timed(rounds, () =>
      client.listMessages({ messageId: `wamid.bench${one()}` }),
    ),
  };
}

export default workload({
  about:
    'Claim, status update, list page and search with few messages and with 1 to 10 million, or through months with retention.',
  options: {
    few: { default: 10_000, about: 'messages in the first measurement' },
    messages: {
      default: 100_000,
      about: 'messages in the second (for real figures: 1,000,000 to 10,000,000)',
    },
    rounds: { default: 100, about: 'repetitions of each operation' },
    months: { default: 0, about: 'simulates so many months with retention, with --messages in each' },
    days: { default: 31, about: 'with --months: days for which everything is kept; 0 for ever' },
  },
  async run({ few, messages, rounds, months, days }) {
    if (months > 0) return growMonths({ months, messages, rounds, days });
    // role api: its workers would claim the messages that are claimed here
    const fixture = await startBenchFixture({ settings: { ROLE: 'api' } });
    const connection = await findRunningEmbedded(fixture.gateway.dataDir);
    if (!connection) throw new Error('the database of the gateway was not found');
    const hot = openDb(connection, { maxConnections: 2, applicationName: 'bench hot', hot: true });
    try {
      const account = await fixture.account('Bench');
      const numbers = await fixture.numbers(account, 4);
      const place: Place = { fixture, account, numbers, hot };
      progress(`${format(few)} messages`);
      await fillMessages(fixture, account, numbers, 0, few);
      await addDue(fixture, account, numbers, claimPerSender * 2);
      await measure(place, few, Math.ceil(rounds / 4));
      const small = await measure(place, few, rounds);
      progress(`${format(messages)} messages`);
      const began = nowMs();
      await fillMessages(fixture, account, numbers, few, messages);
      const fillSeconds = (nowMs() - began) / 1000;
      await measure(place, messages, Math.ceil(rounds / 4));
      const large = await measure(place, messages, rounds);
      table(`With ${format(few)} messages and with ${format(messages)} (ms)`, [
        ['', 'p50', 'p99', 'p50', 'p99', 'times'],
        ...Object.entries(small).map(([name, ms]) => {
          const then = large[name] as Spread;
          return [name, ms.p50, ms.p99, then.p50, then.p99, then.p50 / ms.p50];
        }),
      ]);
      saveFigures('growth', { few, messages, rounds }, { small, large, fillSeconds });
    } finally {
      await hot.destroy();
      await fixture.close();
    }
  },
});
