// Numbers that the platform limited for a time: they are tried again, and no person has to resume them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSender, type Gateway, number, startGateway, waba } from '../harness/gateway.ts';
import { runChecks } from '../harness/numbers.ts';
import { messageOf, send, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;
beforeAll(async () => {
  gateway = await startGateway();
  const added = await addSender(gateway, templateKinds);
  senderId = added.senderId;
  templateId = added.templateIds.plain ?? '';
  const body = { url: gateway.receiver.hookUrl('senders'), events: ['senders.status'] };
  await gateway.call('POST', '/v1/webhooks/endpoints', { body });
});
afterAll(() => gateway?.close());

const senderNow = async () =>
  (await gateway.call<{ items: { status: string; haltedReason: string | null }[] }>('GET', '/v1/senders'))
    .body.data.items[0];
const statusNow = async () => (await senderNow())?.status;
const byItself = /checks of the number resume it/;
const changes = async () =>
  (await gateway.receiver.events({ hook: 'senders' })).flatMap(
    ({ json }) => (json as { data: { changed: { name: string; from: string; to: string }[] } }).data.changed,
  );

/** Halts the number by a rejected message; returns the message's id. */
async function halted(code: number, phone: string): Promise<string> {
  await gateway.platform.addFault({ code, on: 'messages', times: 1 });
  const headers = { Prefer: 'respond-async' };
  const { body } = await send(gateway, { templateId, recipients: [phone] }, { headers });
  await expect.poll(statusNow).toBe('halted');
  return body.data.messages[0]?.id ?? '';
}

/** As if the number had been halted so many minutes ago. */
const haltedAgo = (minutes: number) =>
  gateway.database.db
    .updateTable('senders')
    .set({ halted_at: new Date(Date.now() - minutes * 60_000) })
    .where('id', '=', senderId)
    .execute();

it('a number that was halted by a limit of its messages sends again once the platform lets it', async () => {
  const id = await halted(131048, '15553090001');
  expect((await senderNow())?.haltedReason).toMatch(byItself);
  await runChecks(gateway, senderId);
  expect(await statusNow()).toBe('halted');
  await haltedAgo(31);
  await gateway.platform.addNumber({ ...number, wabaId: waba, status: 'RESTRICTED' });
  await runChecks(gateway, senderId);
  expect(await statusNow()).toBe('halted');
  expect((await messageOf(gateway, id)).status).toBe('queued');
  await gateway.platform.addNumber({ ...number, wabaId: waba, status: 'CONNECTED' });
  await runChecks(gateway, senderId);
  expect(await statusNow()).toBe('active');
  await expect.poll(async () => (await messageOf(gateway, id)).status).toBe('read');
  const lastOf = async () => (await changes()).filter(({ name }) => name === 'status');
  await expect.poll(lastOf).toEqual([
    { name: 'status', from: 'active', to: 'halted' },
    { name: 'status', from: 'halted', to: 'active' },
  ]);
});

it('a business sends to more people than its messaging limit allows in a day, over several days', async () => {
  await gateway.platform.addNumber({ ...number, wabaId: waba, messagingLimit: 'TIER_250' });
  const recipients = Array.from({ length: 252 }, (_, index) => `1555400${1_000 + index}`);
  const { body } = await send(gateway, { templateId, recipients, expiresInSeconds: 86_400 });
  await expect.poll(statusNow).toBe('halted');
  const queued = async () =>
    (await gateway.call<{ counts: { queued?: number } }>('GET', `/v1/sends/${body.data.sendId}`)).body.data
      .counts.queued ?? 0;
  await expect.poll(queued).toBe(2);
  await haltedAgo(31);
  const { registration, messagingLimit } = await runChecks(gateway, senderId);
  expect(registration).toMatchObject({ status: 'failed', fix: expect.stringContaining('messaging limit') });
  expect(messagingLimit?.status).toBe('warning');
  expect(await statusNow()).toBe('halted');
  await gateway.platform.advanceClock(86_400_000);
  await runChecks(gateway, senderId);
  await expect.poll(queued).toBe(0);
});

it('a number that was halted for another reason waits for a person', async () => {
  await halted(131042, '15553090002');
  expect((await senderNow())?.haltedReason).not.toMatch(byItself);
  await haltedAgo(600);
  await runChecks(gateway, senderId);
  expect(await statusNow()).toBe('halted');
});
