// Repeating a send with its key: the same response, byte for byte, and never a second message.
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { state } from '../../src/messaging/messages/message.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { samples } from '../harness/sample-files.ts';
import { send, templateKinds } from '../harness/sends.ts';
import { leaveUnanswered } from '../harness/unanswered.ts';

let gateway: Gateway;
let templateId: string;
let otherTemplateId: string;
let gone: string;

beforeAll(async () => {
  gateway = await startGateway();
  const { templateIds } = await addSender(gateway, templateKinds);
  templateId = templateIds.plain ?? '';
  otherTemplateId = templateIds.waiting ?? '';
  gone = templateIds.named ?? '';
});
afterAll(() => gateway?.close());

let lastPhone = 15550300000;
function phone(): string {
  lastPhone += 1;
  return String(lastPhone);
}
const keyed = (key: string, body: object, headers: Record<string, string> = {}) =>
  send(gateway, { templateId, recipients: [], ...body }, { headers: { 'Idempotency-Key': key, ...headers } });
const sentTo = async (to: string) => (await gateway.platform.ledger({ phone: to })).length;

test('the same key and body return the stored response, marked as a replay', async () => {
  const [key, to] = [randomUUID(), phone()];
  const first = await keyed(key, { recipients: [to, '15550001131049'] });
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
  const repeats = await Promise.all([
    keyed(key, { recipients: [to, '15550001131049'] }),
    keyed(`"${key.toUpperCase()}"`, { recipients: [{ phone: to }, { phone: '15550001131049' }] }),
  ]);
  for (const repeat of repeats) {
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(repeat.text).toBe(first.text);
    expect(repeat.headers.get('content-type')).toBe(first.headers.get('content-type'));
  }
  expect(await sentTo(to)).toBe(1);
});

test('the stored response is returned whatever has changed since', async () => {
  const [key, to] = [randomUUID(), phone()];
  const first = await keyed(key, { recipients: [to] });
  await sql`update templates set status = 'submitted' where id = ${templateId}`.execute(gateway.database.db);
  expect((await keyed(key, { recipients: [to] })).text).toBe(first.text);
  await sql`update templates set status = 'approved' where id = ${templateId}`.execute(gateway.database.db);
});

test('a repeat with null for a field that the first request left out returns the stored response', async () => {
  const [key, to] = [randomUUID(), phone()];
  const first = await keyed(key, { recipients: [{ phone: to }] });
  const again = await keyed(key, { name: null, sendAt: null, recipients: [{ phone: to, name: null }] });
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect((await keyed(key, { recipients: [{ phone: to, name: 'Ada' }] })).status).toBe(422);
});

test('another body under the same key is rejected', async () => {
  const key = randomUUID();
  await keyed(key, { recipients: [phone()] });
  const other = await keyed(key, { recipients: [phone()] });
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
});

test('the same key of another account is a different key', async () => {
  const [key, to] = [randomUUID(), phone()];
  await keyed(key, { recipients: [to] });
  const other = await send(
    gateway,
    { templateId, recipients: [to] },
    { key: await gateway.otherAccount(), headers: { 'Idempotency-Key': key } },
  );
  expect(other.body.code).toBe('template_not_found');
});

test('a rejected request stores nothing and leaves its key free', async () => {
  const [key, to] = [randomUUID(), phone()];
  expect((await keyed(key, { recipients: ['+1'] })).status).toBe(400);
  expect((await keyed(key, { recipients: [to], templateId: otherTemplateId })).status).toBe(409);
  expect((await keyed(key, { recipients: [to] })).status).toBe(200);
  expect(await sentTo(to)).toBe(1);
});

