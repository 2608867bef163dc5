// The simulated platform's callbacks and control API: signatures, batches, retries, holds, the ledger, and faults.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  appId,
  messageTo,
  numberId,
  plain,
  startCallbackServer,
  startPlatform,
  token,
  wabaId,
} from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  // one person gets more messages here than the pair rate allows
  platform = await startPlatform({ settings: { pairRate: false } });
  await platform.control.addTemplate({ ...plain, category: 'MARKETING' });
});
beforeEach(async () => {
  platform.callbackServer.respondWith = () => 200;
  await platform.control.clearLedger();
});
afterAll(() => platform.close());

const phone = '+919811112222';
const sendOne = async (more = {}) =>
  (await platform.send(phone, undefined, more)).json.messages[0].id as string;
const three = (wamid: string) =>
  platform.callbackServer.until(
    () => new Set(platform.callbackServer.statuses(wamid).map((s) => s.status)).size === 3,
  );

test('each status is a separate signed POST with the opaque data, the price and the platform’s fields', async () => {
  const wamid = await sendOne({ biz_opaque_callback_data: 'row-17' });
  await three(wamid);
  const mine = platform.callbackServer.callbacks.filter((c) => c.statuses.some((s) => s.id === wamid));
  expect(mine.map((c) => c.statuses.length)).toEqual([1, 1, 1]);
  expect(mine.every((c) => c.signed)).toBe(true);
  expect(mine[0]?.value.metadata).toEqual({
    display_phone_number: '912255500100',
    phone_number_id: numberId,
  });
  const person = {
    profile: { name: 'Ada Lovelace' },
    wa_id: '919811112222',
    user_id: expect.stringMatching(/^US\.\d+$/),
  };
  expect(mine.map((c) => c.value.contacts)).toEqual([[person], [person], [person]]);
  const of = (word: string) => platform.callbackServer.statuses(wamid).find((s) => s.status === word);
  const common = { id: wamid, recipient_id: '919811112222', biz_opaque_callback_data: 'row-17' };
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' };
  const timestamp = expect.stringMatching(/^\d{10}$/);
  expect(of('sent')).toEqual({ ...common, status: 'sent', timestamp, pricing });
  expect(of('delivered')).toEqual({ ...common, status: 'delivered', timestamp, pricing });
  expect(of('read')).toEqual({ ...common, status: 'read', timestamp });
});

test('a status names the person by the id under which they wrote', async () => {
  const from = { phone: '919811112277', userId: 'US.4711' };
  const text = { text: { body: 'Hello' } };
  await platform.control.write(numberId, { messages: [{ from, kind: 'text', with: text }] });
  const { json } = await platform.send(`+${from.phone}`);
  const wamid = json.messages[0].id;
  const contactsOf = () =>
    platform.callbackServer.callbacks.find((one) => one.statuses.some(({ id }) => id === wamid))?.value
      .contacts;
  await platform.callbackServer.until(() => contactsOf() !== undefined);
  expect(contactsOf()).toMatchObject([{ wa_id: from.phone, user_id: 'US.4711' }]);
});

test('the posted bytes are pure ASCII, and the signature covers exactly these bytes', async () => {
  const opaque = 'ä 🎉 हिन्दी';
  const wamid = await sendOne({ biz_opaque_callback_data: opaque });
  await three(wamid);
  const [callback] = platform.callbackServer.callbacks.filter((c) => c.statuses.some((s) => s.id === wamid));
  expect(callback?.raw).toMatch(/^[\x20-\x7e]+$/);
  expect(callback?.raw).toContain('\\u00e4 \\ud83c\\udf89');
  expect(callback?.signed).toBe(true);
  expect(callback?.statuses[0]?.biz_opaque_callback_data).toBe(opaque);
});

test('statuses of several numbers can be posted in batches', async () => {
  const second = await platform.control.addNumber({ wabaId, displayPhoneNumber: '+1 555 010 0400' });
  await platform.control.settings({ batchSize: 100, batchWaitMs: 50 });
  const before = platform.callbackServer.callbacks.length;
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      platform.call('POST', `${i % 2 ? second.id : numberId}/messages`, messageTo(phone)),
    ),
  );
  const wamids = new Set(answers.map((a) => a.json.messages[0].id));
  const mine = () => platform.callbackServer.statuses().filter((s) => wamids.has(s.id));
  await platform.callbackServer.until(() => mine().length === 120);
  const posts = platform.callbackServer.callbacks.slice(before);
  expect(posts.length).toBeLessThan(20);
  expect(posts.every((c) => c.signed)).toBe(true);
  expect(Math.max(...posts.map((c) => c.statuses.length))).toBeLessThanOrEqual(100);
  await platform.control.settings({ batchSize: 1 });
});

