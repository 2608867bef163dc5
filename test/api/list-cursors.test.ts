// Cursors of lists: each belongs to its list, and those of earlier versions, which name no list, go on working.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import type { Page } from '../harness/inbound.ts';

let gateway: Gateway;
/** Paths of the lists with cursors. */
let lists: string[];

beforeAll(async () => {
  gateway = await startGateway();
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const, components };
  const { templateIds } = await addSender(gateway, [{ name: 'hello', ...seed }]);
  const templateId = templateIds.hello as string;
  const { endpointId } = await addEndpoint(gateway);
  const phones = ['15550100001', '15550100002'];
  const body = { templateId, name: 'both', recipients: phones.map((phone) => ({ phone })) };
  const sent = await gateway.call<{ sendId: string }>('POST', '/v1/templates/send', { body });
  await gateway.call('POST', '/v1/templates/send', { body });
  for (const phone of phones)
    await gateway.call('PUT', `/v1/opt-outs/${phone}`, { body: { scope: 'marketing' } });
  const contacts = await gateway.call<Page<{ _id: string }>>('GET', '/v1/contacts');
  lists = [
    '/v1/audit',
    '/v1/appointments/bookings',
    `/v1/contacts/${contacts.body.data.items[0]?._id}/messages`,
    '/v1/contacts',
    '/v1/webhooks/deliveries',
    '/v1/media',
    '/v1/messages',
    '/v1/messages/received',
    '/v1/opt-outs',
    `/v1/sends/${sent.body.data.sendId}/recipients`,
    `/v1/webhooks/endpoints/${endpointId}/replays`,
    '/v1/sends',
    `/v1/templates/${templateId}/history`,
  ];
});
afterAll(() => gateway?.close());

const page = (path: string, query: string) =>
  gateway
    .call<Page<unknown>>('GET', `${path}?limit=1${query}`)
    .then(({ status, body }) => ({ status, body }));

test('a cursor of one list is a 400 in every other list', async () => {
  const cursors: [string, string][] = [];
  for (const list of lists) {
    const cursor = (await page(list, '')).body.data.pagination.nextCursor;
    if (cursor !== null) cursors.push([list, cursor]);
  }
  expect(cursors.length).toBeGreaterThan(4);
  for (const [own, cursor] of cursors)
    for (const list of lists) {
      const { status, body } = await page(list, `&cursor=${cursor}`);
      expect([own, list, status]).toEqual([own, list, own === list ? 200 : 400]);
      if (own !== list) expect(body.errors?.map(({ path }) => path)).toEqual(['cursor']);
    }
});

test('a cursor of an earlier version continues its list', async () => {
  for (const list of lists) {
    const { nextCursor } = (await page(list, '')).body.data.pagination;
    const id = 'ffffffff-ffff-7fff-bfff-ffffffffffff';
    const earlier = nextCursor?.split('=')[0] ?? Buffer.from(JSON.stringify([id])).toString('base64url');
    const answer = await page(list, `&cursor=${earlier}`);
    expect([list, answer.status]).toEqual([list, 200]);
    if (nextCursor !== null) expect(answer).toEqual(await page(list, `&cursor=${nextCursor}`));
  }
});

test('a process of an earlier version reads the position of a cursor', async () => {
  const cursor = (await page('/v1/messages', '')).body.data.pagination.nextCursor as string;
  const [id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const { body } = await page('/v1/messages', '');
  expect(body.data.items).toMatchObject([{ id }]);
});