test('a send whose template is deleted while it is stored leaves its key free', async () => {
  const { db } = gateway.database;
  const key = randomUUID();
  const variables = { first_name: 'Ada', day: 'Friday' };
  const to = { templateId: gone, recipients: [{ phone: phone(), variables }] };
  const begun = await db.transaction().execute(async (tx) => {
    await sql`delete from templates where id = ${gone}`.execute(tx);
    const response = keyed(key, to);
    const waiting = async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      );
      return rows.length;
    };
    await expect.poll(waiting).toBeGreaterThan(0);
    return { response };
  });
  expect((await begun.response).body.code).toBe('template_not_found');
  expect((await keyed(key, { recipients: [phone()] })).status).toBe(200);
});

test('an empty Idempotency-Key, or two of them, is 400 and sends nothing', async () => {
  const to = phone();
  const [one, two] = [randomUUID(), randomUUID()];
  const body = JSON.stringify({ templateId, recipients: [{ phone: to }] });
  for (const keys of [[''], ['  '], ['\t'], [one, two], [one, one], ['', one], [one, '']]) {
    const response = await new Promise<string>((resolve, reject) => {
      const headers = {
        'X-API-Key': gateway.apiKey,
        'Content-Type': 'application/json',
        'Idempotency-Key': keys,
      };
      const call = request(`${gateway.url}/v1/templates/send`, { method: 'POST', headers }, (incoming) =>
        text(incoming).then((sent) => resolve(`${incoming.statusCode} ${sent}`), reject),
      );
      call.once('error', reject).end(body);
    });
    expect(response).toMatch(/^400 .*"code":"idempotency_key_invalid"/);
  }
  expect(await sentTo(to)).toBe(0);
});

test('a repeat during the first request gets 409, and concurrent equal requests send once', async () => {
  const [key, to] = [randomUUID(), phone()];
  await gateway.platform.addFault({ on: 'messages', does: 'delay', ms: 60_000, times: 1 });
  let rejections = 0;
  const repeats = Array.from({ length: 8 }, async () => {
    const response = await keyed(key, { recipients: [to] });
    if (response.status === 409) rejections += 1;
    return response;
  });
  await expect.poll(() => rejections).toBe(7);
  await gateway.platform.clearFaults();
  const responses = await Promise.all(repeats);
  const [winner, ...more] = responses.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  const losers = responses.filter(({ status }) => status !== 200);
  expect(losers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
    losers.map(() => '409 idempotency_in_progress'),
  );
  for (const { headers } of losers) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await keyed(key, { recipients: [to] })).text).toBe(winner?.text);
  expect(await sentTo(to)).toBe(1);
});

test('the response to a single message is its acceptance, which is stored nowhere else', async () => {
  const [key, to] = [randomUUID(), phone()];
  const first = await keyed(key, { recipients: [to] });
  const { rows } =
    await sql`select from idempotency_keys where key = ${key} and status is null and body is null`.execute(
      gateway.database.db,
    );
  expect(rows).toHaveLength(1);
  // as the reports of a message that was accepted, and could not be delivered
  const [message] = first.body.data.messages;
  await sql`update messages set state = ${state.failed}, error = '{"code": 131026}' where id = ${message?.id}`.execute(
    gateway.database.db,
  );
  const repeat = await keyed(key, { recipients: [to] }, { Prefer: 'respond-async' });
  expect([repeat.status, repeat.text, repeat.headers.get('idempotency-replayed')]).toEqual([
    200,
    first.text,
    'true',
  ]);
  expect(await sentTo(to)).toBe(1);
});

test('a single message that the platform rejects, or that is still queued, has its response stored', async () => {
  for (const [to, prefer] of [
    ['15550001131049', 'wait=9'],
    [phone(), 'respond-async'],
  ] as const) {
    const key = randomUUID();
    const first = await keyed(key, { recipients: [to] }, { Prefer: prefer });
    const repeat = await keyed(key, { recipients: [to] });
    expect([repeat.status, repeat.text]).toEqual([first.status, first.text]);
    const { rows } =
      await sql`select from idempotency_keys where key = ${key} and body = ${first.text}`.execute(
        gateway.database.db,
      );
    expect(rows).toHaveLength(1);
  }
});

