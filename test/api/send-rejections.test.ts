// The effect of each class of rejection on its message and on others, end to end.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { addSender, type Gateway, readTemplates, startGateway } from '../harness/gateway.ts';
import { samples } from '../harness/sample-files.ts';
import { messageOf, send, templateKinds, uploadMedia } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

let gateway: Gateway;
let senderId: string;
let ids: Record<string, string>;
beforeAll(async () => {
  // long: requests must return as soon as no message can complete in time
  gateway = await startGateway({ settings: { SEND_WAIT_SECONDS: '20' } });
  ({ senderId, templateIds: ids } = await addSender(gateway, templateKinds));
});
afterEach(() => gateway.platform.clearFaults());
afterAll(() => gateway?.close());

const rowOf = async (id: string) =>
  (
    await sql<{ state: number; attempts: number; due_in: number; error: { code: number } | null }>`
      select state, attempts, extract(epoch from due_at - now())::float8 due_in, error from messages where id = ${id}`.execute(
      gateway.database.db,
    )
  ).rows[0];
/** Ends all delays: the messages and their sender's pace are due now. */
async function waited(...messages: string[]): Promise<void> {
  await sql`update sender_paces set tat = now(), slowed_to = null, slowed_at = null`.execute(
    gateway.database.db,
  );
  await sql`update messages set due_at = now() where id = any(${messages}::uuid[]) and state = 0`.execute(
    gateway.database.db,
  );
}

it.each([
  ['the hourly limit of the app', 4],
  ['the hourly limit of the business account', 80007],
  ['an upgrade of the number', 131057],
])('%s delays the sender by at least a minute, and then the message is sent', async (_what, code) => {
  await gateway.platform.addFault({ code, on: 'messages', times: 1 });
  const began = performance.now();
  const recipients = [`1555020${code}`, `1555021${code}`];
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients });
  // neither the rejected message nor the next one completes within 20 seconds
  expect(performance.now() - began).toBeLessThan(10_000);
  const rows = await Promise.all(body.data.messages.map(({ id }) => rowOf(id)));
  const message = body.data.messages[rows.findIndex((row) => row?.error)];
  expect(message?.status).toBe('queued');
  const row = await rowOf(message?.id ?? '');
  expect(row).toMatchObject({ state: 0, error: { code } });
  expect(row?.due_in).toBeGreaterThan(50);
  await waited(message?.id ?? '');
  await ends(message?.id ?? '', 'read');
});

it('an hourly limit never fails a message, however often it is reached', async () => {
  await gateway.platform.addFault({ code: 80007, on: 'messages', times: 3 });
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: ['15550210001'] });
  const id = body.data.messages[0]?.id ?? '';
  for (const attempts of [100, 1_000]) {
    // as if it had been reached that often
    await sql`update messages set attempts = ${attempts} where id = ${id}`.execute(gateway.database.db);
    await waited(id);
    await expect.poll(() => rowOf(id)).toMatchObject({ attempts: attempts + 1, state: 0 });
  }
  await waited(id);
  await expect.poll(async () => (await messageOf(gateway, id)).status).toBe('read');
});

/** Resolves when the message was rejected; in state 1 its call is under way. */
const rejectedOnce = (id: string) =>
  until(async () => {
    const { attempts = 0, state } = (await rowOf(id)) ?? {};
    expect(attempts > 0 && state !== 1).toBe(true);
  });
const statusOf = async (id: string) => (await messageOf(gateway, id)).status;
const ends = (id: string, status: string) => expect.poll(() => statusOf(id)).toBe(status);

it('a template unknown to the platform is held and read again; its message fails after three rejections', async () => {
  const template = async () =>
    (await gateway.call<{ status: string; rejectedReason: string }>('GET', `/v1/templates/${ids.plain}`)).body
      .data;
  await gateway.platform.addFault({ code: 132001, on: 'messages', times: 3 });
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: ['15550220001'] });
  const id = body.data.messages[0]?.id ?? '';
  expect(await rowOf(id)).toMatchObject({ state: 0, attempts: 1, error: { code: 132001 } });
  expect(await template()).toMatchObject({
    status: 'submitted',
    rejectedReason: expect.stringMatching(/^132001 /),
  });
  const { rows } = await sql<{ wanted: boolean }>`
    select wanted_at > begun_at wanted from template_readings`.execute(gateway.database.db);
  expect(rows).toEqual([{ wanted: true }]);
  // each reading returns it as approved, and the platform rejects it nevertheless
  await expect
    .poll(
      async () => {
        await readTemplates(gateway);
        return messageOf(gateway, id);
      },
      { interval: 200 },
    )
    .toMatchObject({ status: 'failed', attempts: 3, error: { code: 132001 } });
  await expect.poll(template).toMatchObject({ status: 'approved' });
});

