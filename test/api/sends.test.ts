// Sends as resources: schedule, pause, resume, cancel, list.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { messageOf, send, stagesUntil, templateKinds, unusedSlotsEnded } from '../harness/sends.ts';
import { wrongCounts } from '../harness/statistics.ts';
import { until as untilPasses } from '../harness/until.ts';

interface Send {
  sendId: string;
  name: string | null;
  state: string;
  total: number;
  counts: Record<string, number>;
  sendAt: string | null;
  expiresAt: string | null;
  pausedReason: string | null;
  perSecond: number;
  estimatedDoneAt: string | null;
}

let gateway: Gateway;
let ids: Record<string, string>;
let senderId: string;
beforeAll(async () => {
  gateway = await startGateway();
  const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::a'] } };
  const pictured = { name: 'pictured', components: [header, { type: 'BODY', text: 'Hello there.' }] };
  ({ templateIds: ids, senderId } = await addSender(gateway, [...templateKinds, pictured]));
  await addEndpoint(gateway);
});
afterEach(async () => {
  await setPace(1000);
  await gateway.platform.clearFaults();
});
afterAll(() => gateway?.close());

let lastPhone = 15550800000;
const phones = (count: number) => Array.from({ length: count }, () => String(++lastPhone));
const setPace = (perSecond: number) =>
  gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { messagesPerSecond: perSecond } });
const sendOf = async (id: string) => (await gateway.call<Send>('GET', `/v1/sends/${id}`)).body.data;
const act = (id: string, action: string) => gateway.call<Send>('POST', `/v1/sends/${id}/${action}`);
const until = (condition: () => Promise<boolean>) =>
  untilPasses(async () => expect(await condition()).toBe(true));
const sent = async (to: string[]) =>
  (await Promise.all(to.map((phone) => gateway.platform.ledger({ phone })))).map((one) => one.length);
const inState = (id: string, state: string) => until(async () => (await sendOf(id)).state === state);
/** Makes the time of a send come. */
async function comeDue(id: string, time: 'send_at' | 'expires_at' = 'send_at'): Promise<void> {
  await sql`update sends set ${sql.ref(time)} = now() where id = ${id}`.execute(gateway.database.db);
  await sql`update send_feeds set due_at = now() where send_id = ${id}`.execute(gateway.database.db);
}
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
const kept = async (id: string) =>
  (
    await sql<{ n: number }>`select count(*)::int n from send_recipients where send_id = ${id}`.execute(
      gateway.database.db,
    )
  ).rows[0]?.n;

/** A send that has not got far: its sender takes one message a second. */
async function slowSend(count: number, more: object = {}) {
  await setPace(1).then(unusedSlotsEnded);
  const to = phones(count);
  const { body } = await send(
    gateway,
    { templateId: ids.plain ?? '', recipients: to, ...more },
    { headers: { Prefer: 'respond-async' } },
  );
  return { id: body.data.sendId, to, messages: body.data.messages };
}

test('a scheduled send waits apart from the queue, starts at its time, and its messages keep their ids', async () => {
  const to = phones(3);
  const { status, body } = await send(gateway, {
    templateId: ids.plain ?? '',
    recipients: to,
    name: 'June sale',
    sendAt: ahead(60_000),
  });
  expect([status, body.data.queued]).toEqual([200, 3]);
  const { sendId: id, messages } = body.data;
  expect(await sendOf(id)).toMatchObject({ state: 'scheduled', name: 'June sale', counts: { waiting: 3 } });
  expect(await sent(to)).toEqual([0, 0, 0]);
  expect(await messageOf(gateway, messages[0]?.id ?? '')).toMatchObject({
    status: 'queued',
    messageId: null,
  });
  await comeDue(id);
  await inState(id, 'done');
  expect(await sent(to)).toEqual([1, 1, 1]);
  const message = await messageOf(gateway, messages[0]?.id ?? '');
  expect(await stagesUntil(gateway, message.messageId ?? '', 'read')).toEqual(['sent', 'delivered', 'read']);
  expect((await sendOf(id)).counts.waiting).toBe(0);
});

test('a pause stops calls, moves what is queued out of the queue, and a resumed send loses and doubles nothing', async () => {
  const { id, to, messages } = await slowSend(12);
  const paused = await act(id, 'pause');
  expect([paused.status, paused.body.data.state]).toEqual([200, 'paused']);
  // what the process has claimed leaves it at the pace
  await setPace(1000);
  await until(async () => {
    const { counts } = await sendOf(id);
    return !counts.queued && !counts.dispatching;
  });
  const before = await sent(to);
  const { counts } = await sendOf(id);
  expect(counts.waiting).toBe(12 - before.filter((n) => n > 0).length);
  expect(await kept(id)).toBe(counts.waiting);
  expect((await act(id, 'pause')).status).toBe(200);
  expect(await sent(to)).toEqual(before);
  expect((await act(id, 'start')).body.code).toBe('send_state_conflict');

  expect((await act(id, 'resume')).status).toBe(200);
  await inState(id, 'done');
  expect(await sent(to)).toEqual(to.map(() => 1));
  const { rows } = await sql<{ id: string; phone: string }>`
    select id, phone from messages where send_id = ${id} order by position`.execute(gateway.database.db);
  expect(rows).toEqual(messages.map((one) => ({ id: one.id, phone: one.recipientPhone })));
  for (const action of ['start', 'pause', 'resume', 'cancel'])
    expect([action, (await act(id, action)).body.code]).toEqual([action, 'send_state_conflict']);
  expect(await wrongCounts(gateway.database.db)).toEqual([]);
});

