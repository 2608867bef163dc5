// A number whose messaging limit is reached: its templates wait, and it still answers people who wrote.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Gateway, number, waba } from '../harness/gateway.ts';
import { runChecks } from '../harness/numbers.ts';
import { type Replies, startReplies } from '../harness/replies.ts';
import { messageOf, send } from '../harness/sends.ts';

let replies: Replies;
let gateway: Gateway;
let senderId: string;
let templateId: string;
beforeAll(async () => {
  replies = await startReplies();
  ({ gateway, senderId } = replies);
  templateId = replies.templateIds.plain ?? '';
  const body = { url: gateway.receiver.hookUrl('senders'), events: ['senders.status'] };
  await gateway.call('POST', '/v1/webhooks/endpoints', { body });
});
afterEach(async () => {
  await gateway.platform.clearFaults();
  expect((await gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { name: 'Resumed' } })).status).toBe(
    200,
  );
});
afterAll(() => gateway?.close());

const limitReached = 131048;
const tokenInvalid = 190;

interface Sender {
  status: string;
  haltedScope: string | null;
  haltedCode: number | null;
  haltedReason: string | null;
}
async function sender(): Promise<Sender | undefined> {
  return (await gateway.call<{ items: Sender[] }>('GET', '/v1/senders')).body.data.items[0];
}
const scopeNow = async () => (await sender())?.haltedScope;
const statusOf = async (id: string) => (await messageOf(gateway, id)).status;

/** A template whose call is rejected with this code; returns the message's id. */
async function rejected(code: number): Promise<string> {
  await gateway.platform.addFault({ code, on: 'messages', times: 1 });
  return queued();
}

/** A template to somebody; returns the message's id. */
async function queued(): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  const { body } = await send(gateway, { templateId, recipients: [replies.newPhone()] }, { headers });
  return body.data.messages[0]?.id ?? '';
}

/** Somebody writes; resolves with their phone. */
async function someone(): Promise<string> {
  const phone = replies.newPhone();
  await replies.writes(phone);
  return phone;
}

it('a number at its messaging limit keeps templates and still answers people who wrote', async () => {
  await gateway.platform.addNumber({ ...number, wabaId: waba, messagingLimit: 'TIER_250' });
  const recipients = Array.from({ length: 252 }, (_, index) => `1555410${1_000 + index}`);
  const { body } = await send(gateway, { templateId, recipients, expiresInSeconds: 86_400 });
  await expect.poll(sender).toMatchObject({ status: 'halted', haltedScope: 'templates' });
  expect((await sender())?.haltedReason).toMatch(
    /rejected templates of this number .* Its replies continue\./,
  );
  const { body: answer } = await replies.reply({ phone: await someone(), text: 'We are here.' });
  expect(answer.data.status).toBe('accepted');
  await replies.eventsUntil(answer.data.messageId ?? '', 'read');
  const { counts } = (
    await gateway.call<{ counts: { queued: number } }>('GET', `/v1/sends/${body.data.sendId}`)
  ).body.data;
  expect(counts.queued).toBe(2);
  expect(await scopeNow()).toBe('templates');
  await gateway.platform.addNumber({ ...number, wabaId: waba, messagingLimit: 'TIER_UNLIMITED' });
});

it('the queue of a number whose templates are halted delivers the replies behind them', async () => {
  const template = await rejected(limitReached);
  await expect.poll(scopeNow).toBe('templates');
  const behind = await queued();
  const phone = await someone();
  // its second attempt comes from the queue
  await gateway.platform.addFault({ code: 130429, on: 'messages', times: 1 });
  const { body } = await replies.reply({ phone, text: 'Soon.' }, { headers: { Prefer: 'respond-async' } });
  await expect.poll(() => statusOf(body.data.id), { timeout: 15_000 }).toBe('read');
  expect([await statusOf(template), await statusOf(behind)]).toEqual(['queued', 'queued']);
});

it('a reply that the platform rejects for the same reason stops the replies too, until the checks resume the number', async () => {
  await rejected(limitReached);
  await expect.poll(scopeNow).toBe('templates');
  const phone = await someone();
  await gateway.platform.addFault({ code: limitReached, on: 'messages', times: 1 });
  const { body } = await replies.reply({ phone, text: 'Hello' }, { headers: { Prefer: 'respond-async' } });
  await expect.poll(scopeNow).toBe('all');
  expect((await replies.reply({ phone, text: 'Hello again' })).body.data.status).toBe('queued');
  expect(await statusOf(body.data.id)).toBe('queued');
  const changes = (await gateway.receiver.events({ hook: 'senders' })).flatMap(
    ({ json }) => (json as { data: { changed: object[] } }).data.changed,
  );
  expect(changes).toContainEqual({ name: 'haltedScope', from: 'templates', to: 'all' });
  await gateway.database.db
    .updateTable('senders')
    .set({ halted_at: new Date(Date.now() - 31 * 60_000) })
    .where('id', '=', senderId)
    .execute();
  await runChecks(gateway, senderId);
  await expect.poll(() => statusOf(body.data.id)).toBe('read');
  expect(await sender()).toMatchObject({ status: 'active', haltedScope: null });
});

it('a rejected token stops the replies of a number whose templates are halted, and the reason is the newer one', async () => {
  await rejected(limitReached);
  await expect.poll(scopeNow).toBe('templates');
  const phone = await someone();
  await gateway.platform.addFault({ code: tokenInvalid, on: 'messages', times: 1 });
  await replies.reply({ phone, text: 'Hello' }, { headers: { Prefer: 'respond-async' } });
  await expect.poll(sender).toMatchObject({ haltedScope: 'all', haltedCode: tokenInvalid });
});

it('a limit that is reported later does not let the replies of a halted number leave', async () => {
  await rejected(131042);
  await expect.poll(sender).toMatchObject({ haltedScope: 'all', haltedCode: 131042 });
  // the platform reports whole seconds: make the report later than the last change
  await gateway.platform.advanceClock(2_000);
  await gateway.platform.reportProblem(number.id, limitReached);
  await replies.writes(replies.newPhone());
  expect(await sender()).toMatchObject({ haltedScope: 'all', haltedCode: 131042 });
});

it('a limit that is reported for the number halts its templates only', async () => {
  await gateway.platform.advanceClock(2_000);
  await gateway.platform.reportProblem(number.id, limitReached);
  await expect.poll(sender).toMatchObject({ haltedScope: 'templates', haltedCode: limitReached });
});
