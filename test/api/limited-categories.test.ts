// The platform's limit on a category of templates (131064): their messages wait without calls, and others are sent.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';
import { messageOf, send } from '../harness/sends.ts';

const template = (name: string, category: string) => ({
  ...{ name, category, language: 'en_US', status: 'APPROVED' },
  components: [{ type: 'BODY', text: 'Hello there.' }],
});

let gateway: Gateway;
let senderId: string;
let ids: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  ({ senderId, templateIds: ids } = await addSender(gateway, [
    template('receipt', 'UTILITY'),
    template('reminder', 'UTILITY'),
    template('offer', 'MARKETING'),
  ]));
  await gateway.platform.settings({ keepCalls: 1_000 });
});
afterEach(() => gateway.platform.clearFaults());
afterAll(() => gateway?.close());

const callsTo = async (phone: string) =>
  (await gateway.platform.calls()).filter((call) => call.phone === `+${phone}`).length;
const ends = (id: string) =>
  expect.poll(async () => (await messageOf(gateway, id)).status, { timeout: 20_000 }).toBe('read');
const limitEnds = (inSeconds: number) =>
  sql`update templates set limited_until = now() + ${inSeconds} * interval '1 second' where limited_until is not null`.execute(
    gateway.database.db,
  );

it('holds the category in its business account without further calls, until its time is over', async () => {
  await gateway.platform.addFault({ code: 131064, on: 'messages', times: 1 });
  const first = (await send(gateway, { templateId: ids.receipt ?? '', recipients: ['15550232001'] })).body
    .data;
  expect(first).toMatchObject({ queued: 1, accepted: 0 });
  const [rejected = ''] = first.messages.map(({ id }) => id);
  expect(await messageOf(gateway, rejected)).toMatchObject({ attempts: 0, error: { code: 131064 } });

  // the same and another template of the category wait, and their request is answered immediately
  const began = performance.now();
  const waiting = await Promise.all(
    ['receipt', 'reminder'].map(async (name, index) => {
      const recipients = [`1555023201${index}`];
      const { body } = await send(gateway, { templateId: ids[name] ?? '', recipients });
      expect(body.data).toMatchObject({ queued: 1, accepted: 0 });
      return body.data.messages[0]?.id ?? '';
    }),
  );
  expect(performance.now() - began).toBeLessThan(5_000);
  // another category is sent
  const offer = await send(gateway, { templateId: ids.offer ?? '', recipients: ['15550232020'] });
  expect(offer.body.data).toMatchObject({ accepted: 1 });
  await ends(offer.body.data.messages[0]?.id ?? '');
  expect(await Promise.all(['15550232010', '15550232011'].map(callsTo))).toEqual([0, 0]);
  expect(await callsTo('15550232001')).toBe(1);
  // the templates are approved all the time
  const { body } = await gateway.call<{ items: { status: string }[] }>('GET', '/v1/templates');
  expect(body.data.items.map(({ status }) => status)).toEqual(['approved', 'approved', 'approved']);

  await limitEnds(0);
  for (const id of [rejected, ...waiting]) await ends(id);
  expect(await Promise.all(['15550232001', '15550232010', '15550232011'].map(callsTo))).toEqual([2, 1, 1]);
});

it('holds for an hour, and leaves templates of other business accounts alone', async () => {
  await gateway.platform.addFault({ code: 131064, on: 'messages', times: 1 });
  await send(gateway, { templateId: ids.reminder ?? '', recipients: ['15550232030'] });
  const { rows } = await sql<{ name: string; minutes: number }>`
    select name, round(extract(epoch from limited_until - now()) / 60)::int as minutes from templates
    where limited_until > now() order by name`.execute(gateway.database.db);
  expect(rows).toEqual([
    { name: 'receipt', minutes: 60 },
    { name: 'reminder', minutes: 60 },
  ]);
  await limitEnds(0);
});

describe('reported by callback', () => {
  /** Sends a message that the platform accepts and never reports on. */
  const accepted = async () => {
    const recipients = [`${70_000 + phones++}0000000204`];
    const { body } = await send(gateway, { templateId: ids.receipt ?? '', recipients });
    const [message] = body.data.messages;
    expect(message).toMatchObject({ status: 'accepted' });
    return { id: message?.messageId ?? '', opaque: message?.id ?? '' };
  };
  /** Reports the limit for a message, as of `ago` seconds before now. */
  const reportLimit = async (message: { id: string; opaque: string }, ago: number) => {
    const secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
    const errors = [{ code: 131064, title: 'Template messaging limit reached' }];
    const timestamp = Math.floor(Date.now() / 1000) - ago;
    const callback = statusCallback(number.id, [{ ...message, status: 'failed', timestamp, errors }]);
    expect((await postCallback(gateway, senderId, callback, secret)).status).toBe(200);
    expect(await messageOf(gateway, message.opaque)).toMatchObject({ status: 'failed' });
  };
  const held = async () => {
    const { rows } = await sql<{ name: string; minutes: number }>`
      select name, ceil(extract(epoch from limited_until - now()) / 60)::int as minutes from templates
      where limited_until > now() order by name`.execute(gateway.database.db);
    return rows.map(({ name, minutes }) => `${name} ${minutes}`);
  };
  let phones = 0;

  it('holds the category for the rest of an hour after the failure', async () => {
    await reportLimit(await accepted(), 1_200);
    expect(await held()).toEqual(['receipt 40', 'reminder 40']);
    // a message of it waits without a call
    const { body } = await send(gateway, { templateId: ids.reminder ?? '', recipients: ['15550232040'] });
    expect(body.data).toMatchObject({ queued: 1 });
    expect(await callsTo('15550232040')).toBe(0);
    await limitEnds(0);
    await ends(body.data.messages[0]?.id ?? '');
  });

  it('holds nothing for a report that is late by hours', async () => {
    await reportLimit(await accepted(), 7_200);
    expect(await held()).toEqual([]);
  });

  it('does not shorten a longer hold', async () => {
    const [early, late] = [await accepted(), await accepted()];
    await reportLimit(early, 10);
    await reportLimit(late, 1_800);
    expect(await held()).toEqual(['receipt 60', 'reminder 60']);
    await limitEnds(0);
  });
});

it('calls few of many messages while the limit is still reached', async () => {
  const recipients = Array.from({ length: 300 }, (_, index) => `15550233${String(index).padStart(3, '0')}`);
  await gateway.platform.addFault({ code: 131064, on: 'messages', times: 1_000 });
  const before = (await gateway.platform.calls()).length;
  const { body } = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', {
    headers: { Prefer: 'respond-async' },
    body: { templateId: ids.receipt, senderId, recipients: recipients.map((phone) => ({ phone })) },
  });
  const parked = async () => {
    const { rows } = await sql<{ parked: number }>`
      select count(*)::int as parked from messages where id = any(${body.data.messages.map(({ id }) => id)}::uuid[])
        and state = 0 and due_at >= expires_at`.execute(gateway.database.db);
    return rows[0]?.parked;
  };
  await expect.poll(parked, { timeout: 20_000 }).toBe(recipients.length);
  expect((await gateway.platform.calls()).length - before).toBeLessThan(200);
});
