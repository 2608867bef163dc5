// Messages that wait apart from the queue, as lists and lookups show them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDrafts } from '../harness/campaigns.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { templateKinds } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

interface Shown {
  id: string;
  recipientPhone: string;
  status: string;
  expiresAt: string | null;
}

let gateway: Gateway;
let ids: Record<string, string>;
let senderId: string;
let drafts: ReturnType<typeof openDrafts>;
beforeAll(async () => {
  gateway = await startGateway();
  ({ templateIds: ids, senderId } = await addSender(gateway, templateKinds));
  drafts = openDrafts(gateway, ids, 15550900000);
});
afterAll(() => gateway?.close());

test('messages of a draft have no expiry before its start, and the list of its messages shows them', async () => {
  const { call, phone, draft, sendOf, add } = drafts;
  const id = await draft('plain', { expiresInSeconds: 600 });
  const others = await draft('plain');
  const to = [phone(), phone(), phone()];
  await add(
    id,
    to.map((one) => ({ phone: one, name: `Guest ${one}`, metadata: { guest: one } })),
  );
  await add(others, [{ phone: to[0] }]);
  const listed = async (query = '') =>
    (await gateway.call<{ items: Shown[] }>('GET', `/v1/messages?sendId=${id}${query}`)).body.data.items;
  const one = async (messageId: string) =>
    (await gateway.call<Shown>('GET', `/v1/messages/${messageId}`)).body.data;
  const kept = await listed();
  expect(kept.map(({ recipientPhone }) => recipientPhone)).toEqual(to.toReversed());
  for (const message of kept) {
    expect(message).toMatchObject({ sendId: id, status: 'queued', expiresAt: null });
    expect(await one(message.id)).toMatchObject(message);
  }
  const found = [kept[1]];
  const [first] = to;
  for (const query of [`&phone=${to[1]}`, `&name=guest%20${to[1]}`, `&metadata=guest%3D${to[1]}`])
    expect([query, await listed(`${query}&status=queued&senderId=${senderId}`)]).toEqual([query, found]);
  const older = await gateway.call<{ pagination: { nextCursor: string } }>(
    'GET',
    `/v1/messages?sendId=${id}&limit=2`,
  );
  expect(await listed(`&cursor=${older.body.data.pagination.nextCursor}`)).toEqual([kept[2]]);
  for (const query of ['status=sent', 'kind=reply', 'messageId=wamid.x', `templateId=${ids.sale}`])
    expect([query, await listed(`&${query}`)]).toEqual([query, []]);
  const unfiltered = await gateway.call<{ items: Shown[] }>('GET', `/v1/messages?phone=${first}`);
  expect(unfiltered.body.data.items).toEqual([]);

  expect((await call('POST', `/${others}/check`)).body.message).toBe('1 recipient checked.');
  expect((await call('DELETE', `/${others}/recipients`)).body.message).toBe('1 recipient removed.');

  expect((await call('POST', `/${id}/start`)).status).toBe(200);
  await until(async () => expect((await sendOf(id)).state).toBe('done'));
  const sent = await listed();
  expect(sent.map((message) => message.id)).toEqual(kept.map((message) => message.id));
  const { expiresAt } = await sendOf(id);
  for (const message of sent) expect(message.expiresAt).toBe(expiresAt);
});

test('a message of a cancelled send is resent with the time to live of its send, not the time that it waited', async () => {
  const { call, phone, draft, add } = drafts;
  const soon = { sendAt: new Date(Date.now() + 5 * 86_400_000).toISOString() };
  for (const more of [{}, soon]) {
    const id = await draft('plain', { expiresInSeconds: 7_200, ...more });
    await add(id, [{ phone: phone() }]);
    if ('sendAt' in more) await call('POST', `/${id}/start`);
    await call('POST', `/${id}/cancel`);
    const list = () => gateway.call<{ items: Shown[] }>('GET', `/v1/messages?sendId=${id}&status=failed`);
    await until(async () => expect((await list()).body.data.items).toHaveLength(1));
    const [failed] = (await list()).body.data.items;
    const { status, body } = await gateway.call<Shown>('POST', `/v1/messages/${failed?.id}/resend`);
    expect(status).toBe(200);
    const seconds = (Date.parse(body.data.expiresAt ?? '') - Date.now()) / 1000;
    expect(Math.abs(seconds - 7_200)).toBeLessThan(60);
  }
});
