// Inbound messages per second, from callback to webhook, compared with the same number of status callbacks.
import { sql } from 'kysely';
import { startBenchFixture } from '../bench-fixture.ts';
import type { PostInput, PostResult } from '../callback-poster.ts';
import { perPiece, read } from '../cpu.ts';
import type { LoadResult } from '../load.ts';
import { progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import type { ReceiverCounts } from '../receiver.ts';
import { countUnrecorded } from '../unrecorded.ts';
import { workload } from '../workload.ts';

const withinMs = 60_000;
const recipientsPerSend = 100;
const firstPhone = 491_700_000_000;

export default workload({
  about: 'Inbound messages per second from callback to webhook, compared with status callbacks.',
  options: {
    callbacks: { default: 3_000, about: 'callbacks in each phase, with one message or one status each' },
    connections: { default: 64, about: 'connections of the platform' },
  },
  async run({ callbacks, connections }) {
    const fixture = await startBenchFixture();
    const [poster, caller] = [startRpcProcess('callback-poster.ts'), startRpcProcess('load.ts')];
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
      const sends = Math.ceil(callbacks / recipientsPerSend);
      await caller.call<LoadResult>('run', {
        ...{ url: fixture.gateway.url, apiKey: account.apiKey, templateId: templateIds.order_update },
        ...{ senderIds, recipientsPerSend, sends, atOnce: 4, firstPhone },
      });
      const { rows } = await sql<{ id: string }>`
        select id from messages where account_id = ${account.accountId} order by id limit ${callbacks}`.execute(
        fixture.db,
      );
      const ids = rows.map(({ id }) => id);
      const problems: string[] = [];
      const phase = async (more: Pick<PostInput, 'statuses' | 'inbound'>) => {
        await fixture.receiver.call('clear');
        const before = read(fixture.meters);
        const { startedAtMs, rejected } = await poster.call<PostResult>('run', { ...base, ...more });
        const counts = await fixture.receiver.call<ReceiverCounts>('until', { stages: callbacks, withinMs });
        if (counts.stages !== callbacks) problems.push(`${counts.stages} of ${callbacks} events arrived`);
        const wrong = rejected + counts.repeated + counts.badSignature;
        if (wrong > 0) problems.push(`${wrong} rejected, repeated or wrongly signed`);
        const perSecond = (callbacks * 1000) / (counts.lastAtMs - startedAtMs);
        return { perSecond, cpu: perPiece(before, read(fixture.meters), callbacks) };
      };
      let phone = firstPhone + 1_000_000;
      const inbound = () => {
        phone += callbacks;
        return phase({ inbound: { count: callbacks, firstPhone: phone } });
      };
      progress('warming up');
      await inbound();
      progress('statuses and inbound messages, in turn');
      const statuses = [await phase({ statuses: { ids, status: 'sent' } })];
      const messages = [await inbound()];
      statuses.push(await phase({ statuses: { ids, status: 'delivered' } }));
      messages.push(await inbound());
      statuses.push(await phase({ statuses: { ids, status: 'read' } }));
      messages.push(await inbound());
      const left = await countUnrecorded(fixture.db);
      if (left > 0) problems.push(`${left} deliveries are not done`);
      const rates = (phases: typeof statuses) => phases.map(({ perSecond }) => perSecond);
      const best = (phases: typeof statuses) => Math.max(...rates(phases));
      table('Callbacks to webhooks per second', [
        ['', 'first', 'second', 'third'],
        ['inbound messages of new people', ...rates(messages)],
        ['statuses', ...rates(statuses)],
        ['ratio of the best', best(messages) / best(statuses)],
      ]);
      table('CPU milliseconds per callback', [
        ['', 'inbound', 'statuses'],
        ...Object.keys(fixture.meters).map((name) => [name, messages[2]?.cpu[name], statuses[2]?.cpu[name]]),
      ]);
      table('Final check', [['lost, repeated or wrongly signed', problems.join('; ') || 'none']]);
      saveFigures('inbound', { callbacks, connections }, { messages, statuses, problems });
      if (problems.length > 0) process.exitCode = 1;
    } finally {
      await Promise.all([poster.stop(), caller.stop()]);
      await fixture.close();
    }
  },
});
