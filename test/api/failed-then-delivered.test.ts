// A failure that a later report overtakes: the receiver gets the same events whether the reports come in one callback or in several.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MadeStatus, postCallback, statusCallback } from '../harness/callbacks.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { messageOf, send, stagesUntil, templateKinds } from '../harness/sends.ts';
import { wrongCounts } from '../harness/statistics.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;
let secret: string;
beforeAll(async () => {
  gateway = await startGateway();
  const added = await addSender(gateway, templateKinds);
  senderId = added.senderId;
  templateId = added.templateIds.plain ?? '';
  secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
  await addEndpoint(gateway);
});
afterAll(() => gateway?.close());

let sent = 0;
/** Sends a message that the simulated platform accepts and never reports on, so that every report comes from this test. */
async function message() {
  const { body } = await send(gateway, { templateId, recipients: [`${30000 + sent++}0000000204`] });
  const [one] = body.data.messages;
  if (!one?.messageId) throw new Error('The message was not accepted.');
  return { id: one.id, wamid: one.messageId };
}

const errors = [
  { code: 131026, title: 'Message undeliverable', error_data: { details: 'Not on one device.' } },
];
const at = 1_790_000_000;

/** Posts the reports in one callback, or in order with one callback each. */
async function report(
  { id, wamid }: { id: string; wamid: string },
  reports: [string, number][],
  together: boolean,
): Promise<void> {
  const statuses = reports.map(
    ([status, second]): MadeStatus => ({
      ...{ id: wamid, opaque: id, status, timestamp: at + second },
      ...(status === 'failed' ? { errors } : {}),
    }),
  );
  for (const posted of together ? [statuses] : statuses.map((one) => [one])) {
    const response = await postCallback(gateway, senderId, statusCallback(number.id, posted), secret);
    expect(response.status).toBe(200);
  }
}

describe.each([
  ['in one callback', true],
  ['in one callback each', false],
])('reported %s', (_how, together) => {
  it.each<[string, [string, number][], string[], string]>([
    [
      'failed, then delivered: publishes failed, sent and delivered',
      [
        ['failed', 1],
        ['delivered', 2],
      ],
      ['failed', 'sent', 'delivered'],
      'delivered',
    ],
    [
      'sent, failed, then read: publishes all, with the failure before the delivery',
      [
        ['sent', 0],
        ['failed', 1],
        ['read', 3],
      ],
      ['sent', 'failed', 'delivered', 'read'],
      'read',
    ],
    [
      'delivered, then failed: ignores the failure',
      [
        ['delivered', 1],
        ['failed', 2],
      ],
      ['sent', 'delivered'],
      'delivered',
    ],
    [
      'sent, then failed: publishes both',
      [
        ['sent', 1],
        ['failed', 2],
      ],
      ['sent', 'failed'],
      'failed',
    ],
  ])('%s', async (_what, reports, stages, status) => {
    const one = await message();
    await report(one, reports, together);
    expect(await stagesUntil(gateway, one.wamid, stages.at(-1) ?? '')).toEqual(stages);
    expect(await messageOf(gateway, one.id)).toMatchObject({ status });
    const events = await gateway.receiver.events({ messageId: one.wamid, status: 'failed' });
    const failures = events.map(({ json }) => (json as { data: { error: object; timestamp: number } }).data);
    if (stages.includes('failed'))
      expect(failures).toMatchObject([{ error: { code: 131026, message: 'Not on one device.' } }]);
    else expect(failures).toEqual([]);
  });
});

it('all of these count exactly in the statistics', async () => {
  expect(await wrongCounts(gateway.database.db)).toEqual([]);
});
