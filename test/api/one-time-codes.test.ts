// Removal of one-time codes: no copy of a code remains after its message ended.
import { randomInt, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { tablesWith } from '../harness/canaries.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { messageOf, send, stagesUntil, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let templateId: string;
let senderId: string;
let secret: string;
let logged = '';
/** The codes by the results of their messages. */
const codes: Record<string, string> = {};
const ids: Record<string, string> = {};

beforeAll(async () => {
  const write = (line: string) => {
    logged += line;
  };
  const log = openLog('trace', { write });
  gateway = await startGateway({ log });
  const added = await addSender(gateway, templateKinds);
  templateId = added.templateIds.sign_in_code ?? '';
  senderId = added.senderId;
  secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
  await addEndpoint(gateway);
});
afterAll(() => gateway?.close());

let lastPhone = 15550710000;
/** Sends a new code; returns the message's id. */
async function sendCode(what: string, { phone = String(++lastPhone), expiresInSeconds = 600 } = {}) {
  codes[what] ??= newCode();
  const { body } = await send(
    gateway,
    { templateId, expiresInSeconds, recipients: [{ phone, variables: { '1': codes[what] } }] },
    { headers: { 'Idempotency-Key': randomUUID(), Prefer: 'respond-async' } },
  );
  const id = body.data.messages[0]?.id ?? '';
  ids[what] = id;
  return { id, sendId: body.data.sendId };
}
// long: a shorter one may be part of some id or time
const newCode = () => String(randomInt(10_000_000_000_000, 100_000_000_000_000));
const halt = (isHalted: boolean) =>
  sql`update senders set halted_at = case when ${isHalted} then now() end where id = ${senderId}`.execute(
    gateway.database.db,
  );
const ends = (id: string, status: string) =>
  expect.poll(async () => (await messageOf(gateway, id)).status).toBe(status);
const contentOf = async (id: string) => {
  const { rows } = await sql<{ content: object }>`select content from messages where id = ${id}`.execute(
    gateway.database.db,
  );
  return rows[0]?.content;
};
/** Makes the platform repeat the code in its next response, as it is and in base64. */
function echo(what: string, answer: (text: string) => object) {
  codes[what] = newCode();
  const text = `parameter ${codes[what]} (${Buffer.from(codes[what]).toString('base64')}) is not valid`;
  return gateway.platform.addFault({ on: 'messages', does: 'answer', times: 1, ...answer(text) });
}
const rejection = (code: number) => (text: string) => ({
  status: 400,
  body: {
    error: { code, message: text, type: 'OAuthException', error_data: { details: text }, fbtrace_id: 'x' },
  },
});

test('no table, log, response or event contains the code of a message that has ended', async () => {
  await ends((await sendCode('read')).id, 'read');
  await echo('rejected', rejection(131026));
  await ends((await sendCode('rejected')).id, 'failed');
  expect((await messageOf(gateway, ids.rejected ?? '')).error?.message).toContain('[secret]');
  await echo('accepted at the second attempt', rejection(131016));
  await ends((await sendCode('accepted at the second attempt')).id, 'read');

  await echo('unknown', (page) => ({ status: 502, page }));
  const unknown = await sendCode('unknown');
  await expect.poll(() => logged).toContain('message.outcome_unknown');
  expect(await contentOf(unknown.id)).toMatchObject({ body: [{ text: codes.unknown }] });
  // as if callbacks could have been received in the meantime
  await sql`delete from callback_outages`.execute(gateway.database.db);
  await sql`update messages set due_at = now() - interval '11 minutes' where id = ${unknown.id}`.execute(
    gateway.database.db,
  );
  await ends(unknown.id, 'failed');
  const [reported, open] = await Promise.all([
    sendCode('unknown, then reported', { phone: '15550000000403' }),
    sendCode('unknown at its expiry', { phone: '15560000000403' }),
  ]);
  await ends(reported.id, 'dispatching');
  const sent = statusCallback(number.id, [{ status: 'sent', id: 'wamid.LATE', opaque: reported.id }]);
  expect((await postCallback(gateway, senderId, sent, secret)).status).toBe(200);
  await ends(reported.id, 'sent');
  await ends(open.id, 'dispatching');
  await sql`update messages set expires_at = now() where id = ${open.id}`.execute(gateway.database.db);
  await expect.poll(() => contentOf(open.id)).toMatchObject({ removed: true });
  expect((await messageOf(gateway, open.id)).status).toBe('dispatching');

  await halt(true);
  const expired = await sendCode('expired', { expiresInSeconds: 1 });
  const cancelled = await sendCode('cancelled');
  await gateway.call('POST', `/v1/sends/${cancelled.sendId}/cancel`);
  await ends(cancelled.id, 'failed');
  await ends(expired.id, 'failed');
  await stagesUntil(gateway, expired.id, 'failed');

  for (const [what, id] of Object.entries(ids))
    expect([what, await contentOf(id)]).toEqual([
      what,
      { body: [{ text: '••••' }], buttons: [], removed: true },
    ]);
  expect(Object.keys(ids)).toHaveLength(8);
  expect(await tablesWith(gateway.database.db, codes)).toEqual([]);
  const messages = await gateway.call('GET', '/v1/messages?limit=100');
  const events = JSON.stringify(await gateway.receiver.events({}));
  expect(events).toContain('[secret]');
  for (const [what, code] of Object.entries(codes)) {
    expect([what, logged.split('\n').filter((line) => line.includes(code))]).toEqual([what, []]);
    expect([what, messages.text.includes(code), events.includes(code)]).toEqual([what, false, false]);
  }
});

test('a message whose code was removed is not resent', async () => {
  for (const what of ['rejected', 'cancelled', 'expired']) {
    const { status, body } = await gateway.call('POST', `/v1/messages/${ids[what]}/resend`);
    expect([what, status, body.code]).toEqual([what, 409, 'content_removed']);
  }
});
