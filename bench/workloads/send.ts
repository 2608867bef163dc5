// Latency of a single send over the platform's own time: one after another, and at constant rates; two bare commits.
import { startBenchFixture } from '../bench-fixture.ts';
import type { OneCall } from '../callers.ts';
import { openCommits } from '../commits.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { measureCalls } from '../measured-calls.ts';
import { median, type Spread, spread } from '../percentiles.ts';
import { format, progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { openSingleSends, orderVariables } from '../single-sends.ts';
import { workload } from '../workload.ts';

const stagesPerMessage = 3;
const stallMs = 10_000;
const connections = 64;
/** Parts of the run whose bare commits are compared. */
const parts = 4;
/** Sends per second. */
const rates = [10, 50, 100];

let phones = 496_000_000_000;

export default workload({
  about: "A single send, idle: latency over the platform's own time, compared with two bare commits.",
  options: {
    sends: { default: 300, about: 'measured sends, one after another' },
    seconds: { default: 10, about: 'length of each constant rate' },
    warmUp: { default: 200, about: 'sends of the warm-up' },
  },
  async run({ sends, seconds, warmUp }) {
    const fixture = await startBenchFixture();
    const caller = startRpcProcess('callers.ts');
    try {
      const account = await fixture.account('Bench');
      const numbers = await fixture.numbers(account, 1);
      await fixture.endpoint(account, 'bench');
      const calls = await openSingleSends(fixture, account, numbers);
      const twoCommits = await openCommits(fixture.db);
      progress('single sends');
      const measured = { send: [] as number[], platform: [] as number[], commits: [] as number[] };
      const conditions = readConditions();
      for (let index = 0; index < warmUp + sends; index++) {
        const round = {
          platform: await calls.platform(),
          commits: await twoCommits(),
          send: await calls.send('order_update', orderVariables),
        };
        // the gateway is idle again before the next send
        await fixture.receiver.call('until', { stages: (index + 1) * stagesPerMessage, withinMs: stallMs });
        if (index < warmUp) continue;
        measured.platform.push(round.platform);
        measured.commits.push(round.commits);
        measured.send.push(round.send);
      }
      await calls.close();
      const own = median(measured.platform);
      const single = (): OneCall => ({
        method: 'POST',
        path: '/v1/templates/send',
        headers: { 'content-type': 'application/json', 'x-api-key': account.apiKey },
        body: JSON.stringify({
          templateId: numbers.templateIds.order_update,
          senderId: numbers.senderIds[0],
          recipients: [{ phone: String(phones++), name: 'Ada Lovelace', variables: orderVariables }],
        }),
      });
      const atRates: Record<string, Spread> = {};
      for (const perSecond of rates) {
        progress(`${perSecond} sends per second`);
        const calls = Array.from({ length: perSecond * seconds }, single);
        const input = { url: fixture.gateway.url, calls, atOnce: connections, perSecond };
        const { ms } = await measureCalls(caller, input, fixture.meters);
        atRates[`${perSecond}/s, over the platform's median`] = {
          ...{ count: ms.count, p50: ms.p50 - own, p95: ms.p95 - own, p99: ms.p99 - own, max: ms.max - own },
        };
      }
      const rows = {
        'whole send': spread(measured.send),
        "platform's own time": spread(measured.platform),
        'send over the platform': spread(measured.send.map((ms) => ms - own)),
        'two bare commits': spread(measured.commits),
        ...atRates,
      };
      table('A single send, one after another, and at constant rates from the scheduled start (ms)', [
        ['', 'p50', 'p95', 'p99', 'longest'],
        ...Object.entries(rows).map(([name, ms]) => [name, ms.p50, ms.p95, ms.p99, ms.max]),
      ]);
      const inCommits = rows['send over the platform'].p50 / rows['two bare commits'].p50;
      console.log(`  over the platform, as a multiple of two commits: ${format(inCommits)}`);
      const perPart = Math.max(1, Math.floor(sends / parts));
      const bare = Array.from({ length: parts }, (_, part) =>
        median(measured.commits.slice(part * perPart, (part + 1) * perPart)),
      );
      const verdict = reportConditions(conditions, bare);
      saveFigures('send', { sends, seconds, warmUp }, { ...rows, inCommits, verdict });
    } finally {
      await caller.stop();
      await fixture.close();
    }
  },
});
