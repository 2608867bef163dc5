// Growth: claim, status update, list page and search with few messages and with very many.

import { sql } from 'kysely';
import { foldReports } from '../../src/messaging/messages/message.ts';
import { applyMoves } from '../../src/messaging/messages/moves-store.ts';
import { nowMs } from '../child.ts';
import { addDue, fillMessages, resetToAccepted } from '../filling.ts';
import { growMonths } from '../growth-months.ts';
import { claimPerSender, compare, type Place, timed, timedClaims, withPlace } from '../growth-place.ts';
import type { Spread } from '../percentiles.ts';
import { format, progress, saveFigures } from '../print.ts';
import { workload } from '../workload.ts';

const reportsPerBatch = 60;
/** Most reports are for recent messages. */
const newestOf = 10_000;

async function measure(place: Place, total: number, rounds: number): Promise<Record<string, Spread>> {
  const { fixture, account, hot } = place;
  const { client, accountId } = account;
  const one = () => Math.floor(Math.random() * total);
  const updates = rounds * reportsPerBatch;
  const newest = await resetToAccepted(fixture, account, total, updates, Math.max(0, total - newestOf));
  const scattered = await resetToAccepted(fixture, account, total, updates);
  const readBefore = await resetToAccepted(fixture, account, total, updates);
  const claims = await timedClaims(place, Math.min(rounds, 50));
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
    [`claim, ${claimPerSender} of each number`]: claims,
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
    await withPlace(async (place) => {
      const { fixture, account, numbers } = place;
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
      compare(`With ${format(few)} messages and with ${format(messages)} (ms)`, small, large);
      saveFigures('growth', { few, messages, rounds }, { small, large, fillSeconds });
    });
  },
});