test('after the lease of the first request, a repeat continues the same send', async () => {
  const [key, to] = [randomUUID(), phone()];
  const first = await keyed(key, { recipients: [to] });
  // as after a crash between the send and the response
  await sql`update idempotency_keys set status = null, body = null, answered_by = null, leased_until = now() where key = ${key}`.execute(
    gateway.database.db,
  );
  const repeats = await Promise.all([keyed(key, { recipients: [to] }), keyed(key, { recipients: [to] })]);
  const continued = repeats.filter(({ status }) => status === 200);
  expect(continued.length).toBeGreaterThanOrEqual(1);
  for (const { body } of continued) expect(body.data.sendId).toBe(first.body.data.sendId);
  expect((await keyed(key, { recipients: [to] })).text).toBe(continued[0]?.text);
  expect(await sentTo(to)).toBe(1);
});

test('a repeat continues the same send as soon as the process of the first request has ended, also of a scheduled one', async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  for (const more of [{}, { sendAt }]) {
    const [key, to] = [randomUUID(), phone()];
    const first = await keyed(key, { recipients: [to], ...more });
    await leaveUnanswered(gateway.database.db, key);
    const repeat = await keyed(key, { recipients: [to], ...more });
    expect([repeat.status, repeat.body.data?.sendId]).toEqual([first.status, first.body.data.sendId]);
    const started =
      'sendAt' in more ? `scheduled for ${sendAt}: 1 recipient.` : 'sent to 1 recipient: 1 accepted.';
    for (const { body } of [first, repeat]) expect(body.message).toBe(`Template ${started}`);
    expect((await keyed(key, { recipients: [to], ...more })).text).toBe(repeat.text);
    expect(await sentTo(to)).toBe('sendAt' in more ? 0 : 1);
  }
  // less than requests wait for results: a scheduled send has none to wait for
}, 15_000);

test('after a day the key has expired and a repeat is a new send', async () => {
  const [key, to] = [randomUUID(), phone()];
  const first = await keyed(key, { recipients: [to] });
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = ${key}`.execute(
    gateway.database.db,
  );
  const later = await keyed(key, { recipients: [to] });
  expect(later.body.data.sendId).not.toBe(first.body.data.sendId);
  expect(await sentTo(to)).toBe(2);
});

test('a 202 is replayed unchanged', async () => {
  const [key, to] = [randomUUID(), phone()];
  const first = await keyed(key, { recipients: [to] }, { Prefer: 'respond-async' });
  const repeat = await keyed(key, { recipients: [to] });
  expect([first.status, repeat.status, repeat.text]).toEqual([202, 202, first.text]);
});

test('a key that is not a UUID is rejected before the body is checked', async () => {
  for (const key of ['7', 'x'.repeat(36), `${randomUUID()}, ${randomUUID()}`]) {
    const response = await keyed(key, { recipients: [] });
    expect([response.status, response.body.code]).toEqual([400, 'idempotency_key_invalid']);
  }
});

test('an upload and a resend accept a key, as the interface document says', async () => {
  const { paths } = JSON.parse((await gateway.call('GET', '/openapi.json')).text) as {
    paths: Record<string, { post?: { parameters?: { name: string; required?: boolean }[] } }>;
  };
  for (const path of ['/v1/templates/media', '/v1/messages/{id}/resend'])
    expect(paths[path]?.post?.parameters).toContainEqual(
      expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }),
    );
  const headers = { 'Idempotency-Key': randomUUID() };
  const upload = () => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(samples.pdf)], { type: 'application/pdf' }), 'a.pdf');
    return gateway.call('POST', '/v1/templates/media', { body, headers });
  };
  const [first, repeat] = [await upload(), await upload()];
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
  expect([repeat.text, repeat.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  // the call of a process that has ended may still reach the platform, so only the time counts
  await leaveUnanswered(gateway.database.db, headers['Idempotency-Key']);
  expect((await upload()).body.code).toBe('idempotency_in_progress');
});
