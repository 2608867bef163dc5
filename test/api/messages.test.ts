// Reading messages and sends: filters, paging, details, and isolation of accounts.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { type MessageData, type SendData, send, stagesUntil, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let ids: Record<string, string>;
let first: SendData;
let second: SendData;
let betweenSends: string;

beforeAll(async () => {
  gateway = await startGateway();
  ({ senderId, templateIds: ids } = await addSender(gateway, templateKinds));
  await addEndpoint(gateway);
  first = (
    await send(gateway, {
      templateId: ids.plain ?? '',
      recipients: ['15550500001', '15550500002', '15550500003'],
    })
  ).body.data;
  for (const { messageId } of first.messages) await stagesUntil(gateway, messageId ?? '', 'read');
  betweenSends = new Date().toISOString();
  const recipients = [
    { phone: '15550500001', variables: { first_name: 'Ada', day: 'Friday' }, metadata: { order: '7' } },
    { phone: '15550001131049', variables: { first_name: 'Zoë', day: 'Friday' }, name: 'Zoë' },
  ];
  second = (await send(gateway, { templateId: ids.named ?? '', recipients })).body.data;
  await stagesUntil(gateway, second.messages[0]?.messageId ?? '', 'read');
});
afterAll(() => gateway?.close());

interface List {
  items: MessageData[];
  pagination: { limit: number; nextCursor: string | null };
}
const list = async (query = '', key = gateway.apiKey) =>
  (await gateway.call<List>('GET', `/v1/messages${query}`, { key })).body.data;
const idsOf = (data: { items?: { id: string }[]; messages?: { id: string }[] }) =>
  (data.items ?? data.messages ?? []).map(({ id }) => id);

describe('the list', () => {
  it('is counted by the reason of failures', async () => {
    type Counts = { countedFrom: string; items: { code: number; failed: number }[] };
    const counted = async (query = '') =>
      (await gateway.call<Counts>('GET', `/v1/statistics/failures${query}`)).body.data;
    expect((await counted()).items).toMatchObject([{ code: 131049, failed: 1, title: expect.any(String) }]);
    expect((await counted(`?to=${betweenSends}`)).items).toEqual([]);
    expect((await counted('?senderId=x')).items).toEqual([]);
    expect((await counted(`?sendId=${second.sendId}`)).items).toMatchObject([{ code: 131049, failed: 1 }]);
    for (const sendId of [first.sendId, senderId, 'x'])
      expect([sendId, (await counted(`?sendId=${sendId}`)).items]).toEqual([sendId, []]);
    expect((await counted(`?from=${betweenSends}`)).countedFrom).toBe(betweenSends);
  });

  it('returns all messages, newest first', async () => {
    expect(idsOf(await list())).toEqual([...idsOf(first), ...idsOf(second)].reverse());
  });

  it('returns each message once over its pages', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.pagination.limit).toBe(2);
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...idsOf(page));
      cursor = page.pagination.nextCursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual(idsOf(await list()));
  });

  it('filters by send, status, phone, template, platform identifier, metadata, name, sender and time, alone and combined', async () => {
    const [one] = second.messages;
    const cases: [string, string[]][] = [
      [`?sendId=${first.sendId}`, idsOf(first).reverse()],
      ['?status=failed', [second.messages[1]?.id ?? '']],
      ['?phone=15550500001', [one?.id ?? '', first.messages[0]?.id ?? '']],
      [`?templateId=${ids.named}`, idsOf(second).reverse()],
      [`?messageId=${encodeURIComponent(one?.messageId ?? '')}`, [one?.id ?? '']],
      [`?from=${betweenSends}`, idsOf(second).reverse()],
      [`?to=${betweenSends}`, idsOf(first).reverse()],
      [`?phone=15550500001&sendId=${second.sendId}&status=read`, [one?.id ?? '']],
      [`?phone=15550500001&status=failed`, []],
      ['?phone=15550500099', []],
      ['?phone=+1%20(555)%20050-0001', [one?.id ?? '', first.messages[0]?.id ?? '']],
      ['?messageId=wamid.UNKNOWN', []],
      ['?status=queued', []],
      ['?metadata=order%3D7', [one?.id ?? '']],
      ['?metadata=order%3D8', []],
      ['?name=zO%C3%AB', [second.messages[1]?.id ?? '']],
      ['?name=%25', []],
      [`?senderId=${senderId}`, [...idsOf(first), ...idsOf(second)].reverse()],
      ['?senderId=x', []],
      [`?senderId=${one?.id}`, []],
    ];
    for (const [query, expected] of cases)
      expect([query, idsOf(await list(query))]).toEqual([query, expected]);
  });
});

