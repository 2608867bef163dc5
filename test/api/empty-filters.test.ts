// Empty filters of lists: rejected, or nothing fits; never a list without the filter.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { operationsOf } from '../harness/operations.ts';
import { send, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  const { templateIds } = await addSender(gateway, templateKinds);
  await send(gateway, {
    templateId: templateIds.plain ?? '',
    recipients: ['15550700001'],
    sendAt: new Date(Date.now() + 60_000).toISOString(),
  });
  await send(gateway, { templateId: templateIds.plain ?? '', recipients: ['15550700001'] });
});
afterAll(() => gateway?.close());

test('a list with an empty filter is a 400 or 404, or has no items', async () => {
  const listed: string[] = [];
  let filters = 0;
  for (const { method, path, query } of await operationsOf(gateway)) {
    if (method !== 'GET' || path.includes('{')) continue;
    for (const { name } of query) {
      filters += 1;
      const { status, body } = await gateway.call<{ items?: unknown[] }>('GET', `${path}?${name}=`);
      if (status === 200 && body.data.items?.length !== 0) listed.push(`${path}?${name}=`);
    }
  }
  expect(filters).toBeGreaterThan(100);
  expect(listed).toEqual([]);
});
