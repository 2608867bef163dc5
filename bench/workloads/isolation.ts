// Isolation of endpoints: what a dead and a slow endpoint cost the other 98, and what a backlog at one endpoint costs the claim.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Db, openDb } from '../../src/db/db.ts';
import { findRunningEmbedded } from '../../src/db/embedded/running.ts';
import { claimDeliveries } from '../../src/webhooks/delivery/store.ts';
import { type Account, type BenchFixture, startBenchFixture } from '../bench-fixture.ts';
import { nowMs } from '../child.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { median, type Spread, spread } from '../percentiles.ts';
import { format, formatSpread, progress, saveFigures, table } from '../print.ts';
import { type RpcProcess, startRpcProcess } from '../processes.ts';
import { workload } from '../workload.ts';

const accountCount = 10;
const perAccount = 10;
/** Two of the hundred, both of the first account, are dead and slow. */
const quickCount = accountCount * perAccount - 2;
const withinMs = 60_000;
/** The first part of each round is the warm-up. */
const leadShare = 0.2;

interface Endpoints {
  fixture: BenchFixture;
  publisher: RpcProcess;
  receiver: RpcProcess;
  url: string;
  accounts: Account[];
  quickPerAccount: number[];
}

async function openEndpoints(
  fixture: BenchFixture,
  publisher: RpcProcess,
  receiver: RpcProcess,
): Promise<Endpoints> {
  const url = await receiver.call<string>('url');
  const accounts: Account[] = [];
  const quickPerAccount: number[] = [];
  for (let index = 0; index < accountCount; index++) {
    const account = await fixture.account(`Crowd ${index}`);
    const quick = index === 0 ? perAccount - 2 : perAccount;
    for (let hook = 0; hook < quick; hook++) {
      await account.client.createEndpoint({ body: { url: `${url}/quick-${index}-${hook}` } });
    }
    accounts.push(account);
    quickPerAccount.push(quick);
  }
  await publisher.call('open', {
    connection: await findRunningEmbedded(fixture.gateway.dataDir),
    keyRing: (await readFile(join(fixture.gateway.dataDir, 'encryption-keys'), 'utf8')).trim(),
    accountId: accounts[0]?.accountId,
  });
  return { fixture, publisher, receiver, url, accounts, quickPerAccount };
}

type FailureMode = 'hangs' | 'rejects';

/** One round at a fixed rate; returns the times from commit to arrival at the quick endpoints. */
async function measureRound(
  endpoints: Endpoints,
  load: { perSecond: number; seconds: number },
  failureMode: FailureMode | undefined,
): Promise<{ delays: number[]; lost: number; slowEvents: number }> {
  const { accounts, quickPerAccount, publisher, receiver } = endpoints;
  const first = accounts[0] as Account;
  const bad: string[] = [];
  if (failureMode) {
    const dead = failureMode === 'hangs' ? `${endpoints.url}/hangs` : 'http://127.0.0.1:9/';
    for (const url of [dead, `${endpoints.url}/slow`]) {
      bad.push((await first.client.createEndpoint({ body: { url } }))._id);
    }
  }
  await receiver.call('clear');
  const eventsPerSecond = (load.perSecond * accountCount) / quickCount;
  // the same number of commits for each account
  const turns = Math.max(1, Math.round((eventsPerSecond * load.seconds) / accountCount));
  await publisher.call('start');
  const committed = await publisher.call<Map<string, number>>('publish', {
    messages: turns * accountCount,
    perCommit: 1,
    perSecond: eventsPerSecond,
    stages: 1,
    accountIds: accounts.map((account) => account.accountId),
  });
  const events = turns * quickPerAccount.reduce((sum, count) => sum + count, 0);
  const { arrivals, slowEvents } = await receiver.call<{ arrivals: Map<string, number>; slowEvents: number }>(
    'until',
    { events, withinMs },
  );
  await publisher.call('stop');
  for (const id of bad) await first.client.deleteEndpoint({ id });
  const began = Math.min(...committed.values());
  const measuredFrom = began + load.seconds * 1000 * leadShare;
  const delays = [...arrivals].flatMap(([key, atMs]) => {
    const at = committed.get(key.slice(key.indexOf(' ') + 1)) as number;
    return at < measuredFrom ? [] : [atMs - at];
  });
  return { delays, lost: events - arrivals.size, slowEvents };
}