it.each([['1, a possible server error', 1, 2]])(
  '%s, is retried only a few times',
  async (_what, code, tries) => {
    await gateway.platform.addFault({ code, on: 'messages', times: 3 });
    const [id = ''] = await queue([`155502300${tries}1`]);
    await rejectedOnce(id);
    await waited(id);
    await ends(id, 'failed');
    expect(await messageOf(gateway, id)).toMatchObject({ attempts: tries, error: { code } });
  },
);

it('a country that the business account may not message fails only that recipient', async () => {
  const recipients = ['15550233001', '15550001130497', '15550233002'];
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients });
  expect(body.data.messages.map(({ status }) => status)).toEqual(['accepted', 'failed', 'accepted']);
  expect(body.data.messages[1]?.error).toMatchObject({ code: 130497 });
  expect(await senderStatus()).toMatchObject({ status: 'active', haltedReason: null });
});

const senderStatus = async () =>
  (await gateway.call<{ items: { status: string; haltedReason: string | null }[] }>('GET', '/v1/senders'))
    .body.data.items[0];
const halted = () => expect.poll(senderStatus).toMatchObject({ status: 'halted' });
/** Sends without waiting for results; returns the messages' ids. */
async function queue(recipients: string[], more: object = {}): Promise<string[]> {
  const headers = { Prefer: 'respond-async' };
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients, ...more }, { headers });
  return body.data.messages.map(({ id }) => id);
}
const lift = () => gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { name: 'again' } });

it('lost access (100, subcode 33) halts the sender: its campaign waits, and continues with new access', async () => {
  await gateway.platform.addFault({ code: 100, subcode: 33, on: 'messages' });
  const recipients = Array.from({ length: 20 }, (_, index) => String(15550234000 + index));
  const messages = await queue(recipients);
  await halted();
  expect((await senderStatus())?.haltedReason).toMatch(/\(100 /);
  for (const id of messages) await ends(id, 'queued');
  await gateway.platform.clearFaults();
  await lift();
  await waited(...messages);
  await Promise.all(messages.map((id) => ends(id, 'read')));
  for (const id of messages) expect((await rowOf(id))?.attempts).toBe(1);
});

const page = '<html><head><title>x</title></head><body><h1>Blocked</h1> by policy 7</body></html>';

it.each([
  ['a firewall', 403, page],
  ['a proxy that requires a sign-in', 407, undefined],
])(
  '%s (HTTP %i) in between halts the sender with the response as its reason, and fails no message',
  async (_what, status, html) => {
    await gateway.platform.addFault({
      ...{ on: 'messages', does: 'answer', status },
      ...(html === undefined ? {} : { page: html }),
    });
    const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: [`15550235${status}`] });
    expect(body.data).toMatchObject({ queued: 1, failed: 0 });
    const halted = await senderStatus();
    expect(halted).toMatchObject({ status: 'halted' });
    expect(halted?.haltedReason).toMatch(`HTTP ${status} `);
    if (html !== undefined) expect(halted?.haltedReason).toContain('"Blocked by policy 7"');
    await gateway.platform.clearFaults();
    await lift();
    await waited(body.data.messages[0]?.id ?? '');
    await ends(body.data.messages[0]?.id ?? '', 'read');
  },
);

it('HTTP 429 without the platform’s JSON throttles the sender, and its message is sent later', async () => {
  await gateway.platform.addFault({
    ...{ on: 'messages', does: 'answer', status: 429, page, times: 1 },
    headers: { 'retry-after': '55' },
  });
  const [id = ''] = await queue(['15550236001']);
  await expect.poll(() => rowOf(id)).toMatchObject({ state: 0, error: { code: 429 } });
  expect((await rowOf(id))?.due_in).toBeGreaterThan(20);
  await waited(id);
  await ends(id, 'read');
});

it('a page with HTTP 200 may hide an accepted message: it stays unknown, and the sender is halted', async () => {
  await gateway.platform.addFault({
    ...{ on: 'messages', does: 'answer', when: 'after', status: 200, page, times: 1 },
  });
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: ['15550237001'] });
  const id = body.data.messages[0]?.id ?? '';
  await ends(id, 'read');
  expect(await gateway.platform.ledger({ opaque: id })).toHaveLength(1);
  await halted();
  expect((await senderStatus())?.haltedReason).toContain('HTTP 200');
  await lift();
});

