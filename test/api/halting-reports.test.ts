// A report of failure that concerns the whole number halts it; late reports of what went before it was mended do not.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { messageOf, send, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;
let secret: string;
beforeAll(async () => {
  gateway = await startGateway({ settings: { SEND_WAIT_SECONDS: '1' } });
  const added = await addSender(gateway, templateKinds);
  senderId = added.senderId;
  templateId = added.templateIds.plain ?? '';
  secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
});
afterAll(() => gateway?.close());

interface Sender {
  status: string;
  haltedReason: string | null;
}
const sender = async () =>
  (await gateway.call<{ items: Sender[] }>('GET', '/v1/senders')).body.data.items[0] as Sender;
let phones = 0;
/** A message that the platform takes, and of which it then never says a word: every report is ours. */
async function taken() {
  const { body } = await send(gateway, { templateId, recipients: [`${50_000 + phones++}0000000204`] });
  const [message] = body.data.messages;
  return { id: message?.id ?? '', wamid: message?.messageId ?? '' };
}
const fail = (one: { id: string; wamid: string }, errors: object[]) =>
  postCallback(
    gateway,
    senderId,
    statusCallback(number.id, [{ status: 'failed', id: one.wamid, opaque: one.id, errors }]),
    secret,
  );
const unpaid = [
  { code: 131042, title: 'Business eligibility payment issue', error_data: { details: 'Pay first.' } },
];

it('a failure of the message alone, or without a reason, halts nothing', async () => {
  await fail(await taken(), [{ code: 131026, title: 'Undeliverable' }]);
  await fail(await taken(), []);
  expect(await sender()).toMatchObject({ status: 'active' });
});

it('one for want of payment halts the number: what comes after waits, and goes on once it is mended', async () => {
  const [one, late] = [await taken(), await taken()];
  await fail(one, unpaid);
  expect(await messageOf(gateway, one.id)).toMatchObject({ status: 'failed', error: { code: 131042 } });
  await expect.poll(sender).toMatchObject({
    status: 'halted',
    haltedReason: expect.stringMatching(/131042 .*Pay first/),
  });
  const { body } = await send(gateway, { templateId, recipients: ['15551000001'] });
  expect(body.data).toMatchObject({ queued: 1, accepted: 0 });

  expect((await gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { name: 'Paid' } })).status).toBe(
    200,
  );
  const waiting = body.data.messages[0]?.id ?? '';
  await expect.poll(async () => (await messageOf(gateway, waiting)).status, { timeout: 10_000 }).toBe('read');
  // taken before the halt was lifted: its failure is its own
  await fail(late, unpaid);
  expect(await messageOf(gateway, late.id)).toMatchObject({ status: 'failed' });
  expect(await sender()).toMatchObject({ status: 'active' });
  // taken after it: the number is no better
  await fail(await taken(), unpaid);
  await expect.poll(sender).toMatchObject({ status: 'halted' });
});
