// The simulated webhook receiver: verification, ledger, faults, and HTML page.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { receiverControl } from '../../sandbox/control.ts';
import { startReceiver } from '../../sandbox/receiver/server.ts';
import { verify } from '../../sandbox/receiver/verify.ts';
import type { RunningServer } from '../../sandbox/server.ts';

let receiver: RunningServer;
let control: ReturnType<typeof receiverControl>;
const secret = 'whsec_c2VjcmV0';

beforeAll(async () => {
  receiver = await startReceiver();
  control = receiverControl(receiver.url);
  await control.setSecrets('main', secret);
});
beforeEach(async () => {
  await control.clear();
  await control.clearFaults();
});
afterAll(() => receiver.close());

const sign = (body: string, key = secret) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
const event = (messageId: string, status = 'sent') =>
  JSON.stringify({
    event: 'messages.status',
    timestamp: '2026-11-21T00:00:00Z',
    data: { messageId, status },
  });

function post(
  body: string,
  signature: string | null = sign(body),
  hook = 'main',
  header = 'x-webhook-signature',
) {
  return fetch(control.hookUrl(hook), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signature !== null && { [header]: signature }) },
    body,
  });
}

test('returns 200 {"received": true} for a correctly signed event', async () => {
  const response = await post(event('m1'));
  expect([response.status, await response.json()]).toEqual([200, { received: true }]);
});

test('verifies the published test vector', () => {
  const header = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  const body = Buffer.from('Hello, World!');
  expect(verify(header, ["It's a Secret to Everybody"], body)).toEqual({ status: 200 });
  expect(verify(header, ['another'], body)).toMatchObject({ status: 401 });
});

test.each<[what: string, status: number, signature: string | null, hook: string]>([
  ['no header', 401, null, 'main'],
  ['no header, even where no secret is set', 401, null, 'unset'],
  ['no secret', 500, 'sha256=00', 'unset'],
  ['too few digits', 401, `sha256=${'a'.repeat(63)}`, 'main'],
  ['digits that are not hex', 401, `sha256=${'g'.repeat(64)}`, 'main'],
  ['a digest of another secret', 401, sign(event('m1'), 'other'), 'main'],
  ['a digest of another body', 401, sign(event('m2')), 'main'],
])('%s: returns %i', async (_what, status, signature, hook) => {
  const response = await post(event('m1'), signature, hook);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: expect.any(String) });
  expect(await control.events()).toMatchObject([{ verified: false, answered: status }]);
});

test('each hook has its own secrets, several during a rotation, and the header’s name is configurable', async () => {
  await control.setSecrets('second', 'one');
  expect((await post('{}', sign('{}'), 'second')).status).toBe(401);
  await control.addSecret('second', secret);
  expect((await post('{}', sign('{}'), 'second')).status).toBe(200);
  expect((await post('{}', sign('{}', 'one'), 'second')).status).toBe(200);
  await control.settings({ signatureHeader: 'X-Other-Signature' });
  expect((await post('{}', sign('{}'))).status).toBe(401);
  expect((await post('{}', sign('{}'), 'main', 'x-other-signature')).status).toBe(200);
  await control.settings({ signatureHeader: 'x-webhook-signature' });
});

test('the ledger keeps body and headers, and can be searched by message, kind, status, hook and since', async () => {
  for (const [id, status] of [
    ['m1', 'sent'],
    ['m1', 'read'],
    ['m10', 'sent'],
  ] as const)
    await post(event(id, status));
  await post('not json', sign('not json'));
  await control.setSecrets('second', secret);
  await post(event('m1', 'delivered'), undefined, 'second');
  const words = (events: Awaited<ReturnType<typeof control.events>>) => events.map((got) => got.seq);
  const all = await control.events();
  const [first] = all;
  expect(all).toHaveLength(5);
  expect(first).toMatchObject({
    hook: 'main',
    verified: true,
    body: event('m1'),
    json: JSON.parse(event('m1')),
  });
  expect(first?.headers['x-webhook-signature']).toBe(sign(event('m1')));
  const seq = (i: number) => all[i]?.seq;
  expect(words(await control.events({ messageId: 'm1' }))).toEqual([seq(0), seq(1), seq(4)]);
  expect(words(await control.events({ messageId: 'm1', status: 'read' }))).toEqual([seq(1)]);
  expect(words(await control.events({ hook: 'second' }))).toEqual([seq(4)]);
  expect(await control.events({ kind: 'messages.status' })).toHaveLength(4);
  expect(await control.events({ kind: 'templates.status' })).toHaveLength(0);
  expect(words(await control.events({ since: seq(3) ?? 0 }))).toEqual([seq(4)]);
  expect(await control.counts()).toMatchObject({ received: 5, verified: 5 });
});

