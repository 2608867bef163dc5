// Fairness during a campaign: latency of another account's single send, and whether authentication overtakes marketing.
import { sql } from 'kysely';
import { type BenchFixture, startBenchFixture } from '../bench-fixture.ts';
import { nowMs } from '../child.ts';
import type { LoadInput, LoadResult } from '../load.ts';
import { median, spread } from '../percentiles.ts';
import { format, progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { openSingleSends, orderVariables, overPlatform, sendWhile } from '../single-sends.ts';
import { workload } from '../workload.ts';

const recipientsPerSend = 1_000;
const gapMs = 20;
/** Counting queued messages reads them all, which the gateway never does, so it is done rarely. */
const countedEvery = 20;

async function queuedOf(fixture: BenchFixture, accountId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) n from messages where account_id = ${accountId} and state = 0`.execute(fixture.db);
  return rows[0]?.n ?? 0;
}

const pause = () => new Promise((go) => setTimeout(go, gapMs));

export default workload({
  about: "Another account's single send during a campaign, and authentication overtaking marketing.",
  options: {
    campaign: { default: 5_000, about: 'recipients of the campaign (marketing, one number)' },
    idle: { default: 100, about: 'single sends before the campaign' },
  },
  async run({ campaign, idle }) {
    const fixture = await startBenchFixture();
    const caller = startRpcProcess('load.ts');
    try {
      const [large, small] = [await fixture.account('Campaign'), await fixture.account('Single')];
      const largeNumbers = await fixture.numbers(large, 1);
      const largeSingle = await openSingleSends(fixture, large, largeNumbers);
      const smallNumbers = await fixture.numbers(small, 1);
      const smallSingle = await openSingleSends(fixture, small, smallNumbers);
      await fixture.endpoint(large, 'large');
      await fixture.endpoint(small, 'small');
      progress('single sends, idle');
      await sendWhile(smallSingle, (made) => made < idle / 2);
      const before = await sendWhile(smallSingle, (made) => made < idle);

      progress('the campaign begins');
      const input: LoadInput = {
        url: fixture.gateway.url,
        apiKey: large.apiKey,
        templateId: largeNumbers.templateIds.summer_sale as string,
        senderIds: largeNumbers.senderIds,
        recipientsPerSend,
        sends: Math.ceil(campaign / recipientsPerSend),
        atOnce: 2,
        respondAsync: true,
        firstPhone: 493_000_000_000,
      };
      const began = nowMs();
      const loading = caller.call<LoadResult>('run', input);
      const during = { send: [] as number[], platform: [] as number[] };
      const authentication: number[] = [];
      const overtaken: number[] = [];
      let written = false;
      void loading.then(() => {
        written = true;
      });
      for (let round = 0; ; round++) {
        during.platform.push(await smallSingle.platform());
        during.send.push(await smallSingle.send('order_update', orderVariables));
        if (round % countedEvery === 0) {
          const waiting = await queuedOf(fixture, large.accountId);
          if (waiting === 0 && written) break;
          if (waiting > 0) {
            authentication.push(await largeSingle.send('login_code', { '1': '123456' }));
            overtaken.push(Math.min(waiting, await queuedOf(fixture, large.accountId)));
          }
        }
        await pause();
      }
      const campaignSeconds = (nowMs() - began) / 1000;
      const result = await loading;
      await Promise.all([largeSingle.close(), smallSingle.close()]);

      const rows = {
        'single send, idle': overPlatform(before),
        'single send, during the campaign': overPlatform(during),
        'authentication on the campaign’s own number, whole call': spread(authentication),
      };
      table('Over the platform’s own time (ms)', [
        ['', 'calls', 'p50', 'p95', 'p99', 'longest'],
        ...Object.entries(rows).map(([name, ms]) => [name, ms.count, ms.p50, ms.p95, ms.p99, ms.max]),
        ["the platform's own time, idle", ...Object.values(spread(before.platform))],
        ["the platform's own time, during the campaign", ...Object.values(spread(during.platform))],
      ]);
      table('The campaign', [
        ['recipients', result.messages],
        ['seconds until none waited', campaignSeconds],
        ['messages per second', result.messages / campaignSeconds],
        ['marketing that waited when an authentication send was answered, median', format(median(overtaken))],
      ]);
      saveFigures(
        'fairness',
        { campaign, idle },
        { ...rows, campaignSeconds, result, overtaken: spread(overtaken) },
      );
    } finally {
      await caller.stop();
      await fixture.close();
    }
  },
});
