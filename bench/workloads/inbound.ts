// Inbound messages per second, from callback to webhook, compared with the same number of status callbacks.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';
import { startBenchFixture } from '../bench-fixture.ts';
import type { PostInput, PostResult } from '../callback-poster.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { perPiece, read } from '../cpu.ts';
import type { LoadResult } from '../load.ts';
import { median, medianOf } from '../percentiles.ts';
import { progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import type { ReceiverCounts } from '../receiver.ts';
import { profileFlags, showProfile } from '../show-profile.ts';
import { countUnrecorded } from '../unrecorded.ts';
import { workload } from '../workload.ts';

const withinMs = 60_000;
const recipientsPerSend = 100;
const stages = ['sent', 'delivered', 'read'];
/** Of the usual traffic, one message in ten comes from a person who never wrote before. */
const newOneIn = 10;

/** The people who write, by kind of phase. */
function openPeople() {
  let newest = 491_700_000_000;
  const known: number[] = [];
  const newcomer = () => {
    known.push(++newest);
    return newest;
  };
  const list = (count: number, one: (index: number) => number) =>
    Array.from({ length: count }, (_, index) => one(index));
  let at = 0;
  const regular = () => known[at++ % known.length] as number;
  return {
    new: (count: number) => list(count, newcomer),
    known: (count: number) => list(count, regular),
    usual: (count: number) => list(count, (index) => (index % newOneIn === 0 ? newcomer() : regular())),
  };
}

/** Waits for the work that a phase left behind, and does autovacuum's, so that the next phase does not pay for either. */
async function settle(db: Db): Promise<void> {
  const deadline = performance.now() + withinMs;
  const isLeft = async () => {
    const { rows } = await sql<{ left: boolean }>`
      select exists (select from conversation_changes) or exists (select from statistics_changes) as left`.execute(
      db,
    );
    return rows[0]?.left === true;
  };
  while ((await isLeft()) && performance.now() < deadline) await sleep(100);
  await sql`vacuum (analyze) messages, deliveries, received_messages, contacts, contact_windows, contact_identities, conversations,
    conversation_changes, statistics_changes`.execute(db);
}

export default workload({
  about: 'Inbound messages per second from callback to webhook, compared with status callbacks.',
  options: {
    callbacks: { default: 12_000, about: 'callbacks in each phase, with one message or one status each' },
    connections: { default: 64, about: 'connections of the platform' },
    profile: {
      default: false,
      about: 'write and show CPU profiles of the gateway, of both kinds of callback',
    },
  },
  async run({ callbacks, connections, profile }) {
    const fixture = await startBenchFixture({ nodeFlags: profile ? profileFlags('inbound') : [] });
    const [poster, caller] = [startRpcProcess('callback-poster.ts'), startRpcProcess('load.ts')];
    const windows: Record<string, { fromMs: number; toMs: number }> = {};
    const problems: string[] = [];
    try {
      const account = await fixture.account('Bench');
      const { senderIds, templateIds } = await fixture.numbers(account, 1);
      const { secret } = await account.client.createEndpoint({
        body: { url: `${fixture.receiverUrl}/hooks/bench`, events: ['messages.status', 'messages.received'] },
      });
      await fixture.receiver.call('secret', { hook: 'bench', secret });
      const { apps, numbers } = await fixture.platform.state();
      const base: PostInput = {
        origin: fixture.gateway.url,
        path: `/callbacks/messaging/${senderIds[0]}`,
        ...{ secret: apps[0]?.secret ?? '', phoneNumberId: numbers[0]?.id ?? '', connections },
      };
      progress('sending the messages that are reported later');
      await fixture.platform.settings({ holdCallbacks: true });
      const sends = Math.ceil((2 * callbacks) / recipientsPerSend);
      await caller.call<LoadResult>('run', {
        ...{ url: fixture.gateway.url, apiKey: account.apiKey, templateId: templateIds.order_update },
        ...{ senderIds, recipientsPerSend, sends, atOnce: 4, firstPhone: 492_700_000_000 },
      });
      const { rows } = await sql<{ id: string }>`
        select id from messages where account_id = ${account.accountId} order by id limit ${2 * callbacks}`.execute(
        fixture.db,
      );
      const ids = rows.map(({ id }) => id);
      let series = 0;
      const phase = async (name: string, more: Pick<PostInput, 'statuses' | 'inbound'>) => {
        await settle(fixture.db);
        await fixture.receiver.call('clear');
        const before = read(fixture.meters);
        const { startedAtMs, rejected } = await poster.call<PostResult>('run', { ...base, ...more });
        const counts = await fixture.receiver.call<ReceiverCounts>('until', { stages: callbacks, withinMs });
        if (counts.stages !== callbacks) problems.push(`${counts.stages} of ${callbacks} events arrived`);
        const wrong = rejected + counts.repeated + counts.badSignature;
        if (wrong > 0) problems.push(`${wrong} rejected, repeated or wrongly signed`);
        windows[name] = { fromMs: startedAtMs, toMs: counts.lastAtMs };
        const perSecond = (callbacks * 1000) / (counts.lastAtMs - startedAtMs);
        return { perSecond, cpu: perPiece(before, read(fixture.meters), callbacks) };
      };
      const people = openPeople();
      const inbound = (kind: keyof typeof people) =>
        phase(kind, { inbound: { phones: people[kind](callbacks), series: `IN${++series}.` } });
      const reported = (from: number, status: string) =>
        phase('statuses', { statuses: { ids: ids.slice(from, from + callbacks), status } });
      progress('warming up');
      await inbound('new');
      for (const stage of stages) await reported(callbacks, stage);
      await inbound('usual');
      progress('statuses and inbound messages, in turn');
      const conditions = readConditions();
      type Phase = Awaited<ReturnType<typeof phase>>;
      const measured = {
        statuses: [] as Phase[],
        usual: [] as Phase[],
        known: [] as Phase[],
        new: [] as Phase[],
      };
      for (const [round, stage] of stages.entries()) {
        const kinds = Object.keys(measured) as (keyof typeof measured)[];
        // none is always measured after the same other one
        for (const kind of [...kinds.slice(round), ...kinds.slice(0, round)])
          measured[kind].push(await (kind === 'statuses' ? reported(0, stage) : inbound(kind)));
      }
      const left = await countUnrecorded(fixture.db);
      if (left > 0) problems.push(`${left} deliveries are not done`);
      const rates = (phases: Phase[]) => phases.map(({ perSecond }) => perSecond);
      const cpuOf = (phases: Phase[], name: string) => medianOf(phases, ({ cpu }) => cpu[name]);
      const names = {
        statuses: 'statuses',
        usual: 'inbound messages, one in ten from a new person (compared)',
        known: 'inbound messages of known people',
        new: 'inbound messages of new people',
      };
      const ratioOf = (phases: Phase[]) => median(rates(phases)) / median(rates(measured.statuses));
      const kinds = Object.keys(names) as (keyof typeof names)[];
      table('Callbacks to webhooks per second', [
        ['', 'first', 'second', 'third', 'median, of that of statuses'],
        ...kinds.map((kind) => [names[kind], ...rates(measured[kind]), ratioOf(measured[kind])]),
      ]);
      const meters = Object.keys(fixture.meters);
      table('CPU milliseconds per callback, median', [
        ['', ...meters],
        ...kinds.map((kind) => [names[kind], ...meters.map((meter) => cpuOf(measured[kind], meter))]),
      ]);
      table('Final check', [['lost, repeated or wrongly signed', problems.join('; ') || 'none']]);
      const verdict = reportConditions(conditions, rates(measured.statuses));
      saveFigures('inbound', { callbacks, connections }, { ...measured, problems, verdict });
    } finally {
      await Promise.all([poster.stop(), caller.stop()]);
      await fixture.close();
    }
    for (const name of profile ? ['statuses', 'usual'] : []) {
      console.log(`\nThe last ${name === 'usual' ? 'inbound messages' : 'statuses'}:`);
      showProfile('inbound', windows[name] as { fromMs: number; toMs: number });
    }
    if (problems.length > 0) process.exitCode = 1;
  },
});