test('a waiting call returns the next matching event, or an empty list after its time', async () => {
  const waiting = control.events({ messageId: 'late', waitSeconds: 20 });
  await post(event('early'));
  await post(event('late', 'read'));
  expect(await waiting).toMatchObject([{ json: { data: { messageId: 'late', status: 'read' } } }]);
  expect(await control.events({ messageId: 'late', waitSeconds: 20 })).toHaveLength(1);
  expect(await control.events({ messageId: 'never', waitSeconds: 0.05 })).toEqual([]);
});

test('keeps at most as many requests as configured', async () => {
  await control.settings({ keepEntries: 10 });
  for (let i = 0; i < 60; i++) await post(event(`m${i}`));
  expect((await control.counts()).received).toBe(60);
  expect((await control.counts()).kept).toBeLessThan(30);
  expect((await control.events()).at(-1)?.json).toMatchObject({ data: { messageId: 'm59' } });
  await control.settings({ keepEntries: 20_000 });
});

test('injects a status with headers, hang, reset, close, drip and delay, and records each in the ledger', async () => {
  await control.addFault({ does: 'answer', status: 503, headers: { 'retry-after': '9' }, times: 1 });
  const refused = await post(event('f1'));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '9']);
  for (const does of ['reset', 'close'] as const) {
    await control.addFault({ does, times: 1 });
    await expect(post(event('f2'))).rejects.toThrow();
  }
  await control.addFault({ does: 'hang', times: 1 });
  const gone = new AbortController();
  const hanging = fetch(control.hookUrl('main'), { method: 'POST', body: '{}', signal: gone.signal });
  const fails = expect(hanging).rejects.toThrow();
  await expect.poll(async () => (await control.events()).at(-1)?.answered).toBe('hang');
  gone.abort();
  await fails;
  await control.addFault({ does: 'drip', ms: 5, times: 1 });
  const dripping = await post(event('f3'));
  const reader = dripping.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toMatch(/^\.+$/);
  await reader?.cancel();
  await control.addFault({ does: 'delay', ms: 50, times: 1 });
  const from = performance.now();
  expect((await post(event('f4'))).status).toBe(200);
  expect(performance.now() - from).toBeGreaterThanOrEqual(45);
  const answered = (await control.events()).map((got) => got.answered);
  expect(answered).toEqual([503, 'reset', 'close', 'hang', 'drip 200', 200]);
});

test('a fault can affect one hook only', async () => {
  await control.setSecrets('second', secret);
  await control.addFault({ on: 'second', does: 'answer', status: 410 });
  expect((await post(event('a'))).status).toBe(200);
  expect((await post(event('a'), undefined, 'second')).status).toBe(410);
});

test('the page shows the latest events with their content escaped', async () => {
  const body = JSON.stringify({ event: '<script>alert(1)</script>' });
  await post(body);
  const page = await fetch(receiver.url);
  const html = await page.text();
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(html).toContain('1 received, 1 with a valid signature');
  expect(html).not.toContain('<script>alert');
});

test('rejects requests that are not a POST to a hook', async () => {
  expect((await fetch(control.hookUrl('main'))).status).toBe(405);
  expect((await fetch(`${receiver.url}/elsewhere`)).status).toBe(404);
});
