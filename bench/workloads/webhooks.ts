// Events a second from committed rows to 2xx, beside a bare loop that signs and posts the same bytes; latency at half that load.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';
import { findRunningEmbedded } from '../../src/db/embedded-running.ts';
import { cpuMs, perPiece, type Readings, read } from '../cpu.ts';
import { spread } from '../percentiles.ts';
import { keep, progress, shownSpread, table } from '../print.ts';
import { startAsked } from '../processes.ts';
import type { ReceiverCounts } from '../receiver.ts';
import { startScene } from '../scene.ts';
import { workload } from '../workload.ts';

const stagesPerMessage = 3;
const perCommit = 20;
const withinMs = 120_000;
const connections = 64;

interface Span {
  startedAtMs: number;
}

/** CPU of all the processes; where it cannot be known, NaN. */
const all = (cpu: Readings): number =>
  Object.values(cpu).reduce<number>((sum, one) => sum + (one ?? Number.NaN), 0);

/** How many deliveries are not recorded as done: the last ones are so a moment after the receiver has them. */
async function undone(db: Db): Promise<number> {
  const untilMs = performance.now() + 5_000;
  for (;;) {
    const { rows } = await sql<{
      n: number;
    }>`select count(*) n from deliveries where due_at is not null`.execute(db);
    const n = rows[0]?.n ?? 0;
    if (n === 0 || performance.now() > untilMs) return n;
    await sleep(50);
  }
}

export default workload({
  about:
    'Events a second from committed rows to 2xx beside a bare signing loop; p99 from commit at half of it.',
  options: {
    messages: { default: 2_000, about: 'messages, of three events each' },
    warmUp: { default: 2_000, about: 'messages before them' },
  },
  async run({ messages, warmUp }) {
    // its own worker must not take what the publisher delivers
    const scene = await startScene({ settings: { ROLE: 'api' } });
    const publisher = startAsked('publisher.ts');
    try {
      const account = await scene.account('Bench');
      const { secret, _id } = await account.call<{ secret: string; _id: string }>(
        'POST',
        '/v1/webhooks/endpoints',
        { url: `${scene.receiverUrl}/hooks/bench` },
      );
      await scene.receiver.ask('secret', { hook: 'bench', secret });
      await publisher.ask('open', {
        connection: await findRunningEmbedded(scene.gateway.dataDir),
        keyRing: (await readFile(join(scene.gateway.dataDir, 'encryption-keys'), 'utf8')).trim(),
        accountId: account.accountId,
      });
      await publisher.ask('endpoints', [_id]);
      const faults: string[] = [];
      const counts = async (expected: number): Promise<ReceiverCounts> => {
        const got = await scene.receiver.ask<ReceiverCounts>('until', { stages: expected, withinMs });
        if (got.stages !== expected) faults.push(`${got.stages} stages of ${expected} came`);
        if (got.outOfOrder + got.badSignature > 0)
          faults.push(`${got.outOfOrder} out of order, ${got.badSignature} wrongly signed`);
        return got;
      };
      const meters = {
        publisher: () => cpuMs(publisher.pid),
        postgres: scene.meters.postgres as () => number | undefined,
        receiver: () => cpuMs(scene.receiver.pid),
      };
      const bare = async (count: number) => {
        await scene.receiver.ask('clear');
        const before = read(meters);
        const url = `${scene.receiverUrl}/hooks/bench`;
        const { startedAtMs } = await publisher.ask<Span>('bare', {
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
        await scene.receiver.ask('clear');
        await publisher.ask('publish', { messages: count, perCommit: 200, perSecond: 0 });
        const before = read(meters);
        const startedAtMs = await publisher.ask<number>('work');
        const { lastAtMs } = await counts(count * stagesPerMessage);
        await publisher.ask('rest');
        const perSecond = (count * stagesPerMessage * 1000) / (lastAtMs - startedAtMs);
        return { perSecond, cpu: perPiece(before, read(meters), count * stagesPerMessage) };
      };
      progress('warming up');
      await bare(warmUp);
      await backlog(warmUp);
      progress('bare loop, then committed rows, then bare loop again');
      const bareBefore = await bare(messages);
      const rows = await backlog(messages);
      const bareAfter = await bare(messages);

      progress('published at half that rate');
      await scene.receiver.ask('clear');
      await publisher.ask('work');
      const committed = await publisher.ask<Map<string, number>>('publish', {
        messages,
        perCommit,
        perSecond: rows.perSecond / 2,
      });
      await counts(messages * stagesPerMessage);
      await publisher.ask('rest');
      const arrived = await scene.receiver.ask<Map<string, number[]>>('times', { ending: '' });
      const delays = [...arrived].map(([id, stages]) =>
        stages.map((atMs) => atMs - (committed.get(id) ?? Number.NaN)),
      );
      const firstStage = spread(delays.map(([first]) => first as number));
      const allStages = spread(delays.flat());
      const left = await undone(scene.db);
      if (left > 0) faults.push(`${left} deliveries are not done`);

      const ratio = rows.perSecond / ((bareBefore.perSecond + bareAfter.perSecond) / 2);
      const cpuRatio = (all(bareBefore.cpu) + all(bareAfter.cpu)) / 2 / all(rows.cpu);
      table('Webhooks: events a second', [
        ['from committed rows to 2xx', rows.perSecond],
        ['bare loop before', bareBefore.perSecond],
        ['bare loop after', bareAfter.perSecond],
        ['ratio', ratio],
        ['ratio by the CPU of all, which a busy machine disturbs less', cpuRatio],
      ]);
      table('CPU milliseconds an event', [
        ['', 'rows', 'bare'],
        ...Object.keys(meters).map((name) => [name, rows.cpu[name], bareAfter.cpu[name]]),
      ]);
      table(`From commit to receiver, at half of that`, [
        ['first stage of each message', shownSpread(firstStage)],
        ['all three, each after the one before', shownSpread(allStages)],
      ]);
      table('Reckoning', [['lost, repeated, out of order or wrongly signed', faults.join('; ') || 'none']]);
      keep(
        'webhooks',
        { messages, warmUp },
        { rows, bareBefore, bareAfter, ratio, cpuRatio, firstStage, allStages, faults },
      );
      if (faults.length > 0) process.exitCode = 1;
    } finally {
      await publisher.stop();
      await scene.close();
    }
  },
});
