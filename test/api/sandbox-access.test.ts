// The sandbox through the gateway: phones, the receiver's events, faults; for sessions too, and never beside a real platform.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addEndpoint, addSender, type Gateway, startGateway, waba } from '../harness/gateway.ts';
import { checkupCards, checkups, form } from '../harness/phone-templates.ts';
import { send, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let ids: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway({ sandbox: true });
  ({ senderId, templateIds: ids } = await addSender(gateway, [...templateKinds, checkups, form]));
});
afterAll(() => gateway?.close());

interface Shown {
  messageId: string;
  direction: string;
  type: string;
  text: string | null;
  id: string | null;
  isRead: boolean;
  parts: { body: string; header: { text: string } | null; buttons: { text: string }[] } | null;
  reply: { text: string } | null;
}
const get = async <T>(path: string, key = gateway.apiKey) =>
  (await gateway.call<{ items: T[] }>('GET', `/sandbox/${path}`, { key })).body.data?.items;
const shownOn = (phone: string, key?: string) => get<Shown>(`phones/${phone}/messages`, key);
const act = (phone: string, body: object, key = gateway.apiKey) =>
  gateway.call<{ messageId: string }>('POST', `/sandbox/phones/${phone}/messages`, { body, key });
const receivedFrom = async (phone: string) =>
  (
    await gateway.call<{ items: { type: string; text?: string; button?: object; context?: object }[] }>(
      'GET',
      `/v1/messages/received?phone=${phone}`,
    )
  ).body.data.items;