test('a callback is retried until it gets a 200, and the ledger shows the status of each attempt', async () => {
  await platform.control.settings({ retryDelaysMs: [0, 5, 5, 5] });
  let failures = 0;
  platform.callbackServer.respondWith = () =>
    failures++ < 4 ? ([500, 404, 302, 204][failures - 1] ?? 500) : 200;
  const wamid = await sendOne();
  await three(wamid);
  const answered = async () => (await platform.control.ledger({ wamid }))[0]?.steps.map((s) => s.answers);
  await expect.poll(async () => (await answered())?.flat().filter((a) => a === 200).length).toBe(3);
  expect((await answered())?.flat().sort()).toEqual([200, 200, 200, 204, 302, 404, 500]);
});

test('a callback is given up after the last retry', async () => {
  await platform.control.settings({ retryDelaysMs: [0] });
  platform.callbackServer.respondWith = () => 503;
  const wamid = await sendOne();
  await expect.poll(async () => (await platform.control.counts()).callbacksOpen).toBe(0);
  const [message] = await platform.control.ledger({ wamid });
  expect(message?.steps.map((s) => s.answers)).toEqual([
    [503, 503],
    [503, 503],
    [503, 503],
  ]);
  expect((await platform.control.counts()).callbacksPosted).toBe(0);
});

test('held callbacks are posted when they are released', async () => {
  await platform.control.settings({ holdCallbacks: true });
  const wamid = await sendOne();
  expect((await platform.control.counts()).callbacksOpen).toBe(3);
  expect(platform.callbackServer.statuses(wamid)).toEqual([]);
  await platform.control.settings({ holdCallbacks: false });
  await three(wamid);
});

test('a subscription requires a reachable address that returns the bare challenge for the right token', async () => {
  const other = await startCallbackServer('another-token');
  await expect(platform.control.subscribe(appId, other.url, 'wrong')).rejects.toThrow(
    /couldn't be validated/,
  );
  await expect(platform.control.subscribe(appId, 'http://127.0.0.1:1/none', 'x')).rejects.toThrow(
    /ECONNREFUSED/,
  );
  await expect(platform.control.subscribe(appId, 'not a url', 'x')).rejects.toThrow(/callbackUrl/);
  await platform.control.subscribe(appId, other.url, 'another-token');
  const wamid = await sendOne();
  await other.until(() => other.statuses(wamid).length === 3);
  await platform.control.unsubscribe(appId);
  await sendOne();
  await expect.poll(async () => (await platform.control.counts()).callbacksOpen).toBe(0);
  expect(other.callbacks).toHaveLength(3);
  await platform.control.subscribe(appId, platform.callbackServer.url, 'verify-me');
  await other.close();
});

test('the ledger can be searched by phone, opaque data and wamid, counts repeats, and can be cleared', async () => {
  const first = await sendOne({ biz_opaque_callback_data: 'a' });
  await sendOne({ biz_opaque_callback_data: 'a' });
  await platform.send('+15550109999', undefined, { biz_opaque_callback_data: 'b' });
  const { control } = platform;
  expect(await control.ledger({ wamid: first })).toMatchObject([
    {
      phone: '919811112222',
      templateName: 'plain',
      opaque: 'a',
      messageStatus: 'accepted',
      category: 'MARKETING',
    },
  ]);
  expect(await control.ledger({ opaque: 'a' })).toHaveLength(2);
  expect(await control.ledger({ phone: '15550109999' })).toHaveLength(1);
  const [one] = await control.ledger({ limit: 1 });
  expect(await control.ledger({ after: one?.seq ?? 0 })).toHaveLength(2);
  expect(await control.counts()).toMatchObject({ accepted: 3, kept: 3, repeatedOpaque: 1 });
  await control.clearLedger();
  expect(await control.counts()).toMatchObject({ accepted: 0, kept: 0, repeatedOpaque: 0 });
});

