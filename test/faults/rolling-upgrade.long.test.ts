// Rolling upgrades: processes of two versions on one database under load, both ways, lose and double nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { makeKey } from '../../src/base/cipher.ts';
import type { Db } from '../../src/db/db.ts';
import { migrationState } from '../../src/db/migrate.ts';
import { checkOutCommit, makeLaterVersion } from '../harness/other-versions.ts';
import { wrongCounts } from '../harness/statistics.ts';
import { type CampaignFixture, openCampaignFixture } from './campaign-fixture.ts';
import { seededRandom } from './random.ts';
import { underLoad } from './round.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 90_000 });

// responses of other versions are not those of this version's OpenAPI document
globalThis.fetch = (globalThis.fetch as typeof fetch & { plain?: typeof fetch }).plain ?? globalThis.fetch;

/**
 * The previous release: before its first migration with a kind. Set it to the tag of each release; it must start with the
 * packages of this checkout.
 */
const previous = '88c79205';
const current = fileURLToPath(new URL('../../', import.meta.url));
const besideMs = 4_000;

/** Tables that the load reads and writes all the time; statements with `select *` read some of them. */
const widened = [
  'messages',
  'deliveries',
  'templates',
  'senders',
  'sends',
  'contacts',
  'endpoints',
  'accounts',
];

let folder: string;
let fixture: CampaignFixture | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'versions-'));
});
afterEach(() => fixture?.close());
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Restarts both gateways one by one with `to`, then with `from` again, under load; returns what was violated. */
async function upgradeAndBack(from: string, to: string) {
  const open = await openCampaignFixture(2, from);
  fixture = open;
  const load = { callerCount: 4, restMs: 150, random: seededRandom(14), firstNumber: 0, report: () => {} };
  const result = await underLoad(open, load, async () => {
    await sleep(besideMs / 2);
    for (const version of [to, from])
      for (const index of [0, 1]) {
        await open.gateways.restart(index, version);
        await sleep(besideMs);
      }
    // the end of the run restarts both: with different versions
    await open.gateways.restart(1, to);
  });
  const { violations } = result;
  if (violations.length > 0) {
    const kept = join(tmpdir(), 'rolling-upgrade-logs');
    await open.gateways.keepLogs(kept);
    console.log(`The logs of the gateways are in ${kept}.`);
  }
  expect(violations.slice(0, 20)).toEqual([]);
  expect(await wrongCounts(open.database.db)).toEqual([]);
  expect(result.figures.read).toBeGreaterThan(50);
  return open;
}

/** The contacts with a newer message than they are listed by, or that are not listed at all. */
async function misplaced(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    select c.id, v.last_id from contacts c left join conversations v on v.account_id = c.account_id and v.contact_id = c.id
    where v.contact_id is null or exists (
      select from contact_identities i join received_messages m on m.person = i.identity and m.account_id = i.account_id
      where i.contact_id = c.id and i.account_id = c.account_id and (v.last_id is null or m.id > v.last_id))
      or exists (
        select from contact_identities i join messages m on m.phone = i.identity and m.account_id = i.account_id and m.kind = 1
        where i.contact_id = c.id and i.account_id = c.account_id and (v.last_id is null or m.id > v.last_id))`.execute(
    db,
  );
  return rows;
}

/** Runs a command. The database's way leads through this process, so it must not wait for the command synchronously. */
async function run(checkout: string, open: CampaignFixture, ...args: string[]) {
  const env = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: open.database.url,
    ENCRYPTION_KEYS: makeKey(),
  };
  const child = spawn(process.execPath, [join(checkout, 'src/cli.ts'), ...args], { cwd: folder, env });
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await ended;
  return { status, output: out + err };
}

test('the previous release and this one, both ways', async () => {
  const checkout = join(folder, 'previous');
  if (!(await checkOutCommit(previous, checkout))) {
    console.log(`NOT TESTED: this clone does not have the commit ${previous}`);
    return;
  }
  const open = await upgradeAndBack(checkout, current);
  // the previous release does not record the contacts that it changed; the first step of a process finds them
  await open.gateways.restart(0, current);
  const { db } = open.database;
  await expect.poll(() => misplaced(db), { timeout: 60_000 }).toEqual([]);
});

test('this release and a later one, both ways, until the later one contracts', async () => {
  const added = widened.map(
    (name) => `alter table ${name} add column zz_later text, add column zz_filled int not null default 1;`,
  );
  const checkout = join(folder, 'later');
  await makeLaterVersion(checkout, {
    '9000_later': `-- kind: expand\n${added.join('\n')}`,
    '9001_contracts': '-- kind: contract\nalter table accounts drop column zz_later;',
  });
  const open = await upgradeAndBack(current, checkout);
  expect((await migrationState(open.database.db)).unknown).toEqual(['9000_later']);
  await open.gateways.restart(0, current);

  // a process of this version runs
  expect(await run(checkout, open, 'migrate')).toMatchObject({
    status: 0,
    output: expect.stringMatching(/9001_contracts waits, because it would break version \S+ \(running\)/),
  });
  expect(await run(checkout, open, 'migrate', '--contract')).toMatchObject({
    status: 1,
    output: expect.stringMatching(/9001_contracts waits, .*\(running\)/),
  });
  await open.gateways.stopAll();
  expect(await run(checkout, open, 'migrate', '--contract')).toMatchObject({
    status: 0,
    output: expect.stringMatching(/Ran 9001_contracts\. .*\nThe database is up to date\.\n/),
  });
  expect(await run(current, open, 'account', 'list')).toMatchObject({
    status: 4,
    output: expect.stringMatching(
      /newer than this program, which cannot work with it: it has run 9001_contracts/,
    ),
  });
  await open.gateways.restart(0, checkout);
});

test('a running process ends in order when it finds that a later version contracted without it', async () => {
  const open = await openCampaignFixture(1);
  fixture = open;
  await open.gateways.stopAll();
  const { startGatewayProcess } = await import('./processes.ts');
  const env = {
    DATABASE_URL: open.database.url,
    ENCRYPTION_KEYS: makeKey(),
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
  };
  const logFile = join(folder, 'outdated.log');
  const gateway = startGatewayProcess(env, { logFile });
  await gateway.ready;
  await sql`insert into kysely_migration (name, timestamp) values ('9001_contracts', '')`.execute(
    open.database.db,
  );
  await sql`insert into breaking_migrations values ('9001_contracts')`.execute(open.database.db);
  await sql`select pg_notify('gateway_work', '0')`.execute(open.database.db);
  expect(await gateway.ended).toEqual({ code: 0, signal: null });
  const again = startGatewayProcess(env, { logFile });
  await expect(again.ready).rejects.toThrow(/newer than this program.*9001_contracts/);
});