test('a message has its details, timeline and deliveries', async () => {
  const [one] = second.messages;
  const path = `/v1/messages/${one?.id}`;
  await expect
    .poll(async () =>
      (await gateway.call<MessageData>('GET', path)).body.data.deliveries.map(({ status }) => status),
    )
    .toEqual(['delivered', 'delivered', 'delivered']);
  const { body } = await gateway.call<MessageData>('GET', path);
  expect(body.data).toMatchObject({
    id: one?.id,
    messageId: one?.messageId,
    sendId: second.sendId,
    templateId: ids.named,
    recipientPhone: '15550500001',
    name: null,
    status: 'read',
    error: null,
    priceCategory: 'utility',
    attempts: 1,
    metadata: { order: '7' },
  });
  expect(body.data.timeline.map(({ status }) => status)).toEqual([
    'queued',
    'accepted',
    'sent',
    'delivered',
    'read',
  ]);
  const instants = body.data.timeline.map(({ at }) => Date.parse(at));
  expect(instants).toEqual(instants.toSorted((a, b) => a - b));
  for (const { status, platformTimestamp } of body.data.timeline)
    expect(platformTimestamp).toEqual(
      status === 'queued' || status === 'accepted' ? null : expect.stringMatching(/:\d\d\.000Z$/),
    );
  for (const delivery of body.data.deliveries)
    expect(delivery).toMatchObject({ event: 'messages.status', messageId: one?.messageId });
  expect((await list('?limit=1')).items[0]).not.toHaveProperty('deliveries');
});

describe('what a message says', () => {
  const keyWith = async (...scopes: string[]) =>
    (await gateway.call<{ apiKey: string }>('POST', '/v1/keys', { body: { name: 'k', scopes } })).body.data
      .apiKey;
  const shown = async (id: string, key = gateway.apiKey) =>
    (await gateway.call<MessageData>('GET', `/v1/messages/${id}`, { key })).body.data;
  const sentOne = async (name: string, variables: object, phone: string) => {
    const recipients = [{ phone, variables }];
    const { body } = await send(gateway, { templateId: ids[name] ?? '', recipients });
    return body.data.messages[0]?.id ?? '';
  };
  const sale = {
    ...{ 'header.1': 'June', '1': 'Ada', '2': '25OFF' },
    ...{ 'buttons.1.1': 'all', 'buttons.2.1': '25OFF' },
  };
  const contents = {
    variables: {
      ...{ 'header.1': 'June', 'body.1': 'Ada', 'body.2': '25OFF' },
      ...{ 'buttons.1.1': 'all', 'buttons.2.1': '25OFF' },
    },
    ...{ text: 'Hi Ada, use 25OFF.', textSource: 'sent' },
  };

  it('is in lists and in the single message, which has all parts', async () => {
    const id = await sentOne('sale', sale, '15550500011');
    const named = { templateName: 'sale', language: 'en_US', category: 'MARKETING', ...contents };
    expect((await list('?phone=15550500011')).items).toMatchObject([{ id, ...named }]);
    expect((await list('?phone=15550500011')).items[0]).not.toHaveProperty('parts');
    expect(await shown(id)).toMatchObject({
      ...named,
      parts: {
        header: { type: 'text', text: 'The June sale' },
        body: 'Hi Ada, use 25OFF.',
        footer: 'Reply stop to end',
        buttons: [{ text: 'Stop' }, { url: 'https://shop.example/all' }, { code: '25OFF' }],
        cards: [],
      },
    });
    await expect.poll(async () => (await shown(id)).billable).toBe(true);
  });

  it('is null for a key without conversations:read, also in a resend', async () => {
    const [id] = idsOf(await list('?phone=15550500011'));
    const reader = await keyWith('messages:read', 'messages:send');
    const nothing = { variables: null, text: null, textSource: null };
    expect((await list('?phone=15550500011', reader)).items).toMatchObject([
      { ...nothing, templateName: 'sale', category: 'MARKETING' },
    ]);
    expect(await shown(id ?? '', reader)).toMatchObject({ ...nothing, parts: null, language: 'en_US' });
    expect(await shown(id ?? '', await keyWith('messages:read', 'conversations:read'))).toMatchObject(
      contents,
    );
    const failed = await sentOne('named', { first_name: 'Ada', day: 'Friday' }, '15550002131049');
    await expect.poll(async () => (await shown(failed)).status).toBe('failed');
    const resend = (key: string) =>
      gateway.call<MessageData>('POST', `/v1/messages/${failed}/resend`, {
        ...{ key, headers: { 'Idempotency-Key': '7bf4d1a3-0000-4000-8000-000000000001' } },
      });
    const whole = await resend(gateway.apiKey);
    expect(whole.body.data).toMatchObject({ text: 'Hi Ada, see you Friday.' });
    const { body } = await resend(reader);
    expect(body.data).toMatchObject({ id: whole.body.data.id, ...nothing });
    expect((await resend(gateway.apiKey)).text).toBe(whole.text);
  });

  it('shows a one-time code as ••••, while it is queued and afterwards', async () => {
    await gateway.platform.addFault({ on: 'messages', times: 1, code: 131056 });
    const recipients = [{ phone: '15550500012', variables: { '1': '83651204' } }];
    const request = { templateId: ids.sign_in_code ?? '', recipients };
    const { body } = await send(gateway, request, { headers: { prefer: 'respond-async' } });
    const id = body.data.messages[0]?.id ?? '';
    const states = new Set<string>();
    const masked = async () => {
      const response = await gateway.call<MessageData>('GET', `/v1/messages/${id}`);
      expect(response.text).not.toContain('83651204');
      expect(response.body.data).toMatchObject({
        ...{ category: 'AUTHENTICATION', variables: { '1': '••••' } },
        ...{ text: '•••• is your verification code.', textSource: 'sent' },
        parts: { buttons: [{ url: expect.stringMatching(/otp••••$/) }] },
      });
      states.add(response.body.data.status);
      return response.body.data.status;
    };
    await expect.poll(masked, { interval: 20 }).toBe('read');
    expect(states).toContain('queued');
  });

  it('stays what it was when the template is edited, and when it is removed', async () => {
    const id = await sentOne('order_update', { '1': 'Ada', '2': 'A-1', '3': 'Friday' }, '15550500013');
    await expect.poll(async () => (await shown(id)).status).toBe('read');
    const text = 'Hi Ada, order A-1 arrives Friday.';
    const sameText = async () => (await shown(id)).text === text && (await shown(id)).textSource === 'sent';
    expect(await sameText()).toBe(true);
    const template = (await gateway.platform.state()).templates.find(({ name }) => name === 'order_update');
    const changed = [{ type: 'BODY', text: 'Dear {{2}}, {{1}} is {{3}}.' }];
    await gateway.platform.changeTemplate(template?.id ?? '', { components: changed });
    const versions = async () => {
      const { rows } =
        await sql`select from template_versions where template_id = ${ids.order_update}`.execute(
          gateway.database.db,
        );
      return rows.length;
    };
    await expect.poll(versions).toBe(1);
    expect(await sameText()).toBe(true);
    const later = await sentOne('order_update', { '1': 'Ada', '2': 'A-1', '3': 'Friday' }, '15550500014');
    expect((await list('?phone=15550500014')).items).toMatchObject([
      { id: later, text: 'Dear A-1, Ada is Friday.', textSource: 'sent' },
    ]);
    await expect.poll(async () => (await shown(later)).status).toBe('read');
    expect((await gateway.call('DELETE', `/v1/templates/${ids.order_update}`)).status).toBe(200);
    expect(await sameText()).toBe(true);
    expect(await shown(later)).toMatchObject({ text: 'Dear A-1, Ada is Friday.', textSource: 'sent' });
    // as for a message from before the gateway stored earlier texts
    await sql`update template_versions set since = now() where template_id = ${ids.order_update}`.execute(
      gateway.database.db,
    );
    expect(await shown(id)).toMatchObject({ text, textSource: 'later' });
  });
});

