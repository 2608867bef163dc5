// What each additional endpoint of an account costs: rate, CPU and WAL per message with one, three and ten.

import { sendTarget, startBenchFixture } from '../bench-fixture.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { findLost, type Lives, type LivesTarget, measureLives } from '../lives.ts';
import { medianOf } from '../percentiles.ts';
import { progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { countUnrecorded } from '../unrecorded.ts';
import { workload } from '../workload.ts';

const counts = [1, 3, 10] as const;
const recipientsPerSend = 100;

interface Kind {
  endpoints: number;
  target: LivesTarget;
  measured: Lives[];
}

export default workload({
  about: 'Whole lives of messages of accounts with 1, 3 and 10 endpoints: rate, CPU and WAL per message.',
  options: {
    messages: { default: 1_000, about: 'messages in each round and for each number of endpoints' },
    rounds: { default: 3, about: 'rounds, each with every number of endpoints' },
  },
  async run({ messages, rounds }) {
    const sends = Math.max(1, Math.round(messages / recipientsPerSend));
    const fixture = await startBenchFixture();
    const caller = startRpcProcess('load.ts');
    try {
      const kinds: Kind[] = [];
      for (const endpoints of counts) {
        const account = await fixture.account(`Bench ${endpoints}`);
        const numbers = await fixture.numbers(account, 4);
        for (let hook = 1; hook <= endpoints; hook++)
          await fixture.endpoint(account, `of-${endpoints}-${hook}`);
        const target = {
          ...sendTarget(fixture.gateway.url, account, numbers),
          ...{ caller, recipientsPerSend, atOnce: 16 },
        };
        kinds.push({ endpoints, target, measured: [] });
      }
      const live = ({ endpoints, target }: Kind) => measureLives(fixture, [target], { sends }, { endpoints });
      progress('warming up');
      const all: (Lives & { endpoints: number })[] = [];
      for (const kind of kinds) all.push({ ...(await live(kind)), endpoints: kind.endpoints });
      const conditions = readConditions();
      for (let round = 1; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}`);
        for (const kind of kinds) {
          const lives = await live(kind);
          kind.measured.push(lives);
          all.push({ ...lives, endpoints: kind.endpoints });
        }
      }
      await countUnrecorded(fixture.db);
      table(`Whole lives with several endpoints, medians of ${rounds} rounds`, [
        [
          'endpoints',
          'messages/s',
          'webhooks/s',
          'CPU ms per message: gateway',
          'postgres',
          'WAL bytes per message',
          'full-page images',
        ],
        ...kinds.map(({ endpoints, measured }) => [
          String(endpoints),
          medianOf(measured, (lives) => lives.perSecond),
          medianOf(measured, (lives) => lives.perSecond * 3 * endpoints),
          medianOf(measured, ({ cpu }) => cpu.gateway),
          medianOf(measured, ({ cpu }) => cpu.postgres),
          medianOf(measured, (lives) => lives.activity.walBytes / lives.messages),
          medianOf(measured, (lives) => lives.activity.fullPageImages / lives.messages),
        ]),
      ]);
      const problems = await findLost(fixture, all);
      const verdict = reportConditions(
        conditions,
        (kinds[0] as Kind).measured.map(({ perSecond }) => perSecond),
      );
      const figures = kinds.map(({ endpoints, measured }) => ({ endpoints, measured }));
      saveFigures('endpoints', { messages, rounds }, { figures, problems, verdict });
    } finally {
      await caller.stop();
      await fixture.close();
    }
  },
});
