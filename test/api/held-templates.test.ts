// Paused templates and throttled senders: messages wait, and are sent once the platform allows it.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSender, type Gateway, readTemplates, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;

beforeAll(async () => {
  gateway = await startGateway();
  const sender = await addSender(gateway, [
    {
      name: 'plain',
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello there.' }],
    },
  ]);
  senderId = sender.senderId;
  templateId = sender.templateIds.plain as string;
});
afterAll(() => gateway?.close());

interface Sent {
  queued: number;
  accepted: number;
  messages: { id: string; status: string }[];
}

/** Sends without waiting for the platform. */
const send = (phones: string[]) =>
  gateway.call<Sent>('POST', '/v1/templates/send', {
    body: { templateId, recipients: phones.map((phone) => ({ phone })) },
    headers: { Prefer: 'respond-async' },
  });
const statusOf = async (id: string) =>
  (await gateway.call<{ status: string }>('GET', `/v1/messages/${id}`)).body.data.status;

test('messages of a paused template are held, not failed, and are sent when it is approved again', async () => {
  await gateway.platform.addFault({ code: 132015, on: 'messages', times: 1 });
  const rejected = await send(['15550100001']);
  expect(rejected.body.data).toMatchObject({ queued: 1, accepted: 0 });
  const id = rejected.body.data.messages[0]?.id as string;
  const template = () => gateway.call<{ status: string }>('GET', `/v1/templates/${templateId}`);
  await expect.poll(async () => (await template()).body.data.status).not.toBe('approved');

  const again = await send(['15550100002']);
  expect(again.status).toBe(409);
  expect(again.body.code).toBe('template_not_approved');
  await expect.poll(() => statusOf(id)).toBe('queued');

  await readTemplates(gateway);
  await expect.poll(() => statusOf(id)).toMatch(/accepted|sent|delivered|read/);
  expect(await gateway.platform.ledger({ phone: '15550100001' })).toHaveLength(1);
});

test('a throttled sender slows down to half its rate and recovers', async () => {
  await gateway.platform.addFault({ code: 130429, on: 'messages', times: 1 });
  const throttled = await send(['15550100003']);
  const id = throttled.body.data.messages[0]?.id as string;
  const rate = async () => {
    const { rows } = await sql<{ slowed: number; rate: number }>`
      select slowed_to slowed, least(per_second, slowed_to * power(1.05, extract(epoch from now() - slowed_at)))::float8 rate
      from sender_paces where sender_id = ${senderId}`.execute(gateway.database.db);
    return rows[0] as { slowed: number; rate: number };
  };
  await expect.poll(async () => (await rate()).slowed).toBe(500);
  await expect.poll(() => statusOf(id)).toMatch(/accepted|sent|delivered|read/);
  await sql`update sender_paces set slowed_at = slowed_at - interval '20 seconds'`.execute(
    gateway.database.db,
  );
  expect((await rate()).rate).toBe(1000);
});
