// What happens while pages of the dashboard are open: a campaign, messages at a constant rate, and people who write.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, BenchFixture, Numbers } from './bench-fixture.ts';
import { phoneOf } from './history-filling.ts';
import type { LoadInput, LoadResult } from './load.ts';
import { startRpcProcess } from './processes.ts';

interface Place {
  fixture: BenchFixture;
  account: Account;
  numbers: Numbers;
}

/** Starts a campaign whose recipients are still being sent to; returns its id. */
export async function startCampaign(
  { account: { client }, numbers }: Place,
  recipients: number,
): Promise<string> {
  const { sendId } = await client.createSend({
    body: {
      ...{ name: 'Bench', templateId: numbers.templateIds.order_update ?? '' },
      senderId: numbers.senderIds[1] ?? '',
    },
  });
  for (let from = 0; from < recipients; from += 1_000)
    await client.addRecipients({
      sendId,
      body: {
        recipients: Array.from({ length: Math.min(1_000, recipients - from) }, (_, index) => ({
          phone: String(495_000_000_000 + from + index),
          name: 'Ada Lovelace',
          variables: { '1': 'Ada', '2': 'A-1', '3': 'on Friday' },
        })),
      },
    });
  return sendId;
}

/** Sends `perSecond` messages a second for `seconds`, and lets people write one for every ten. */
export async function sendUpdates({ fixture, account, numbers }: Place, perSecond: number, seconds: number) {
  const caller = startRpcProcess('load.ts');
  const { numbers: platformNumbers } = await fixture.platform.state();
  const numberId = platformNumbers[0]?.id ?? '';
  let isEnded = false;
  const writing = (async () => {
    for (let from = 0; !isEnded; from = (from + perSecond / 10) % 1_000) {
      const messages = Array.from({ length: Math.ceil(perSecond / 10) }, (_, index) => ({
        from: { phone: phoneOf(Math.floor(from) + index) },
        kind: 'text',
      }));
      await fixture.platform.write(numberId, { messages });
      await sleep(1_000);
    }
  })();
  try {
    return await caller.call<LoadResult>('run', {
      ...{ url: fixture.gateway.url, apiKey: account.apiKey },
      ...{ templateId: numbers.templateIds.order_update ?? '', senderIds: numbers.senderIds.slice(0, 1) },
      ...{ recipientsPerSend: 1, perSecond, seconds, atOnce: 16, respondAsync: true },
      firstPhone: 496_000_000_000,
    } satisfies LoadInput);
  } finally {
    isEnded = true;
    await writing;
    await caller.stop();
  }
}
