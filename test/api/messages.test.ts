// Reading messages and sends: filters, paging, details, and isolation of accounts.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { type MessageData, type SendData, send, stagesUntil, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let ids: Record<string, string>;
let first: SendData;
let second: SendData;
let betweenSends: string;

beforeAll(async () => {
  gateway = await startGateway();
  ({ templateIds: ids } = await addSender(gateway, templateKinds));
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

  it('filters by send, status, phone, template, platform identifier and time, alone and combined', async () => {
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
      ['?phone=1', []],
      ['?messageId=wamid.UNKNOWN', []],
      ['?status=queued', []],
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