describe('a phone', () => {
  const phone = '15553330001';

  it('shows a template as it looks once it was delivered, and its owner can press its button and write', async () => {
    const variables = {
      'header.1': 'June',
      'body.1': 'Ada',
      'body.2': 'X1',
      'buttons.1.1': 'a',
      'buttons.2.1': 'X1',
    };
    const { body } = await send(gateway, { templateId: ids.sale ?? '', recipients: [{ phone, variables }] });
    const id = body.data.messages[0]?.id;
    await expect
      .poll(() => shownOn(phone))
      .toMatchObject([
        {
          id,
          direction: 'arrived',
          type: 'template',
          parts: { body: 'Hi Ada, use X1.', header: { text: 'The June sale' } },
        },
      ]);
    const [message] = (await shownOn(phone)) ?? [];
    const pressed = await act(phone, { press: { messageId: message?.messageId, button: 0 } });
    expect(pressed.status).toBe(200);
    await expect
      .poll(() => receivedFrom(phone))
      .toMatchObject([{ type: 'button', button: { text: 'Stop' }, context: { id } }]);
    expect((await act(phone, { text: 'Hello?' })).status).toBe(200);
    await expect.poll(async () => (await receivedFrom(phone)).length).toBe(2);
    expect((await shownOn(phone))?.map((one) => one.text)).toEqual([null, 'Stop', 'Hello?']);
    expect(await get('phones')).toMatchObject([{ phone, senderId, messages: 3 }]);
  });

  it('shows replies with buttons and lists, which its owner can choose', async () => {
    const reply = (content: object) =>
      gateway.call('POST', '/v1/messages/reply', { body: { phone, ...content } });
    const buttons = [
      { id: 'a', title: 'Change' },
      { id: 'b', title: 'Keep' },
    ];
    expect((await reply({ text: 'Change it?', buttons })).status).toBe(200);
    const rows = [{ id: 'fast', title: 'Express', description: 'Tomorrow' }];
    expect((await reply({ text: 'How?', list: { button: 'Choose', sections: [{ rows }] } })).status).toBe(
      200,
    );
    const arrived = async () =>
      (await shownOn(phone))?.filter(({ type }) => type === 'interactive').map((one) => one) ?? [];
    await expect
      .poll(async () => (await arrived()).map((one) => one.reply?.text))
      .toEqual(['Change it?', 'How?']);
    const [asked, listed] = await arrived();
    await act(phone, { press: { messageId: asked?.messageId, button: 1 } });
    await act(phone, { press: { messageId: listed?.messageId, row: 'fast' } });
    await expect
      .poll(async () => (await shownOn(phone))?.slice(-2).map(({ text }) => text))
      .toEqual(['Keep', 'Express']);
    await expect
      .poll(async () => (await receivedFrom(phone)).filter(({ type }) => type === 'interactive'))
      .toHaveLength(2);
  });

  it('lets its owner press buttons of cards and forms, and says which buttons send nothing', async () => {
    const withCards = '15553330005';
    await send(gateway, {
      templateId: ids.checkups ?? '',
      recipients: [{ phone: withCards, cards: checkupCards }],
    });
    await send(gateway, {
      templateId: ids.form ?? '',
      recipients: [{ phone: withCards, buttons: [{ index: 0, flow: { token: 'f-1' } }] }],
    });
    await expect.poll(() => shownOn(withCards)).toHaveLength(2);
    const [carousel, form] = (await shownOn(withCards)) ?? [];
    const press = (of: Shown | undefined, where: object) =>
      act(withCards, { press: { messageId: of?.messageId, ...where } });
    expect((await press(carousel, { card: 1, button: 0 })).status).toBe(200);
    await expect
      .poll(() => receivedFrom(withCards))
      .toMatchObject([
        { type: 'button', button: { payload: 'family', text: 'Book' }, context: { id: carousel?.id } },
      ]);
    expect((await press(form, { button: 0 })).status).toBe(200);
    await expect
      .poll(async () => (await receivedFrom(withCards)).find(({ type }) => type === 'interactive'))
      .toMatchObject({ interactive: { response: { flow_token: 'f-1' } } });
    for (const where of [{ button: 0 }, { card: 2, button: 0 }, { card: 0, button: 2 }])
      expect((await press(carousel, where)).status).toBe(400);
    expect((await press(carousel, { card: 0, button: 1 })).body.message).toContain('URL sends no message');
  });

  it('shows nothing that failed, and rejects what its owner cannot do', async () => {
    // failed after it was accepted, and switched off
    const [failing, off] = ['15550000131026', '15550000000203'];
    await send(gateway, { templateId: ids.plain ?? '', recipients: [failing, off, '15553330002'] });
    await expect.poll(() => shownOn('15553330002')).toHaveLength(1);
    expect([await shownOn(failing), await shownOn(off)]).toEqual([[], []]);
    const [message] = (await shownOn('15553330002')) ?? [];
    const press = { messageId: message?.messageId, button: 0 };
    expect((await act('15553330002', { press })).status).toBe(400);
    expect((await act(phone, { press })).status).toBe(404);
    expect((await act(phone, { press, text: 'both' })).status).toBe(400);
    expect((await act(phone, { text: 'x', senderId: 'other' })).body).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('shows no message of another account, and lets nobody there press one', async () => {
    const other = await gateway.otherAccount();
    expect([await get('phones', other), await shownOn(phone, other)]).toEqual([[], []]);
    const [message] = (await shownOn(phone)) ?? [];
    expect((await act(phone, { press: { messageId: message?.messageId, button: 0 } }, other)).status).toBe(
      404,
    );
  });
});

it('the receiver shows the events of the account’s endpoints, newest first or after a number', async () => {
  await addEndpoint(gateway);
  await send(gateway, { templateId: ids.plain ?? '', recipients: ['15553330003'] });
  await expect.poll(() => get('receiver/events')).toHaveLength(3);
  const events = (await get<{ seq: number; verified: boolean; body: string }>('receiver/events')) ?? [];
  const statuses = events.map(({ body }) => JSON.parse(body).data.status);
  expect([statuses, events.every(({ verified }) => verified)]).toEqual([['read', 'delivered', 'sent'], true]);
  expect(await get(`receiver/events?since=${events[2]?.seq}&limit=1`)).toEqual([events[1]]);
  const other = await gateway.otherAccount();
  const body = { url: gateway.receiver.hookUrl('of-another-account') };
  await gateway.call('POST', '/v1/webhooks/endpoints', { body, key: other });
  expect(await get('receiver/events', other)).toEqual([]);
});

describe('a fault', () => {
  const put = (name: string, body: object) => gateway.call('PUT', `/sandbox/faults/${name}`, { body });
  const on = async () =>
    ((await get<{ name: string; isOn: boolean; timesLeft: number | null }>('faults')) ?? [])
      .filter(({ isOn }) => isOn)
      .map(({ name, timesLeft }) => [name, timesLeft]);

  it('is switched on and off without the others, and ends after its calls', async () => {
    expect(await on()).toEqual([]);
    for (const name of [
      'platform_slow',
      'receiver_failing',
      'callbacks_held',
      'calendar_outage',
      'token_rejected',
    ])
      expect((await put(name, { isOn: true })).status).toBe(200);
    await put('platform_throttled', { isOn: true, times: 2 });
    await put('platform_slow', { isOn: false });
    const names = (await on()).map(([name]) => name);
    expect(names).toEqual([
      'platform_throttled',
      'token_rejected',
      'callbacks_held',
      'receiver_failing',
      'calendar_outage',
    ]);
    for (const name of names) await put(String(name), { isOn: false });
    expect(await on()).toEqual([]);
    await put('platform_throttled', { isOn: true, times: 1 });
    expect(await on()).toEqual([['platform_throttled', 1]]);
    const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: ['15553330004'] });
    expect(body.data.messages[0]?.status).toBe('accepted');
    expect(await on()).toEqual([]);
  });

  it('has a name of the list, and needs manage', async () => {
    expect((await put('meteor', { isOn: true })).status).toBe(400);
    expect((await put('callbacks_held', { isOn: true, times: 1 })).status).toBe(400);
    const { body } = await gateway.call<{ apiKey: string }>('POST', '/v1/keys', {
      body: { name: 'r', scopes: ['conversations:read'] },
    });
    const key = body.data.apiKey;
    expect((await gateway.call('GET', '/sandbox/phones', { key })).status).toBe(200);
    for (const path of ['faults', 'receiver/events', 'delays'])
      expect((await gateway.call('GET', `/sandbox/${path}`, { key })).status).toBe(403);
    expect((await gateway.call('POST', '/sandbox/start-over', { key })).status).toBe(403);
  });
});

