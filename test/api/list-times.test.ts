// Filters by time of lists: they mean the times that the items show.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import type { Page } from '../harness/inbound.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

test('a send is created at its `createdAt`, although its id is older', async () => {
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const, components };
  const { templateIds } = await addSender(gateway, [{ name: 'hello', ...seed }]);
  const body = { templateId: templateIds.hello, name: 'One' };
  const { sendId } = (await gateway.call<{ sendId: string }>('POST', '/v1/sends', { body })).body.data;
  await sql`update sends set created_at = created_at + interval '3 seconds'`.execute(gateway.database.db);
  const list = async (query: string) =>
    (await gateway.call<Page<{ sendId: string; createdAt: string }>>('GET', `/v1/sends?${query}`)).body.data
      .items;
  const createdAt = (await list(''))[0]?.createdAt as string;
  const after = new Date(Date.parse(createdAt) + 1).toISOString();
  const idsFrom = async (query: string) => (await list(query)).map((one) => one.sendId);
  expect(await idsFrom(`from=${createdAt}`)).toEqual([sendId]);
  expect(await idsFrom(`from=${createdAt}&to=${after}`)).toEqual([sendId]);
  expect(await idsFrom(`to=${createdAt}`)).toEqual([]);
  expect(await idsFrom(`from=${after}`)).toEqual([]);
  for (const [from, to] of [['0000-01-01', '9999-12-31']])
    expect(await idsFrom(`from=${from}T00:00:00Z&to=${to}T23:59:59Z`)).toEqual([sendId]);
});
