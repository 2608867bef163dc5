// Webhook throughput: events per second from committed rows to 2xx, compared with a bare loop of the same posts; latency at half that rate.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunningEmbedded } from '../../src/db/embedded/running.ts';
import { startBenchFixture } from '../bench-fixture.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { cpuMs, perPiece, read } from '../cpu.ts';
import { sumOf } from '../lives.ts';
import { spread } from '../percentiles.ts';
import { formatSpread, progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import type { ReceiverCounts } from '../receiver.ts';
import { countUnrecorded } from '../unrecorded.ts';
import { workload } from '../workload.ts';

const stagesPerMessage = 3;
const perCommit = 20;
const withinMs = 120_000;
const connections = 64;

interface Span {
  startedAtMs: number;
}

export default workload({
  about:
    'Events per second from committed rows to 2xx, compared with a bare signing loop; p99 from commit at half of it.',
  options: {
    messages: { default: 2_000, about: 'messages, with three events each' },
    warmUp: { default: 2_000, about: 'messages of the warm-up' },
  },
  async run({ messages, warmUp }) {
    // its own worker must not take what the publisher delivers
    const fixture = await startBenchFixture({ settings: { ROLE: 'api' } });
    const publisher = startRpcProcess('publisher.ts');
    try {
      const account = await fixture.account('Bench');
      const { secret, _id } = await account.client.createEndpoint({
        body: { url: `${fixture.receiverUrl}/hooks/bench` },
      });
      await fixture.receiver.call('secret', { hook: 'bench', secret });
      await publisher.call('open', {
        connection: await findRunningEmbedded(fixture.gateway.dataDir),
        keyRing: (await readFile(join(fixture.gateway.dataDir, 'encryption-keys'), 'utf8')).trim(),
        accountId: account.accountId,
      });
      await publisher.call('endpoints', [_id]);
      const problems: string[] = [];
      const counts = async (expected: number): Promise<ReceiverCounts> => {
        const got = await fixture.receiver.call<ReceiverCounts>('until', { stages: expected, withinMs });
        if (got.stages !== expected) problems.push(`${got.stages} stages of ${expected} arrived`);
        if (got.outOfOrder + got.badSignature > 0)
          problems.push(`${got.outOfOrder} out of order, ${got.badSignature} wrongly signed`);
        return got;
      };
      const meters = {
        publisher: () => cpuMs(publisher.pid),
        postgres: fixture.meters.postgres as () => number | undefined,
        receiver: () => cpuMs(fixture.receiver.pid),
      };
      const bare = async (count: number) => {
        await fixture.receiver.call('clear');
        const before = read(meters);
        const url = `${fixture.receiverUrl}/hooks/bench`;
        const { startedAtMs } = await publisher.call<Span>('bare', {
          url,
          secret,
          messages: count,
          connections,
        });
        const { lastAtMs } = await counts(count * stagesPerMessage);
        const perSecond = (count * stagesPerMessage * 1000) / (lastAtMs - startedAtMs);
        return { perSecond, cpu: perPiece(before, read(meters), count * stagesPerMessage) };
      };
      const backlog = async (count: number) => {
        await fixture.receiver.call('clear');
        await publisher.call('publish', { messages: count, perCommit: 200, perSecond: 0 });
        const before = read(meters);
        const startedAtMs = await publisher.call<number>('start');
        const { lastAtMs } = await counts(count * stagesPerMessage);
        await publisher.call('stop');
        const perSecond = (count * stagesPerMessage * 1000) / (lastAtMs - startedAtMs);
        return { perSecond, cpu: perPiece(before, read(meters), count * stagesPerMessage) };
      };
      progress('warming up');
      await bare(warmUp);
      await backlog(warmUp);
      progress('bare loop, then committed rows, then bare loop again');
      const conditions = readConditions();
      const bareBefore = await bare(messages);
      const rows = await backlog(messages);
      const bareAfter = await bare(messages);
      const bareRates = [bareBefore.perSecond, bareAfter.perSecond];

      progress('published at half that rate');
      await fixture.receiver.call('clear');
      await publisher.call('start');
      const committed = await publisher.call<Map<string, number>>('publish', {
        messages,
        perCommit,
        perSecond: rows.perSecond / 2,
      });
      await counts(messages * stagesPerMessage);
      await publisher.call('stop');
      const arrived = await fixture.receiver.call<Map<string, number[]>>('times', { ending: '' });
      const delays = [...arrived].map(([id, stages]) =>
        stages.map((atMs) => atMs - (committed.get(id) ?? Number.NaN)),
      );
      const firstStage = spread(delays.map(([first]) => first as number));
      const allStages = spread(delays.flat());
      const left = await countUnrecorded(fixture.db);
      if (left > 0) problems.push(`${left} deliveries are not done`);

      const ratio = rows.perSecond / ((bareBefore.perSecond + bareAfter.perSecond) / 2);
      const cpuRatio = (sumOf(bareBefore.cpu) + sumOf(bareAfter.cpu)) / 2 / sumOf(rows.cpu);
      table('Webhooks: events per second', [
        ['from committed rows to 2xx', rows.perSecond],
        ['bare loop before', bareBefore.perSecond],
        ['bare loop after', bareAfter.perSecond],
        ['ratio', ratio],
        ['ratio of CPU times, which a busy machine changes less', cpuRatio],
      ]);
      table('CPU milliseconds per event', [
        ['', 'rows', 'bare'],
        ...Object.keys(meters).map((name) => [name, rows.cpu[name], bareAfter.cpu[name]]),
      ]);
      table(`From commit to receiver, at half of that`, [
        ['first stage of each message', formatSpread(firstStage)],
        ['all three stages, one after the other', formatSpread(allStages)],
      ]);
      table('Final check', [
        ['lost, repeated, out of order or wrongly signed', problems.join('; ') || 'none'],
      ]);
      const verdict = reportConditions(conditions, bareRates);
      saveFigures(
        'webhooks',
        { messages, warmUp },
        { rows, bareBefore, bareAfter, ratio, cpuRatio, firstStage, allStages, problems, verdict },
      );
      if (problems.length > 0) process.exitCode = 1;
    } finally {
      await publisher.stop();
      await fixture.close();
    }
  },
});
