// Cursors of contacts: each belongs to one order of the list.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../harness/gateway.ts';
import { type Inbound, type Page, startInbound } from '../harness/inbound.ts';

let gateway: Gateway;
let inbound: Inbound;
beforeAll(async () => {
  inbound = await startInbound();
  gateway = inbound.gateway;
});
afterAll(() => gateway?.close());

const page = (query: string) =>
  gateway.call<Page<{ _id: string }>>('GET', `/v1/contacts?limit=1${query && `&${query}`}`);

test('a cursor of contacts continues its own order, and is a 400 with another one', async () => {
  for (const from of ['15559980001', '15559980002']) {
    await inbound.receive([inbound.written({ from, timestamp: String(inbound.nowSeconds) })]);
    await gateway.call('PUT', `/v1/opt-outs/${from}`, { body: { scope: 'marketing' } });
  }
  const orders = [
    ['sort=-createdAt', ''],
    ['sort=-lastMessageAt', 'state=unanswered', 'state=window_open'],
    ['state=opted_out'],
    ['search=1555998'],
  ];
  for (const [index, same] of orders.entries())
    for (const from of same) {
      const next = async () => (await page(from)).body.data.pagination.nextCursor;
      await expect.poll(next).not.toBeNull();
      const cursor = await next();
      for (const [at, others] of orders.entries())
        for (const to of others) {
          const { status, body } = await page(`${to}&cursor=${cursor}`);
          expect([from, to, status]).toEqual([from, to, at === index ? 200 : 400]);
          if (status === 400)
            expect(body.errors).toEqual([
              {
                path: 'cursor',
                message: expect.stringContaining('in this order; send it with the same `sort`'),
              },
            ]);
        }
    }
});