it.each([408, 502, 503])(
  'HTTP %i without the platform’s JSON leaves the message unknown, never failed or sent twice',
  async (status) => {
    await gateway.platform.addFault({
      ...{ on: 'messages', does: 'answer', when: 'after', status, page, times: 1 },
    });
    const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: [`15550238${status}`] });
    const id = body.data.messages[0]?.id ?? '';
    await ends(id, 'read');
    expect(await gateway.platform.ledger({ opaque: id })).toHaveLength(1);
    expect(await senderStatus()).toMatchObject({ status: 'active' });
  },
);

it('a media id that the platform no longer knows (100) is registered again once, however recent', async () => {
  await gateway.platform.settings({ lostMediaCode: 100 });
  const mediaId = await uploadMedia(gateway, samples.png, 'lost.png', 'image/png');
  const before = (await gateway.platform.media()).length;
  await gateway.platform.forgetMedia(mediaId);
  const recipients = ['15550239001', '15550239002'];
  const messages = await queue(recipients, { templateId: ids.photo ?? '', mediaId });
  await Promise.all(messages.map(rejectedOnce));
  await waited(...messages);
  await Promise.all(messages.map((id) => ends(id, 'read')));
  expect(await gateway.platform.media()).toHaveLength(before);
  // rejected under its new id too: the message fails, and the file is not uploaded again and again
  const lost = '(#100) Param x is not a valid whatsapp business account media attachment ID';
  await gateway.platform.addFault({ code: 100, message: lost, on: 'messages', times: 2 });
  const [id = ''] = await queue(['15550239003'], { templateId: ids.photo ?? '', mediaId });
  await rejectedOnce(id);
  await waited(id);
  await ends(id, 'failed');
  expect(await messageOf(gateway, id)).toMatchObject({ attempts: 2, error: { code: 100 } });
  await gateway.platform.settings({ lostMediaCode: 131053 });
});

it('a file that the platform lost early is registered again, and the message is sent', async () => {
  const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
  const before = (await gateway.platform.media()).length;
  await sql`update media_registrations set expires_at = expires_at - interval '2 hours'`.execute(
    gateway.database.db,
  );
  await gateway.platform.addFault({ code: 131053, on: 'messages', times: 1 });
  const [id = ''] = await queue(['15550230001'], { templateId: ids.photo ?? '', mediaId });
  await rejectedOnce(id);
  await waited(id);
  await expect.poll(async () => (await messageOf(gateway, id)).status).toBe('read');
  expect(await gateway.platform.media()).toHaveLength(before + 1);
});

it('a file that the platform rejects right after its registration fails its message', async () => {
  const mediaId = await uploadMedia(gateway, samples.png, 'b.png', 'image/png');
  await gateway.platform.addFault({ code: 131053, on: 'messages', times: 1 });
  const { body } = await send(gateway, { templateId: ids.photo ?? '', mediaId, recipients: ['15550240001'] });
  expect(body.data.messages[0]).toMatchObject({ status: 'failed', error: { code: 131053 } });
});

it('a file is registered for each sender that uses it, under one mediaId of its account', async () => {
  const mediaId = await uploadMedia(gateway, samples.png, 'c.png', 'image/png');
  const { wabaId = '' } = (await gateway.platform.state()).numbers[0] ?? {};
  const second = await gateway.platform.addNumber({ wabaId });
  const body = {
    ...{ name: 'second', phoneNumberId: second.id, businessAccountId: wabaId, accessToken: 'test-token' },
    ...{ appSecret: '315490ac490cfc7c3c5e4bf869b69dab', verifyToken: 'x' },
  };
  const other = (await gateway.call<{ _id: string }>('POST', '/v1/senders', { body })).body.data._id;
  for (const [index, from] of [senderId, other, senderId, other].entries()) {
    const sent = await send(gateway, {
      templateId: ids.photo ?? '',
      ...{ mediaId, senderId: from, recipients: [`1555025000${index}`] },
    });
    expect(sent.body.data.messages[0]?.status, sent.text).toBe('accepted');
  }
  const ledger = await gateway.platform.ledger();
  const sentBy = (index: number) => ledger.find(({ phone }) => phone === `1555025000${index}`);
  const fileOf = (index: number) =>
    (sentBy(index)?.components as { parameters: { image: { id: string } }[] }[] | undefined)?.[0]
      ?.parameters[0]?.image.id;
  expect(fileOf(0)).toBe(mediaId);
  expect(fileOf(2)).toBe(mediaId);
  expect(fileOf(1)).not.toBe(mediaId);
  expect(fileOf(3)).toBe(fileOf(1));
  expect((await gateway.platform.media()).find(({ id }) => id === fileOf(1))?.phoneNumberId).toBe(second.id);
});