test('the ledger keeps at most as many entries and details as configured', async () => {
  const body = { type: 'BODY', text: 'Hi {{1}}, hello.' };
  await platform.control.addTemplate({ wabaId, name: 'one', components: [body] });
  await platform.control.settings({ ledgerEntries: 30, ledgerDetail: 10 });
  for (let i = 0; i < 50; i++)
    await platform.send(phone, [{ type: 'body', parameters: [{ type: 'text', text: `n${i}` }] }], {
      template: { name: 'one' },
    });
  const kept = await platform.control.ledger();
  expect(kept).toHaveLength(30);
  expect(kept.map((message) => message.components !== null)).toEqual([
    ...Array(20).fill(false),
    ...Array(10).fill(true),
  ]);
  expect(kept.at(-1)?.components).toEqual([{ type: 'body', parameters: [{ type: 'text', text: 'n49' }] }]);
  expect((await platform.control.counts()).accepted).toBe(50);
  await expect
    .poll(async () => (await platform.control.ledger({ limit: 1 }))[0])
    .toMatchObject({ steps: [], callbacksPosted: 3 });
  await platform.control.settings({ ledgerEntries: 200_000, ledgerDetail: 20_000 });
});

test('a fault affects the kind of calls that it names, the given number of times', async () => {
  const { control } = platform;
  await control.addFault({ on: 'messages', code: 131016, times: 2 });
  expect((await platform.call('GET', numberId)).status).toBe(200);
  for (let i = 0; i < 2; i++)
    expect(await platform.send(phone)).toMatchObject({ status: 500, json: { error: { code: 131016 } } });
  expect((await platform.send(phone)).status).toBe(200);

  await control.addFault({
    on: 'templates',
    does: 'answer',
    status: 429,
    headers: { 'retry-after': '7' },
    times: 1,
  });
  const limited = await fetch(`${platform.url}/v23.0/${wabaId}/message_templates`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([limited.status, limited.headers.get('retry-after'), await limited.text()]).toEqual([429, '7', '']);

  await control.addFault({ does: 'reset', times: 1 });
  await expect(platform.call('GET', numberId)).rejects.toThrow();
  await control.addFault({ on: 'messages', does: 'hang', times: 1 });
  const gone = new AbortController();
  const hanging = platform.call('POST', `${numberId}/messages`, messageTo(phone), gone.signal);
  const fails = expect(hanging).rejects.toThrow();
  await expect.poll(() => control.faults()).toEqual([]);
  gone.abort();
  await fails;
  expect(await control.ledger()).toHaveLength(1);

  await control.addFault({ on: 'messages', does: 'close', when: 'after', times: 1 });
  await expect(platform.send(phone)).rejects.toThrow();
  expect(await control.ledger()).toHaveLength(2);

  await control.addFault({ on: 'objects', does: 'delay', ms: 60, times: 1 });
  const from = performance.now();
  expect((await platform.call('GET', numberId)).status).toBe(200);
  expect(performance.now() - from).toBeGreaterThanOrEqual(55);

  await control.addFault({ on: 'messages', code: 4, share: 0.5 });
  const codes = await Promise.all(
    Array.from({ length: 60 }, async () => (await platform.send(phone)).status),
  );
  expect(new Set(codes)).toEqual(new Set([200, 400]));
  await control.clearFaults();
  expect((await platform.send(phone)).status).toBe(200);
});

test('an invalid control call is rejected with a message', async () => {
  const { control, url } = platform;
  await expect(control.addFault({ does: 'explode' } as never)).rejects.toThrow(/does: must be one of/);
  await expect(control.addFault({ code: 42 })).rejects.toThrow(/not one of the platform's/);
  await expect(control.settings({ sentMs: 'soon' } as never)).rejects.toThrow(/setting sentMs/);
  await expect(control.settings({ sendMs: 5 } as never)).rejects.toThrow(/no setting named sendMs/);
  await expect(control.addNumber({ wabaId: 'nowhere' })).rejects.toThrow(/404/);
  expect((await fetch(`${url}/sandbox/nothing`)).status).toBe(404);
  expect((await fetch(`${url}/sandbox/state`, { headers: { origin: 'https://evil.example' } })).status).toBe(
    403,
  );
});