test('a cancelled paused send fails its recipients with their events, and a second cancellation changes nothing', async () => {
  const { id, messages } = await slowSend(12);
  await act(id, 'pause').then(() => setPace(1000));
  await until(async () => (await sendOf(id)).counts.waiting !== 0);
  expect((await act(id, 'cancel')).body.data.state).toBe('cancelled');
  await until(async () => (await sendOf(id)).counts.waiting === 0);
  const last = messages.at(-1)?.id ?? '';
  expect(await messageOf(gateway, last)).toMatchObject({ status: 'failed', error: { code: 900003 } });
  const [event] = await gateway.receiver.events({ messageId: last, status: 'failed', waitSeconds: 30 });
  expect(event?.verified).toBe(true);
  expect((await act(id, 'cancel')).status).toBe(200);
  expect((await act(id, 'resume')).body.code).toBe('send_state_conflict');
});

test('a paused send expires, with an event for each recipient', async () => {
  const { id, messages } = await slowSend(8, { expiresInSeconds: 600 });
  await act(id, 'pause').then(() => setPace(1000));
  await until(async () => (await sendOf(id)).counts.waiting !== 0);
  expect((await sendOf(id)).expiresAt).not.toBeNull();
  await comeDue(id, 'expires_at');
  await inState(id, 'done');
  const last = messages.at(-1)?.id ?? '';
  expect(await messageOf(gateway, last)).toMatchObject({ status: 'failed', error: { code: 900002 } });
  expect(await gateway.receiver.events({ messageId: last, status: 'failed', waitSeconds: 30 })).toHaveLength(
    1,
  );
});

test('a scheduled send whose template changed is paused with the reason, and is not resumed', async () => {
  const to = phones(1);
  const { body } = await send(gateway, {
    templateId: ids.named ?? '',
    recipients: [{ phone: to[0], variables: { first_name: 'A', day: 'B' } }],
    sendAt: ahead(60_000),
  });
  const id = body.data.sendId;
  await sql`
    update templates set components = components || '[{"type": "FOOTER", "text": "New"}]', components_changed_at = now()
    where id = ${ids.named}`.execute(gateway.database.db);
  await comeDue(id);
  await inState(id, 'paused');
  expect(await sendOf(id)).toMatchObject({ pausedReason: 'template_changed', counts: { waiting: 1 } });
  expect((await act(id, 'resume')).body.code).toBe('template_changed');
  expect(await sent(to)).toEqual([0]);
});

test('a scheduled send starts although the platform shows the sample of its header at another address', async () => {
  const to = phones(1);
  const { body } = await send(gateway, {
    templateId: ids.pictured ?? '',
    recipients: to,
    headerMediaUrl: 'https://shop.example/a.png',
    sendAt: ahead(60_000),
  });
  const addressOf = async () =>
    (await gateway.call('GET', `/v1/templates/${ids.pictured}`)).text.match(/oh=\w+/)?.[0];
  const before = await addressOf();
  await sql`update templates set read_due_at = now() where id = ${ids.pictured}`.execute(gateway.database.db);
  await until(async () => (await addressOf()) !== before);
  await comeDue(body.data.sendId);
  await inState(body.data.sendId, 'done');
  expect(await sent(to)).toEqual([1]);
});

test('a scheduled send can be started now', async () => {
  const to = phones(2);
  const { body } = await send(gateway, {
    templateId: ids.plain ?? '',
    recipients: to,
    sendAt: ahead(60_000),
  });
  expect((await act(body.data.sendId, 'resume')).body.code).toBe('send_state_conflict');
  expect((await act(body.data.sendId, 'start')).status).toBe(200);
  await inState(body.data.sendId, 'done');
  expect(await sent(to)).toEqual([1, 1]);
});

