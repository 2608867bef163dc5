// One callback with a thousand statuses in many entries and changes, with unknown fields.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postCallback } from '../harness/callbacks.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway, waba } from '../harness/gateway.ts';
import { type SentMessage, send, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let messages: SentMessage[];
let secret: string;
const count = 1_000;

beforeAll(async () => {
  gateway = await startGateway();
  const added = await addSender(gateway, templateKinds);
  senderId = added.senderId;
  secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
  await addEndpoint(gateway);
  // the simulated platform accepts these recipients and never reports on them, so every report comes from this test
  const recipients = Array.from({ length: count }, (_, index) => `${20_000 + index}0000000204`);
  const { body } = await send(gateway, { templateId: added.templateIds.plain ?? '', recipients });
  expect(body.data).toMatchObject({ accepted: count });
  messages = body.data.messages;
});
afterAll(() => gateway?.close());

/** A status as later versions of the platform might write it. */
const statusOf = ({ id, messageId }: SentMessage, status: string) => ({
  id: messageId,
  status,
  timestamp: String(1_790_000_000),
  recipient_id: 'US.13491208655302741918',
  recipient_user_id: 'US.13491208655302741918',
  parent_recipient_user_id: null,
  biz_opaque_callback_data: id,
  conversation: { id: 'c', origin: { type: 'utility', nobody_knows: [[{}]] } },
  pricing: { billable: true, category: 'utility', tiers: { deep: [1, 2, { three: null }] } },
  never_seen: { emoji: '🎉', list: [null, true, 1.5, {}] },
});
const change = (statuses: object[], more: object = {}) => ({
  field: 'messages',
  never_seen: 1,
  value: {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100000', phone_number_id: number.id, never_seen: [] },
    contacts: [{ wa_id: '1', user_id: 'US.1', profile: { name: 'Zoë' } }],
    statuses,
    ...more,
  },
});
/** A callback with entries of 250 statuses in changes of 50, with irrelevant changes in between. */
function manyEntries(status: string) {
  const entry = [];
  for (let at = 0; at < messages.length; at += 250) {
    const own = messages.slice(at, at + 250);
    const changes: object[] = [{ field: 'account_update', value: { event: 'NEW' } }, { field: 'messages' }];
    for (let from = 0; from < own.length; from += 50) {
      changes.push(change(own.slice(from, from + 50).map((message) => statusOf(message, status))));
      changes.push(
        change([statusOf({ ...(own[0] as SentMessage), id: 'not-ours', messageId: 'wamid.X' }, status)]),
      );
    }
    entry.push({ id: waba, time: 1, uid: 'never seen', changes }, { id: 'other', changes: [] });
  }
  return { object: 'whatsapp_business_account', entry, never_seen: {} };
}
const countsOf = async () => {
  const rows = await gateway.database.db
    .selectFrom('messages')
    .select(({ fn }) => ['state', fn.countAll<number>().as('n')])
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
};

it('applies all statuses and publishes each stage once, also when the callback is repeated concurrently', async () => {
  for (const wrong of ['another-secret', null])
    expect((await postCallback(gateway, senderId, manyEntries('read'), wrong)).status).toBe(401);
  expect(await countsOf()).toEqual({ 2: count });

  const delivered = await Promise.all(
    Array.from({ length: 3 }, () => postCallback(gateway, senderId, manyEntries('delivered'), secret)),
  );
  expect(delivered.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await countsOf()).toEqual({ 4: count });

  expect((await postCallback(gateway, senderId, manyEntries('sent'), secret)).status).toBe(200);
  expect(await countsOf()).toEqual({ 4: count });
  expect((await postCallback(gateway, senderId, manyEntries('read'), secret)).status).toBe(200);
  expect(await countsOf()).toEqual({ 5: count });

  await expect
    .poll(async () => (await gateway.receiver.counts()) as unknown as { events?: number }, {
      timeout: 60_000,
    })
    .toMatchObject({ verified: 3 * count });
  const events = await gateway.receiver.events({ limit: 10 * count });
  const stages = new Map<string, string[]>();
  for (const { json } of events) {
    const { id, status } = (json as { data: { id: string; status: string } }).data;
    stages.set(id, [...(stages.get(id) ?? []), status]);
  }
  expect(stages.size).toBe(count);
  for (const { id } of messages) expect(stages.get(id)).toEqual(['sent', 'delivered', 'read']);
});