/** Inserts due deliveries of an endpoint directly into the database. */
async function fill(db: Db, accountId: string, endpointId: string, count: number): Promise<void> {
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, due_at)
    select uuid7(), ${accountId}, ${endpointId}, uuid7(), 3, 'messages.status', repeat('x', 300),
      now() - interval '1 hour' + n * interval '1 microsecond'
    from generate_series(1, ${count}::int) n`.execute(db);
}

/** The gateway's claim, rolled back each time, so that every round is the same. */
async function timedClaims(hot: Db, rounds: number): Promise<{ ms: Spread; rows: number }> {
  const ms: number[] = [];
  let rows = 0;
  for (let index = 0; index < rounds; index++) {
    const tx = await hot.startTransaction().execute();
    const began = nowMs();
    rows = (await claimDeliveries(tx, { perEndpoint: 128, total: 2_000, except: [], processId: 0 })).length;
    ms.push(nowMs() - began);
    await tx.rollback().execute();
  }
  return { ms: spread(ms), rows };
}

async function claimCosts(endpoints: Endpoints, backlog: number, rounds: number) {
  const { db } = endpoints.fixture;
  const hot = openDb(await findRunningEmbedded(endpoints.fixture.gateway.dataDir).then(present), {
    maxConnections: 1,
    applicationName: 'bench claims',
    hot: true,
  });
  try {
    await sql`delete from deliveries`.execute(db);
    const { rows: endpoints } = await sql<{ id: string; account_id: string }>`
      select id, account_id from endpoints where status = 'active' order by id`.execute(db);
    const [behind, ...others] = endpoints as [{ id: string; account_id: string }];
    for (const { id, account_id } of others) await fill(db, account_id, id, 5);
    await fill(db, behind.account_id, behind.id, 128);
    await sql`vacuum analyze deliveries`.execute(db);
    await timedClaims(hot, 5);
    const few = await timedClaims(hot, rounds);
    await fill(db, behind.account_id, behind.id, backlog);
    await sql`vacuum analyze deliveries`.execute(db);
    await timedClaims(hot, 5);
    const many = await timedClaims(hot, rounds);
    return { few, many, ratio: many.ms.p50 / few.ms.p50 };
  } finally {
    await hot.destroy();
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the embedded database of the gateway was not found');
  return value;
}

export default workload({
  about: 'What a dead and a slow endpoint cost the other 98 (p99 from commit), and a backlog the claim.',
  options: {
    perSecond: { default: 400, about: 'deliveries per second to the quick endpoints' },
    seconds: { default: 20, about: 'length of a round' },
    rounds: { default: 3, about: 'rounds without failing endpoints, each followed by one with them' },
    backlog: { default: 200_000, about: 'deliveries waiting at one endpoint, for the claim' },
    claims: { default: 100, about: 'claims measured with and without the backlog' },
  },
  async run(options) {
    const fixture = await startBenchFixture({ settings: { ROLE: 'api' } });
    const [publisher, receiver] = [startRpcProcess('publisher.ts'), startRpcProcess('many-receivers.ts')];
    try {
      const endpoints = await openEndpoints(fixture, publisher, receiver);
      progress('warming up');
      await measureRound(endpoints, { ...options, seconds: 5 }, undefined);
      const conditions = readConditions();
      const rounds: { without: Spread; within: Spread; slowEvents: number; failureMode: FailureMode }[] = [];
      const lines: (string | number)[][] = [];
      let lost = 0;
      for (let index = 0; index < options.rounds; index++) {
        const failureMode: FailureMode = index % 2 === 0 ? 'hangs' : 'rejects';
        progress(
          `without failing endpoints, then with one that ${failureMode} and one that responds after 14 s`,
        );
        const without = await measureRound(endpoints, options, undefined);
        const within = await measureRound(endpoints, options, failureMode);
        lost += without.lost + within.lost;
        const pair = { failureMode, without: spread(without.delays), within: spread(within.delays) };
        rounds.push({ ...pair, slowEvents: within.slowEvents });
        lines.push([`without`, formatSpread(pair.without)]);
        lines.push([`one ${failureMode}, one slow`, formatSpread(pair.within)]);
      }
      const p99 = {
        without: median(rounds.map(({ without }) => without.p99)),
        within: median(rounds.map(({ within }) => within.p99)),
      };
      const ratio = p99.within / p99.without;
      table(`From commit to the ${quickCount} quick endpoints, ${options.perSecond} per second`, [
        ...lines,
        [
          'p99, the median of the rounds: without, with',
          `${format(p99.without)} ms, ${format(p99.within)} ms`,
        ],
        ['ratio', ratio],
        ['lost', lost],
      ]);
      progress('claims with a backlog at one endpoint');
      const claim = await claimCosts(endpoints, options.backlog, options.claims);
      table('One claim', [
        [`${claim.few.rows} rows of ${quickCount} endpoints`, formatSpread(claim.few.ms)],
        [
          `${claim.many.rows} rows, ${format(options.backlog)} more at one endpoint`,
          formatSpread(claim.many.ms),
        ],
        ['ratio of the medians', claim.ratio],
      ]);
      const bare = rounds.map(({ without }) => without.p50);
      const verdict = reportConditions(conditions, bare);
      saveFigures('isolation', options, { rounds, p99, ratio, lost, claim, verdict });
      if (lost > 0) process.exitCode = 1;
    } finally {
      await Promise.all([publisher.stop(), receiver.stop()]);
      await fixture.close();
    }
  },
});
