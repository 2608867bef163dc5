// Latency of a single send on an idle gateway over the platform's own time, compared with two bare commits.

import { startBenchFixture } from '../bench-fixture.ts';
import { openCommits } from '../commits.ts';
import { median, spread } from '../percentiles.ts';
import { format, progress, saveFigures, table } from '../print.ts';
import { openSingleSends, orderVariables } from '../single-sends.ts';
import { workload } from '../workload.ts';

const stagesPerMessage = 3;
const stallMs = 10_000;

export default workload({
  about: "A single send, idle: latency over the platform's own time, compared with two bare commits.",
  options: {
    sends: { default: 300, about: 'measured sends, one after another' },
    warmUp: { default: 200, about: 'sends of the warm-up' },
  },
  async run({ sends, warmUp }) {
    const fixture = await startBenchFixture();
    try {
      const account = await fixture.account('Bench');
      const numbers = await fixture.numbers(account, 1);
      await fixture.endpoint(account, 'bench');
      const calls = await openSingleSends(fixture, account, numbers);
      const twoCommits = await openCommits(fixture.db);
      progress('single sends');
      const measured = { send: [] as number[], platform: [] as number[], commits: [] as number[] };
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
      const rows = {
        'whole send': spread(measured.send),
        "platform's own time": spread(measured.platform),
        'send over the platform': spread(measured.send.map((ms) => ms - own)),
        'two bare commits': spread(measured.commits),
      };
      table('A single send, idle (ms)', [
        ['', 'p50', 'p95', 'p99', 'longest'],
        ...Object.entries(rows).map(([name, ms]) => [name, ms.p50, ms.p95, ms.p99, ms.max]),
      ]);
      const inCommits = rows['send over the platform'].p50 / rows['two bare commits'].p50;
      console.log(`  over the platform, as a multiple of two commits: ${format(inCommits)}`);
      saveFigures('send', { sends, warmUp }, { ...rows, inCommits });
    } finally {
      await fixture.close();
    }
  },
});
