// Template callbacks: who signs for a business account in one account of ours changes nothing in another's.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSender, type Gateway, startGateway, waba } from '../harness/gateway.ts';

let gateway: Gateway;
let templateId: string;

beforeAll(async () => {
  gateway = await startGateway();
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const, components };
  templateId = (await addSender(gateway, [{ name: 'hello', ...seed }])).templateIds.hello as string;
});
afterAll(() => gateway?.close());

interface Item {
  status: string;
  providerTemplateId: string;
}
const template = async () => (await gateway.call<Item>('GET', `/v1/templates/${templateId}`)).body.data;

test("another account that claims the same business account cannot change this one's templates", async () => {
  const key = await gateway.otherAccount();
  // their own app reaches the same business account, or answers whatever it likes at an address of theirs
  await gateway.platform.addApp({ id: '900', secret: 'their-secret', tokens: ['their-token'] });
  const theirWaba = await gateway.platform.addWaba({ id: '901', appId: '900' });
  await gateway.platform.addNumber({ id: '902', wabaId: theirWaba.id });
  const added = await gateway.call<{ _id: string }>('POST', '/v1/senders', {
    key,
    body: {
      ...{ name: 'theirs', phoneNumberId: '902', businessAccountId: theirWaba.id },
      ...{ accessToken: 'their-token', appSecret: 'their-secret', verifyToken: 'x' },
    },
  });
  expect(added.status).toBe(200);
  await gateway.database.db
    .updateTable('senders')
    .set({ business_account_id: waba })
    .where('id', '=', added.body.data._id)
    .execute();
  const { providerTemplateId } = await template();
  const value = { event: 'DISABLED', message_template_id: providerTemplateId };
  const changes = [{ field: 'message_template_status_update', value }];
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: waba, changes }] });
  const signature = `sha256=${createHmac('sha256', 'their-secret').update(body).digest('hex')}`;
  const answer = await gateway.call('POST', `/callbacks/messaging/${added.body.data._id}`, {
    key: null,
    body,
    headers: { 'X-Hub-Signature-256': signature },
  });
  expect(answer.status).toBe(200);
  expect(await template()).toMatchObject({ status: 'approved' });
});
