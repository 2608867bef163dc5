// Reports of throttling, for a message or for the whole number: the number slows down as after a rejected call.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { send, templateKinds } from '../harness/sends.ts';

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
});
beforeEach(() =>
  sql`update sender_paces set slowed_to = null, slowed_at = null, slowed_code = null, tat = now()`.execute(
    gateway.database.db,
  ),
);
afterAll(() => gateway?.close());

const pace = async () => {
  type Sender = { pace: { throttledUntil: string | null; code: number | null } };
  const { body } = await gateway.call<{ items: Sender[] }>('GET', '/v1/senders');
  return body.data.items[0]?.pace;
};
const tooFast = [{ code: 130429, title: 'Rate limit hit' }];
const slowed = { code: 130429, throttledUntil: expect.any(String) };
const notSlowed = { code: null, throttledUntil: null };

/** Sends a message that is accepted, and reports its failure as of `ago` seconds before now. */
async function reportFailure(ago: number): Promise<void> {
  const { body } = await send(gateway, { templateId, recipients: ['15550000000204'] });
  const [message] = body.data.messages;
  const failed = { status: 'failed', id: message?.messageId ?? '', opaque: message?.id ?? '' };
  const timestamp = Math.floor(Date.now() / 1000) - ago;
  const callback = statusCallback(number.id, [{ ...failed, timestamp, errors: tooFast }]);
  expect((await postCallback(gateway, senderId, callback, secret)).status).toBe(200);
}

it('slows down the number of a message that failed because of it', async () => {
  await reportFailure(0);
  expect(await pace()).toMatchObject(slowed);
});

it('halves the rate once for the reports that come within seconds', async () => {
  const { db } = gateway.database;
  const rate = async () =>
    (await db.selectFrom('sender_paces').select('slowed_to').executeTakeFirstOrThrow()).slowed_to;
  await reportFailure(0);
  const halved = await rate();
  expect(halved).toEqual(expect.any(Number));
  await sql`update sender_paces set slowed_at = slowed_at - interval '3 seconds'`.execute(db);
  await reportFailure(0);
  expect(await rate()).toBe(halved);
});

it('slows down the number of an error that is not about one message', async () => {
  await gateway.platform.reportProblem(number.id, 130429);
  await expect.poll(pace).toMatchObject(slowed);
});

it('slows down nothing for a report that is late by minutes', async () => {
  await reportFailure(120);
  expect(await pace()).toMatchObject(notSlowed);
});
