// Pace of a number after a cancellation, a pause of a template, and a halt.
import { sql } from 'kysely';
import type { UpdateSender } from '../../client/src/client.ts';
import { type Account, type BenchFixture, type Numbers, startBenchFixture } from '../bench-fixture.ts';
import { nowMs } from '../child.ts';
import { progress, saveFigures, table } from '../print.ts';
import { workload } from '../workload.ts';

interface Result {
  /** Time until the first message was accepted, from when the number could send it. */
  firstMs: number;
  /** Messages per second from the first accepted to the last. */
  perSecond: number;
}

interface Place {
  fixture: BenchFixture;
  account: Account;
  numbers: Numbers;
}

let phones = 495_000_000_000;

/** Sends to `count` recipients without waiting for results; returns the send's id. */
async function send({ account, numbers }: Place, template: string, count: number): Promise<string> {
  const recipients = Array.from({ length: count }, () => ({
    phone: String(++phones),
    variables: { '1': 'Ada', '2': 'A-1', '3': 'today' },
  }));
  const body = {
    templateId: numbers.templateIds[template] ?? '',
    senderId: numbers.senderIds[0] ?? '',
    recipients,
  };
  const { sendId } = await account.client.sendTemplate({ body }, { headers: { Prefer: 'respond-async' } });
  return sendId;
}

const pause = (ms: number) => new Promise((go) => setTimeout(go, ms));

/** Waits until all messages of a send are accepted. Those accepted before `freeAtMs`, when the number became free, do not count. */
async function waitUntilSent({ fixture }: Place, sendId: string, freeAtMs: number): Promise<Result> {
  for (;;) {
    const { rows } = await sql<{ waiting: number; n: number; first: number; last: number }>`
      select count(*) filter (where accepted_at is null)::int waiting, count(*)::int n,
        (extract(epoch from min(accepted_at)) * 1000)::float8 first,
        (extract(epoch from max(accepted_at)) * 1000)::float8 last
      from messages where send_id = ${sendId}
        and (accepted_at is null or accepted_at >= to_timestamp(${freeAtMs} / 1000.0))`.execute(fixture.db);
    const row = rows[0] as NonNullable<(typeof rows)[0]>;
    if (row.waiting === 0)
      return { firstMs: row.first - freeAtMs, perSecond: ((row.n - 1) * 1000) / (row.last - row.first) };
    await pause(100);
  }
}

/** Starts a campaign and returns when some of its messages were sent and the rest is queued. */
async function campaign(place: Place, template: string, count: number): Promise<string> {
  const sendId = await send(place, template, count);
  await pause(1_000);
  return sendId;
}

export default workload({
  about: 'How soon and how fast a number sends after a cancellation, a pause of a template, and a halt.',
  options: {
    perSecond: { default: 60, about: 'the pace of the number' },
    waiting: { default: 900, about: 'queued messages before each interruption (at most 1,000)' },
    after: { default: 240, about: 'messages sent after it' },
  },
  async run({ perSecond, waiting, after }) {
    const fixture = await startBenchFixture();
    try {
      const account = await fixture.account('Pace');
      const numbers = await fixture.numbers(account, 1);
      const place: Place = { fixture, account, numbers };
      const [senderId = ''] = numbers.senderIds;
      const change = (body: UpdateSender) => account.client.updateSender({ id: senderId, body });
      await change({ messagesPerSecond: perSecond });
      const rows: Record<string, Result> = {};

      progress('undisturbed');
      rows.undisturbed = await waitUntilSent(place, await send(place, 'order_update', after), Date.now());

      progress('after a cancellation');
      const cancelled = await campaign(place, 'order_update', waiting);
      await account.client.cancelSend({ sendId: cancelled });
      let freeAtMs = Date.now();
      rows['after a cancellation'] = await waitUntilSent(
        place,
        await send(place, 'order_update', after),
        freeAtMs,
      );

      progress('after a pause');
      // the paused template has the higher priority, so its messages are first in the queue
      await campaign(place, 'order_update', waiting);
      const rest = await send(place, 'summer_sale', after);
      const { templates } = await fixture.platform.state();
      const paused = templates.find(({ name }) => name === 'order_update')?.id ?? '';
      await fixture.platform.changeTemplate(paused, { status: 'PAUSED' });
      freeAtMs = Date.now();
      rows['another template, after a pause'] = await waitUntilSent(place, rest, freeAtMs);

      progress('after a halt');
      const halted = await send(place, 'summer_sale', after);
      await fixture.platform.addFault({ code: 131048, on: 'messages', times: 64 });
      const isHalted = async () => {
        const { rows: found } =
          await sql`select 1 from senders where id = ${senderId} and halted_at is not null`.execute(
            fixture.db,
          );
        return found.length > 0;
      };
      const began = nowMs();
      while (!(await isHalted()) && nowMs() - began < 30_000) await pause(50);
      await pause(1_000);
      await fixture.platform.clearFaults();
      await change({ name: 'Fixed' });
      rows['after a halt'] = await waitUntilSent(place, halted, Date.now());

      table(`A number with ${perSecond} messages per second`, [
        ['', 'until the first message, ms', 'messages per second'],
        ...Object.entries(rows).map(([name, one]) => [name, one.firstMs, one.perSecond]),
      ]);
      saveFigures('pace', { perSecond, waiting, after }, rows);
    } finally {
      await fixture.close();
    }
  },
});