describe('the delays', () => {
  const delays = async () => (await gateway.call<Record<string, number>>('GET', '/sandbox/delays')).body.data;
  const change = (body: object) => gateway.call('PATCH', '/sandbox/delays', { body });

  it('apply to what is sent from then on', async () => {
    const before = await delays();
    expect((await change({ deliveredMs: 3_600_000, readMs: 3_600_000 })).body.data).toEqual({
      ...before,
      ...{ deliveredMs: 3_600_000, readMs: 3_600_000 },
    });
    const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: ['15553330006'] });
    const status = async () =>
      (await gateway.call<{ status: string }>('GET', `/v1/messages/${body.data.messages[0]?.id}`)).body.data
        .status;
    await expect.poll(status).toBe('sent');
    expect(await shownOn('15553330006')).toEqual([]);
    for (const wrong of [{ readMs: -1 }, { readMs: 3_600_001 }, { holdCallbacks: true }])
      expect((await change(wrong)).status).toBe(400);
  });

  it('are those of the start after starting over, which empties the phones of the account alone', async () => {
    const phone = '15553330001';
    const theirs = await gateway.platform.addNumber({ wabaId: waba, displayPhoneNumber: '+1 555 078 3929' });
    await gateway.platform.write(theirs.id, { messages: [{ from: { phone }, kind: 'text' }] });
    const [message] = (await shownOn(phone)) ?? [];
    await gateway.call('PUT', '/sandbox/faults/receiver_slow', { body: { isOn: true } });
    await change({ sentMs: 60_000 });
    expect((await gateway.call('POST', '/sandbox/start-over')).body.data).toEqual({
      ...{ sentMs: 0, deliveredMs: 0, readMs: 0, approvalMs: 3000 },
    });
    expect([await get('phones'), await shownOn(phone), await get('receiver/events')]).toEqual([[], [], []]);
    expect((await get<{ isOn: boolean }>('faults'))?.some(({ isOn }) => isOn)).toBe(false);
    expect((await act(phone, { press: { messageId: message?.messageId, button: 0 } })).status).toBe(404);
    // the platform still knows who wrote when
    const reply = await gateway.call<{ id: string }>('POST', '/v1/messages/reply', {
      body: { phone, text: 'Again.' },
    });
    expect(reply.status).toBe(200);
    await expect.poll(async () => (await shownOn(phone))?.map((one) => one.reply?.text)).toEqual(['Again.']);
    const phones = await fetch(`${gateway.urls.cloudApi}/sandbox/phones?numbers=${theirs.id}`);
    expect(await phones.json()).toMatchObject({ phones: [{ phone, messages: 1 }] });
  });
});

const paths = ['phones', 'phones/1555/messages', 'receiver/events', 'faults', 'delays'];

it('needs a key or a session, and a page of the gateway to change something', async () => {
  for (const path of paths)
    expect((await gateway.call('GET', `/sandbox/${path}`, { key: null })).status).toBe(401);
  const page = { Origin: gateway.url, 'X-Requested-With': 'chatbot-gateway' };
  const signedIn = await gateway.call('POST', '/v1/session', {
    body: { key: gateway.apiKey },
    headers: page,
    key: null,
  });
  const cookie = { Cookie: String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '' };
  const put = (headers: Record<string, string>) =>
    gateway.call('PUT', '/sandbox/faults/platform_slow', { body: { isOn: false }, key: null, headers });
  expect((await put({ ...cookie, ...page })).status).toBe(200);
  expect((await put({ ...cookie, ...page, Origin: 'https://evil.example' })).body).toMatchObject({
    code: 'origin_mismatch',
  });
  expect((await put(cookie)).status).toBe(403);
});

it('does not exist beside a real platform, even if its sandbox is given', async () => {
  const url = await gateway.another({ MESSAGING_API_URL: 'https://graph.facebook.com' });
  for (const path of paths) expect((await gateway.call('GET', `/sandbox/${path}`, { url })).status).toBe(404);
});
