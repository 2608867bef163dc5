// What a dead and a slow endpoint cost the other 98, and what a backlog behind one costs the claim.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Db, openDb } from '../../src/db/db.ts';
import { findRunningEmbedded } from '../../src/db/embedded-running.ts';
import { claimDeliveries } from '../../src/webhooks/delivery/store.ts';
import { nowMs } from '../child.ts';
import { median, type Spread, spread } from '../percentiles.ts';
import { keep, progress, shown, shownSpread, table } from '../print.ts';
import { type Asked, startAsked } from '../processes.ts';
import { type Account, type Scene, startScene } from '../scene.ts';
import { workload } from '../workload.ts';

const accountCount = 10;
const perAccount = 10;
/** Of the hundred, one is dead and one slow: both of the first account. */
const quickCount = accountCount * perAccount - 2;
const withinMs = 60_000;
/** The first part of each round only warms up. */
const leadShare = 0.2;

interface Crowd {
  scene: Scene;
  publisher: Asked;
  receiver: Asked;
  url: string;
  accounts: Account[];
  quickPerAccount: number[];
}

async function openCrowd(scene: Scene, publisher: Asked, receiver: Asked): Promise<Crowd> {
  const url = await receiver.ask<string>('url');
  const accounts: Account[] = [];
  const quickPerAccount: number[] = [];
  for (let index = 0; index < accountCount; index++) {
    const account = await scene.account(`Crowd ${index}`);
    const quick = index === 0 ? perAccount - 2 : perAccount;
    for (let hook = 0; hook < quick; hook++) {
      await account.call('POST', '/v1/webhooks/endpoints', { url: `${url}/quick-${index}-${hook}` });
    }
    accounts.push(account);
    quickPerAccount.push(quick);
  }
  await publisher.ask('open', {
    connection: await findRunningEmbedded(scene.gateway.dataDir),
    keyRing: (await readFile(join(scene.gateway.dataDir, 'encryption-keys'), 'utf8')).trim(),
    accountId: accounts[0]?.accountId,
  });
  return { scene, publisher, receiver, url, accounts, quickPerAccount };
}

type Trouble = 'hangs' | 'refuses';

/** One round at a fixed rate; answers the time from commit to arrival at the quick endpoints. */
async function round(
  crowd: Crowd,
  load: { perSecond: number; seconds: number },
  trouble: Trouble | undefined,
): Promise<{ delays: number[]; lost: number; slowOnes: number }> {
  const { accounts, quickPerAccount, publisher, receiver } = crowd;
  const first = accounts[0] as Account;
  const bad: string[] = [];
  if (trouble) {
    const dead = trouble === 'hangs' ? `${crowd.url}/hangs` : 'http://127.0.0.1:9/';
    for (const url of [dead, `${crowd.url}/slow`]) {
      bad.push((await first.call<{ _id: string }>('POST', '/v1/webhooks/endpoints', { url }))._id);
    }
  }
  await receiver.ask('clear');
  const eventsPerSecond = (load.perSecond * accountCount) / quickCount;
  // as many commits of each account
  const turns = Math.max(1, Math.round((eventsPerSecond * load.seconds) / accountCount));
  await publisher.ask('work');
  const committed = await publisher.ask<Map<string, number>>('publish', {
    messages: turns * accountCount,
    perCommit: 1,
    perSecond: eventsPerSecond,
    stages: 1,
    accountIds: accounts.map((account) => account.accountId),
  });
  const events = turns * quickPerAccount.reduce((sum, count) => sum + count, 0);
  const { arrivals, slowOnes } = await receiver.ask<{ arrivals: Map<string, number>; slowOnes: number }>(
    'until',
    { events, withinMs },
  );
  await publisher.ask('rest');
  for (const id of bad) await first.call('DELETE', `/v1/webhooks/endpoints/${id}`);
  const began = Math.min(...committed.values());
  const measuredFrom = began + load.seconds * 1000 * leadShare;
  const delays = [...arrivals].flatMap(([key, atMs]) => {
    const at = committed.get(key.slice(key.indexOf(' ') + 1)) as number;
    return at < measuredFrom ? [] : [atMs - at];
  });
  return { delays, lost: events - arrivals.size, slowOnes };
}

/** Due deliveries behind endpoints, made in the database alone. */
async function fill(db: Db, accountId: string, endpointId: string, count: number): Promise<void> {
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, due_at)
    select uuid7(), ${accountId}, ${endpointId}, uuid7(), 3, 'messages.status', repeat('x', 300),
      now() - interval '1 hour' + n * interval '1 microsecond'
    from generate_series(1, ${count}::int) n`.execute(db);
}

/** The claim as the gateway makes it, undone each time so that every round meets the same. */
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

async function claimCosts(crowd: Crowd, backlog: number, rounds: number) {
  const { db } = crowd.scene;
  const hot = openDb(await findRunningEmbedded(crowd.scene.gateway.dataDir).then(present), {
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
    perSecond: { default: 400, about: 'deliveries a second to the quick endpoints' },
    seconds: { default: 20, about: 'length of a round' },
    rounds: { default: 3, about: 'rounds without trouble, each followed by one with it' },
    backlog: { default: 200_000, about: 'deliveries behind one endpoint, for the claim' },
    claims: { default: 100, about: 'claims measured with and without them' },
  },
  async run(options) {
    const scene = await startScene({ settings: { ROLE: 'api' } });
    const [publisher, receiver] = [startAsked('publisher.ts'), startAsked('crowd-receiver.ts')];
    try {
      const crowd = await openCrowd(scene, publisher, receiver);
      progress('warming up');
      await round(crowd, { ...options, seconds: 5 }, undefined);
      const rounds: { without: Spread; within: Spread; slowOnes: number; trouble: Trouble }[] = [];
      const lines: (string | number)[][] = [];
      let lost = 0;
      for (let index = 0; index < options.rounds; index++) {
        const trouble: Trouble = index % 2 === 0 ? 'hangs' : 'refuses';
        progress(`without trouble, then with one that ${trouble} and one that answers after 14 s`);
        const without = await round(crowd, options, undefined);
        const within = await round(crowd, options, trouble);
        lost += without.lost + within.lost;
        const pair = { trouble, without: spread(without.delays), within: spread(within.delays) };
        rounds.push({ ...pair, slowOnes: within.slowOnes });
        lines.push([`without`, shownSpread(pair.without)]);
        lines.push([`one ${trouble}, one slow`, shownSpread(pair.within)]);
      }
      const p99 = {
        without: median(rounds.map(({ without }) => without.p99)),
        within: median(rounds.map(({ within }) => within.p99)),
      };
      const ratio = p99.within / p99.without;
      table(`From commit to the ${quickCount} quick endpoints, ${options.perSecond} a second`, [
        ...lines,
        ['p99, the median of the rounds: without, with', `${shown(p99.without)} ms, ${shown(p99.within)} ms`],
        ['ratio', ratio],
        ['lost', lost],
      ]);
      progress('claims with a backlog behind one');
      const claim = await claimCosts(crowd, options.backlog, options.claims);
      table('One claim', [
        [`${claim.few.rows} rows of ${quickCount} endpoints`, shownSpread(claim.few.ms)],
        [`${claim.many.rows} rows, ${shown(options.backlog)} more behind one`, shownSpread(claim.many.ms)],
        ['ratio of the medians', claim.ratio],
      ]);
      keep('isolation', options, { rounds, p99, ratio, lost, claim });
      if (lost > 0) process.exitCode = 1;
    } finally {
      await Promise.all([publisher.stop(), receiver.stop()]);
      await scene.close();
    }
  },
});
