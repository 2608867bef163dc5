// Several gateway processes on one database: rate and CPU per message with one, two and more of them under load.

import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findRunningEmbedded } from '../../src/db/embedded/running.ts';
import { sendTarget, startBenchFixture } from '../bench-fixture.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { cpuMs, type Meters } from '../cpu.ts';
import { findLost, type Lives, type LivesTarget, measureLives } from '../lives.ts';
import { medianOf } from '../percentiles.ts';
import { format, progress, saveFigures, table } from '../print.ts';
import { type GatewayProcess, type RpcProcess, startRpcProcess } from '../processes.ts';
import { countUnrecorded } from '../unrecorded.ts';
import { workload } from '../workload.ts';

const recipientsPerSend = 100;
/** With fewer cores, processes share them, and the growth of the rate says nothing. */
const coresForGrowth = 8;

export default workload({
  about: 'Whole lives through 1, 2 and more gateway processes on one database: rate, and CPU per message.',
  options: {
    processes: { default: 3, about: 'gateway processes, each with its own account, numbers and callbacks' },
    messages: { default: 2_000, about: 'messages in each round and for each number of processes' },
    rounds: { default: 3, about: 'rounds, each with every number of processes' },
  },
  async run({ processes, messages, rounds }) {
    const fixture = await startBenchFixture();
    const others: GatewayProcess[] = [];
    const callers: RpcProcess[] = [];
    try {
      const { host, port, user, password, database } = (await findRunningEmbedded(
        fixture.gateway.dataDir,
      )) as unknown as Record<string, string>;
      const query = new URLSearchParams({ host: host as string, port: String(port) });
      const login = `${user}:${encodeURIComponent(password ?? '')}`;
      const shared = {
        DATABASE_URL: `postgres://${login}@localhost/${database}?${query}`,
        ENCRYPTION_KEYS: (await readFile(join(fixture.gateway.dataDir, 'encryption-keys'), 'utf8')).trim(),
        OBJECT_STORE_URL: `file://${join(fixture.gateway.dataDir, 'objects')}`,
      };
      for (let index = 1; index < processes; index++) others.push(await fixture.anotherGateway(shared));
      const targets: LivesTarget[] = [];
      for (const [index, gateway] of [fixture.gateway, ...others].entries()) {
        const account = await fixture.account(`Process ${index + 1}`);
        const numbers = await fixture.numbers(account, 4, gateway.url);
        await fixture.endpoint(account, `process-${index + 1}`);
        const caller = startRpcProcess('load.ts');
        callers.push(caller);
        targets.push({
          ...sendTarget(gateway.url, account, numbers),
          ...{ caller, recipientsPerSend, atOnce: 16 },
        });
      }
      const meters: Meters = {
        gateways: () =>
          [fixture.gateway, ...others].reduce((sum, { pid }) => sum + (cpuMs(pid) ?? Number.NaN), 0),
        postgres: fixture.meters.postgres ?? (() => undefined),
      };
      const live = (count: number) =>
        measureLives(
          fixture,
          targets.slice(0, count),
          { sends: Math.max(1, Math.round(messages / recipientsPerSend / count)) },
          { meters },
        );
      progress('warming up');
      const all: Lives[] = [await live(processes), await live(processes)];
      const conditions = readConditions();
      const measured: Lives[][] = targets.map(() => []);
      for (let round = 1; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}`);
        for (const [index, of] of measured.entries()) of.push(await live(index + 1));
      }
      all.push(...measured.flat());
      await countUnrecorded(fixture.db);
      const cpuOf = (of: readonly Lives[]) =>
        medianOf(of, ({ cpu }) => (cpu.gateways ?? Number.NaN) + (cpu.postgres ?? Number.NaN));
      const rateOf = (of: readonly Lives[]) => medianOf(of, ({ perSecond }) => perSecond);
      const one = measured[0] as Lives[];
      table(`Whole lives through several processes, medians of ${rounds} rounds`, [
        [
          'processes under load',
          'messages/s',
          'CPU ms per message: gateways',
          'postgres',
          'both, to one process',
        ],
        ...measured.map((of, index) => [
          String(index + 1),
          rateOf(of),
          medianOf(of, ({ cpu }) => cpu.gateways),
          medianOf(of, ({ cpu }) => cpu.postgres),
          cpuOf(of) / cpuOf(one),
        ]),
      ]);
      const cores = availableParallelism();
      const growth = format(rateOf(measured.at(-1) as Lives[]) / rateOf(one));
      console.log(
        cores >= coresForGrowth
          ? `  growth of the rate with ${processes} processes: ${growth}`
          : `  no growth of the rate is claimed: ${cores} cores are fewer than ${coresForGrowth} (it was ${growth})`,
      );
      const problems = await findLost(fixture, all);
      const verdict = reportConditions(
        conditions,
        one.map(({ perSecond }) => perSecond),
      );
      saveFigures('scale', { processes, messages, rounds }, { measured, problems, verdict });
    } finally {
      await Promise.all(callers.map((caller) => caller.stop()));
      await Promise.all(others.map((gateway) => gateway.stop()));
      await fixture.close();
    }
  },
});
