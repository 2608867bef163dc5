// An idle gateway: transactions per second of its database, and CPU, after a time without work.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type BenchFixture, startBenchFixture } from '../bench-fixture.ts';
import { perPiece, read } from '../cpu.ts';
import { progress, saveFigures, table } from '../print.ts';
import { workload } from '../workload.ts';

/** Sessions report their transactions up to 10 s late. */
const reportedWithinMs = 11_000;

async function transactions({ db }: BenchFixture): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`.execute(
    db,
  );
  return rows[0]?.count ?? Number.NaN;
}

export default workload({
  about: 'Transactions per second and CPU of a gateway without requests, awake and after a minute.',
  options: {
    after: { default: 75, about: 'seconds without work before the measurement' },
    seconds: { default: 60, about: 'length of the measurement' },
  },
  async run({ after, seconds }) {
    const fixture = await startBenchFixture();
    try {
      const account = await fixture.account('Bench');
      await fixture.numbers(account, 1);
      await fixture.endpoint(account, 'idle');
      const measure = async (forSeconds: number) => {
        const before = { count: await transactions(fixture), cpu: read(fixture.meters) };
        await sleep(forSeconds * 1000);
        const count = (await transactions(fixture)) - before.count;
        // the second reading is the benchmark's own
        const perSecond = (count - 1) / forSeconds;
        return { perSecond, cpu: perPiece(before.cpu, read(fixture.meters), forSeconds) };
      };
      await sleep(reportedWithinMs);
      progress('awake');
      const awake = await measure(20);
      progress(`waiting for ${after} s`);
      await sleep(after * 1000);
      progress('idle');
      const idle = await measure(seconds);
      table('Without requests', [
        ['', 'awake', 'idle'],
        ['transactions/s', awake.perSecond, idle.perSecond],
        ...Object.keys(idle.cpu).map((name) => [`CPU ms per s: ${name}`, awake.cpu[name], idle.cpu[name]]),
      ]);
      saveFigures('idle', { after, seconds }, { awake, idle });
    } finally {
      await fixture.close();
    }
  },
});