test('a message whose call was rejected has no platform timestamps', async () => {
  const [failed] = (await list('?status=failed')).items as unknown as MessageData[];
  expect(failed?.timeline.map(({ status, platformTimestamp }) => [status, platformTimestamp])).toEqual([
    ['queued', null],
    ['failed', null],
  ]);
});

test('a send counts its messages by status', async () => {
  const { body } = await gateway.call('GET', `/v1/sends/${second.sendId}`);
  expect(body.data).toMatchObject({
    sendId: second.sendId,
    templateId: ids.named,
    total: 2,
    counts: { read: 1, failed: 1 },
    cancelledAt: null,
  });
});

test('another account gets 404 and empty lists', async () => {
  const key = await gateway.otherAccount();
  expect((await list('', key)).items).toEqual([]);
  expect((await list('?phone=15550500001', key)).items).toEqual([]);
  expect(
    (await list(`?messageId=${encodeURIComponent(first.messages[0]?.messageId ?? '')}`, key)).items,
  ).toEqual([]);
  for (const [method, path, code] of [
    ['GET', `/v1/messages/${first.messages[0]?.id}`, 'message_not_found'],
    ['GET', `/v1/sends/${first.sendId}`, 'send_not_found'],
    ['POST', `/v1/sends/${first.sendId}/cancel`, 'send_not_found'],
    ['GET', `/v1/messages?sendId=${first.sendId}`, 'send_not_found'],
  ] as const) {
    const response = await gateway.call(method, path, { key });
    expect([response.status, response.body.code]).toEqual([404, code]);
  }
});
