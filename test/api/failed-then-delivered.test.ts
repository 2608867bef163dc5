// A failure that gives way to a later report: the receiver is told the same, whether both come together or one by one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MadeStatus, postCallback, statusCallback } from '../harness/callbacks.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { messageOf, send, stagesUntil, templateKinds } from '../harness/sends.ts';

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
/** A message that the platform took, and of which it then never says a word: every report is ours. */
async function message() {
  const { body } = await send(gateway, { templateId, recipients: [`${30000 + sent++}0000000204`] });
  const [one] = body.data.messages;
  if (!one?.messageId) throw new Error('not taken');
  return { id: one.id, wamid: one.messageId };
}

const errors = [
  { code: 131026, title: 'Message undeliverable', error_data: { details: 'Not on one device.' } },
];
const at = 1_790_000_000;

/** The reports as one callback, or as one each in their order. */
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
    const answer = await postCallback(gateway, senderId, statusCallback(number.id, posted), secret);
    expect(answer.status).toBe(200);
  }
}

describe.each([
  ['together', true],
  ['one by one', false],
])('reported %s', (_how, together) => {
  it.each<[string, [string, number][], string[], string]>([
    [
      'a failure, then the delivery',
      [
        ['failed', 1],
        ['delivered', 2],
      ],
      ['failed', 'sent', 'delivered'],
      'delivered',
    ],
    [
      'sent, failed, then read',
      [
        ['sent', 0],
        ['failed', 1],
        ['read', 3],
      ],
      ['sent', 'failed', 'delivered', 'read'],
      'read',
    ],
    [
      'the delivery, then a failure',
      [
        ['delivered', 1],
        ['failed', 2],
      ],
      ['sent', 'delivered'],
      'delivered',
    ],
    [
      'sent, then failed',
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
    const told = events.map(({ json }) => (json as { data: { error: object; timestamp: number } }).data);
    if (stages.includes('failed'))
      expect(told).toMatchObject([{ error: { code: 131026, message: 'Not on one device.' } }]);
    else expect(told).toEqual([]);
  });
});
