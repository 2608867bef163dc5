// Several business accounts: whose templates are listed, drafted and submitted by which number, and whose callbacks change them.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addSender, type Gateway, readTemplates, startGateway, waba } from '../harness/gateway.ts';

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
  await gateway.platform.addApp({
    id: '900',
    secret: 'c18f2abaebaa1d7e818f47c54d319afe',
    tokens: ['their-token'],
  });
  const theirWaba = await gateway.platform.addWaba({ id: '901', appId: '900' });
  await gateway.platform.addNumber({ id: '902', wabaId: theirWaba.id });
  const added = await gateway.call<{ _id: string }>('POST', '/v1/senders', {
    key,
    body: {
      ...{ name: 'theirs', phoneNumberId: '902', businessAccountId: theirWaba.id },
      ...{ accessToken: 'their-token', appSecret: 'c18f2abaebaa1d7e818f47c54d319afe', verifyToken: 'x' },
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
  const signature = `sha256=${createHmac('sha256', 'c18f2abaebaa1d7e818f47c54d319afe').update(body).digest('hex')}`;
  const answer = await gateway.call('POST', `/callbacks/messaging/${added.body.data._id}`, {
    key: null,
    body,
    headers: { 'X-Hub-Signature-256': signature },
  });
  expect(answer.status).toBe(200);
  expect(await template()).toMatchObject({ status: 'approved' });
});

describe('an account with two business accounts', () => {
  const other = '201201201201201';
  const senderIds: string[] = [];

  beforeAll(async () => {
    await gateway.platform.addWaba({ id: other, appId: '100100100100100' });
    const components = [{ type: 'BODY', text: 'Hello there.' }];
    await gateway.platform.addTemplate({ wabaId: other, name: 'hello', components });
    for (const id of ['301', '302']) {
      await gateway.platform.addNumber({ id, wabaId: other });
      const body = {
        ...{ name: id, phoneNumberId: id, businessAccountId: other, accessToken: 'test-token' },
        ...{ appSecret: '315490ac490cfc7c3c5e4bf869b69dab', verifyToken: 'x' },
      };
      const added = await gateway.call<{ _id: string }>('POST', '/v1/senders', { body });
      senderIds.push(added.body.data._id);
    }
    await readTemplates(gateway);
  });

  interface Listed {
    _id: string;
    businessAccountId: string | null;
    senders: { _id: string; name: string; isDefault: boolean }[];
    status: string;
  }
  const list = async (query: string) =>
    (await gateway.call<{ items: Listed[]; pagination: { total: number } }>('GET', `/v1/templates${query}`))
      .body.data;
  const moveTo = (api_url: string | null, senderId = '') =>
    gateway.database.db.updateTable('senders').set({ api_url }).where('id', '=', senderId).execute();
  const draft = (name: string, businessAccountId?: string) =>
    gateway.call<Listed>('POST', '/v1/templates', {
      body: {
        ...{ providerTemplateName: name, language: 'en_US', category: 'UTILITY', businessAccountId },
        components: [{ type: 'BODY', text: 'Hello there.' }],
      },
    });

  it('tells two templates of one name apart, with the numbers that can send each', async () => {
    const { items } = await list('?search=hello');
    expect(items.map((one) => [one.businessAccountId, one.senders.map(({ name }) => name)]).sort()).toEqual([
      [waba, ['Test']],
      [other, ['301', '302']],
    ]);
    const one = await gateway.call<Listed>('GET', `/v1/templates/${items[0]?._id}`);
    expect(one.body.data.senders).toEqual(items[0]?.senders);
  });

  it('filters by business account', async () => {
    const { items, pagination } = await list(`?businessAccountId=${other}`);
    expect([items.map((one) => one.businessAccountId), pagination.total]).toEqual([[other], 1]);
    expect((await list('?businessAccountId=999')).items).toEqual([]);
  });

  it('drafts for the business account that is named, else for the default sender’s', async () => {
    expect((await draft('plain_draft')).body.data.businessAccountId).toBe(waba);
    const { body } = await draft('plain_draft', other);
    expect(body.data).toMatchObject({
      businessAccountId: other,
      senders: [{ name: '301' }, { name: '302' }],
    });
    expect((await draft('plain_draft', other)).body.code).toBe('template_exists');
    const unknown = await draft('plain_draft', '999');
    expect([unknown.status, unknown.body.errors?.[0]?.path]).toEqual([400, 'businessAccountId']);
  });

  it('submits and deletes by another number of the business account while the first is away', async () => {
    const { body } = await draft('while_away', other);
    await moveTo('http://127.0.0.1:1', senderIds[0]);
    const submitted = await gateway.call<Listed>('POST', `/v1/templates/${body.data._id}/submit`);
    expect([submitted.status, submitted.body.data.status]).toEqual([200, 'submitted']);
    expect((await gateway.call('DELETE', `/v1/templates/${body.data._id}`)).status).toBe(200);
    const { templates } = await gateway.platform.state();
    expect(templates.filter(({ name }) => name === 'while_away')).toEqual([]);
  });

  it('does not submit again by another number what may have been made', async () => {
    const { body } = await draft('maybe_made', other);
    await moveTo(null, senderIds[0]);
    await moveTo(gateway.urls.cloudApi.replace('127.0.0.1', 'localhost'), senderIds[1]);
    await gateway.platform.addFault({ on: 'templates', does: 'close', times: 1 });
    const submitted = await gateway.call('POST', `/v1/templates/${body.data._id}/submit`);
    expect([submitted.status, submitted.body.code]).toEqual([503, 'provider_unavailable']);
    expect(await gateway.platform.faults()).toEqual([]);
    const { templates } = await gateway.platform.state();
    expect(templates.filter(({ name }) => name === 'maybe_made')).toEqual([]);
  });
});
