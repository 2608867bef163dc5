// Where growth is measured: one account whose queue is claimed by the bench, and how its operations are timed and compared.
import { openDb } from '../src/db/db.ts';
import { findRunningEmbedded } from '../src/db/embedded/running.ts';
import { claimDue, releaseLeases } from '../src/messaging/dispatch/claims-store.ts';
import { type Account, type BenchFixture, type Numbers, startBenchFixture } from './bench-fixture.ts';
import { nowMs } from './child.ts';
import { type Spread, spread } from './percentiles.ts';
import { table } from './print.ts';

export const claimPerSender = 200;

export interface Place {
  fixture: BenchFixture;
  account: Account;
  numbers: Numbers;
  hot: ReturnType<typeof openDb>;
}

/** Runs `work` with a new gateway and account, and ends them. */
export async function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
  // role api: its workers would claim the messages that are claimed here, and run retention at the real time
  const fixture = await startBenchFixture({ settings: { ROLE: 'api' } });
  const connection = await findRunningEmbedded(fixture.gateway.dataDir);
  if (!connection) throw new Error('the database of the gateway was not found');
  const hot = openDb(connection, { maxConnections: 2, applicationName: 'bench hot', hot: true });
  try {
    const account = await fixture.account('Bench');
    const numbers = await fixture.numbers(account, 4);
    await work({ fixture, account, numbers, hot });
  } finally {
    await hot.destroy();
    await fixture.close();
  }
}

type Work = () => Promise<unknown>;

/** Repeats `work`, each time after `prepare`, whose time does not count. */
export async function timed(rounds: number, work: Work, prepare?: Work): Promise<Spread> {
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await prepare?.();
    const began = nowMs();
    await work();
    ms.push(nowMs() - began);
  }
  return spread(ms);
}

/** Claims messages `rounds` times; the release after each claim does not count. */
export async function timedClaims({ hot }: Place, rounds: number): Promise<Spread> {
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = nowMs();
    const { claimed } = await claimDue(hot, claimPerSender, [], 0);
    ms.push(nowMs() - began);
    const keys = claimed.map((one) => ({ accountId: one.account_id, id: one.id, lease: one.lease }));
    await releaseLeases(
      hot,
      keys.sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }
  return spread(ms);
}

/** Prints two measurements of the same operations beside each other. */
export function compare(title: string, before: Record<string, Spread>, after: Record<string, Spread>): void {
  table(title, [
    ['', 'p50', 'p99', 'p50', 'p99', 'times'],
    ...Object.entries(before).map(([name, ms]) => {
      const then = after[name] as Spread;
      return [name, ms.p50, ms.p99, then.p50, then.p99, then.p50 / ms.p50];
    }),
  ]);
}