test('what a scheduled send names cannot be removed', async () => {
  await send(gateway, {
    templateId: ids.sale ?? '',
    recipients: [
      {
        phone: phones(1)[0],
        variables: { 'header.1': 'A', 'body.1': 'B', 'body.2': 'C', 'buttons.1.1': 'd', 'buttons.2.1': 'E' },
      },
    ],
    sendAt: ahead(60_000),
  });
  expect((await gateway.call('DELETE', `/v1/senders/${senderId}`)).body.code).toBe('sender_in_use');
  expect((await gateway.call('DELETE', `/v1/templates/${ids.sale}`)).body.code).toBe('template_in_use');
  expect((await gateway.call('DELETE', `/v1/templates/${ids.sale}?cancelQueued=true`)).body.code).toBe(
    'template_in_use',
  );
});

test('sendAt is at most 90 days ahead, a past instant sends now, and codes cannot be scheduled', async () => {
  const request = { templateId: ids.plain ?? '', recipients: phones(1) };
  const late = await send(gateway, { ...request, sendAt: ahead(90 * 86_400_000 + 60_000) });
  expect([late.status, late.body.errors?.[0]?.path]).toEqual([400, 'sendAt']);
  const edge = await send(gateway, { ...request, sendAt: ahead(90 * 86_400_000 - 60_000) });
  expect([edge.status, edge.body.data.queued]).toEqual([200, 1]);
  const past = await send(gateway, { ...request, recipients: phones(1), sendAt: ahead(-1000) });
  expect(past.body.data.accepted).toBe(1);
  const code = { phone: phones(1)[0], variables: { '1': '123456' } };
  const codes = await send(gateway, {
    templateId: ids.sign_in_code ?? '',
    recipients: [code],
    sendAt: ahead(5000),
  });
  expect([codes.status, codes.body.errors?.[0]?.path]).toEqual([400, 'sendAt']);
});

test('a repeated key returns the scheduled send again, also when its first response was lost', async () => {
  const key = randomUUID();
  const request = { templateId: ids.plain ?? '', recipients: phones(2), sendAt: ahead(60_000) };
  const first = await send(gateway, request, { headers: { 'Idempotency-Key': key } });
  const again = await send(gateway, request, { headers: { 'Idempotency-Key': key } });
  expect(again.text).toBe(first.text);
  await sql`update idempotency_keys set status = null, body = null, leased_until = now() where key = ${key}`.execute(
    gateway.database.db,
  );
  const continued = await send(gateway, request, {
    headers: { 'Idempotency-Key': key, Prefer: 'respond-async' },
  });
  expect(continued.body.data).toEqual(first.body.data);
});

test('the list shows named and scheduled sends, every send with kind=all, and filters', async () => {
  const named = await send(gateway, { templateId: ids.plain ?? '', recipients: phones(1), name: 'Named' });
  const plain = await send(gateway, { templateId: ids.plain ?? '', recipients: phones(1) });
  const list = async (query: string) =>
    (
      await gateway.call<{ items: Send[]; pagination: { nextCursor: string | null } }>(
        'GET',
        `/v1/sends?${query}`,
      )
    ).body.data;
  const idsOf = async (query: string) => (await list(query)).items.map((one) => one.sendId);
  expect((await idsOf(''))[0]).toBe(named.body.data.sendId);
  expect(await idsOf('')).not.toContain(plain.body.data.sendId);
  expect((await idsOf('kind=all')).slice(0, 2)).toEqual([plain.body.data.sendId, named.body.data.sendId]);
  expect(await idsOf('kind=all&state=done&limit=2')).toEqual([
    plain.body.data.sendId,
    named.body.data.sendId,
  ]);
  expect(await idsOf(`state=done&templateId=${ids.sale}`)).toEqual([]);
  expect(await idsOf(`kind=all&senderId=${randomUUID()}`)).toEqual([]);
  expect(await idsOf(`from=${ahead(60_000)}`)).toEqual([]);
  for (const { state } of (await list('state=scheduled')).items) expect(state).toBe('scheduled');
  const page = await list('kind=all&limit=1');
  const next = await list(`kind=all&limit=1&cursor=${page.pagination.nextCursor}`);
  expect(next.items[0]?.sendId).toBe(named.body.data.sendId);
  const other = await gateway.otherAccount();
  const theirs = await gateway.call<{ items: Send[] }>('GET', '/v1/sends?kind=all', { key: other });
  expect(theirs.body.data.items).toEqual([]);
  for (const action of ['pause', 'resume', 'cancel'])
    expect(
      (await gateway.call('POST', `/v1/sends/${named.body.data.sendId}/${action}`, { key: other })).status,
    ).toBe(404);
});

test('login codes leave immediately while a send of the same number is under way', async () => {
  // under way for longer than a send waits
  const { id } = await slowSend(400);
  await setPace(5);
  const code = { phone: phones(1)[0] ?? '', variables: { '1': '123456' } };
  const { body } = await send(gateway, { templateId: ids.sign_in_code ?? '', recipients: [code] });
  expect(body.data.accepted).toBe(1);
  const summary = await sendOf(id);
  expect(summary.state).toBe('sending');
  expect(summary.perSecond).toBeGreaterThanOrEqual(0);
  await act(id, 'cancel');
});
