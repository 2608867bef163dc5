// The time from a status callback to its webhook under low load, for callbacks that come alone and three at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningEmbedded } from '../../src/db/embedded/running.ts';
import { type BenchFixture, startBenchFixture } from '../bench-fixture.ts';
import { nowMs } from '../child.ts';
import { openCommits } from '../commits.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { median, spread } from '../percentiles.ts';
import { progress, saveFigures, table } from '../print.ts';
import { type RpcProcess, startRpcProcess } from '../processes.ts';
import { openSingleSends, orderVariables, type SingleSends } from '../single-sends.ts';
import { noteStages, stageLatencies } from '../stage-latency.ts';
import { workload } from '../workload.ts';

const stagesPerMessage = 3;
const withinMs = 10_000;
const commitsPerRound = 50;

/** When the sandbox posts the callbacks of a message, in milliseconds after it was accepted. */
const patterns = {
  'three at once': { sentMs: 100, deliveredMs: 100, readMs: 100 },
  'three at once, with the response to the call': { sentMs: 0, deliveredMs: 0, readMs: 0 },
  'one after another': { sentMs: 100, deliveredMs: 250, readMs: 400 },
} as const;
type Pattern = keyof typeof patterns;
const names = Object.keys(patterns) as Pattern[];

/** Sends of an account whose callbacks go to a bare route: one commit, the response, one webhook. */
async function openBareCalls(fixture: BenchFixture, bareRoute: RpcProcess): Promise<SingleSends> {
  const secret = 'bench-secret';
  await fixture.receiver.call('secret', { hook: 'bare', secret });
  const url = await bareRoute.call<string>('open', {
    connection: await findRunningEmbedded(fixture.gateway.dataDir),
    hook: { url: `${fixture.receiverUrl}/hooks/bare`, secret },
  });
  const account = await fixture.account('Bare');
  return openSingleSends(fixture, account, await fixture.numbers(account, 1, url));
}

export default workload({
  about:
    'Time from status callback to webhook under low load, alone and three at once, in turn with a bare route; two bare commits.',
  options: {
    perSecond: { default: 10, about: 'messages per second, with three callbacks each' },
    messages: { default: 60, about: 'messages in each round and pattern' },
    rounds: { default: 5, about: 'rounds, each with both patterns and the bare commits' },
  },
  async run({ perSecond, messages, rounds }) {
    const fixture = await startBenchFixture();
    const bareRoute = startRpcProcess('bare-route.ts');
    try {
      const account = await fixture.account('Bench');
      const numbers = await fixture.numbers(account, 1);
      await fixture.endpoint(account, 'bench');
      const calls = await openSingleSends(fixture, account, numbers);
      const bareCalls = await openBareCalls(fixture, bareRoute);
      const twoCommits = await openCommits(fixture.db);
      const measure = async (pattern: Pattern, count: number, by = calls): Promise<number[]> => {
        await fixture.platform.settings(patterns[pattern]);
        await noteStages(fixture, '');
        const began = nowMs();
        for (let index = 0; index < count; index++) {
          await sleep(Math.max(0, began + (index * 1000) / perSecond - nowMs()));
          await by.send('order_update', orderVariables);
        }
        await fixture.receiver.call('until', { stages: count * stagesPerMessage, withinMs });
        const all = await stageLatencies(fixture, '');
        if (all.length !== count * stagesPerMessage)
          throw new Error(`${all.length} webhooks of ${count * stagesPerMessage} arrived`);
        return all;
      };
      const commits = async () => {
        const ms: number[] = [];
        for (let index = 0; index < commitsPerRound; index++) ms.push(await twoCommits());
        return ms;
      };
      progress('warming up');
      for (const pattern of names) for (const by of [calls, bareCalls]) await measure(pattern, messages, by);
      await commits();
      const conditions = readConditions();
      const ofPatterns = () =>
        Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Pattern, number[]>;
      const [measured, bare] = [ofPatterns(), ofPatterns()];
      const pairs: number[][] = [];
      for (let round = 1; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}`);
        pairs.push(await commits());
        for (const pattern of names) {
          measured[pattern].push(...(await measure(pattern, messages)));
          bare[pattern].push(...(await measure(pattern, messages, bareCalls)));
        }
      }
      await Promise.all([calls.close(), bareCalls.close()]);
      const rows = {
        ...Object.fromEntries(names.map((pattern) => [pattern, spread(measured[pattern])])),
        ...Object.fromEntries(names.map((pattern) => [`${pattern}, bare route`, spread(bare[pattern])])),
        'two bare commits': spread(pairs.flat()),
      };
      table(`From callback to webhook at ${perSecond} messages/s (ms)`, [
        ['', 'p50', 'p95', 'p99', 'longest'],
        ...Object.entries(rows).map(([name, ms]) => [name, ms.p50, ms.p95, ms.p99, ms.max]),
      ]);
      const verdict = reportConditions(
        conditions,
        pairs.map((ms) => median(ms)),
      );
      saveFigures('callbacks', { perSecond, messages, rounds }, { ...rows, verdict });
    } finally {
      await bareRoute.stop();
      await fixture.close();
    }
  },
});
