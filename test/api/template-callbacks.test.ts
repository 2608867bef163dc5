// Templates of several business accounts: lists, drafts, submissions and callbacks.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { postCallback } from '../harness/callbacks.ts';
import { addSender, type Gateway, readTemplates, startGateway, waba } from '../harness/gateway.ts';

let gateway: Gateway;
let templateId: string;
let senderId: string;

beforeAll(async () => {
  gateway = await startGateway();
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const, components };
  const added = await addSender(gateway, [{ name: 'hello', ...seed }]);
  senderId = added.senderId;
  templateId = added.templateIds.hello as string;
});
afterAll(() => gateway?.close());

interface Item {
  status: string;
  providerStatus: string;
  category: string;
  providerTemplateId: string;
}
const template = async () => (await gateway.call<Item>('GET', `/v1/templates/${templateId}`)).body.data;

test("another account that claims the same business account cannot change this one's templates", async () => {
  const key = await gateway.otherAccount();
  // their own app has access to the business account, or they control the API's address and its responses
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
  const response = await gateway.call('POST', `/callbacks/messaging/${added.body.data._id}`, {
    key: null,
    body,
    headers: { 'X-Hub-Signature-256': signature },
  });
  expect(response.status).toBe(200);
  expect(await template()).toMatchObject({ status: 'approved' });
});

describe('a callback about a template', () => {
  const secret = '315490ac490cfc7c3c5e4bf869b69dab';
  const at = Math.floor(Date.now() / 1000);
  /** Posts a callback with a change; `time` is in seconds of the platform's clock. */
  const post = async (
    time: number,
    value: object,
    field = 'message_template_status_update',
    businessAccountId = waba,
  ) => {
    const { providerTemplateId } = await template();
    const changes = [{ field, value: { message_template_id: providerTemplateId, ...value } }];
    const body = { object: 'whatsapp_business_account', entry: [{ id: businessAccountId, time, changes }] };
    expect((await postCallback(gateway, senderId, body, secret)).status).toBe(200);
  };
  const dueSingly = async () => {
    const { rows } = await sql<{ id: string }>`
      select id from templates where read_due_at is not null`.execute(gateway.database.db);
    return rows.map(({ id }) => id);
  };

  it('that arrives after a newer one changes nothing, and the template is read instead', async () => {
    await post(at, { event: 'PAUSED' });
    await post(at, { event: 'APPROVED' });
    expect(await template()).toMatchObject({ status: 'approved' });
    await post(at - 1, { event: 'PAUSED' });
    await post(
      at - 1,
      { previous_category: 'UTILITY', new_category: 'MARKETING' },
      'template_category_update',
    );
    expect(await template()).toMatchObject({
      ...{ status: 'approved', providerStatus: 'APPROVED', category: 'UTILITY' },
    });
    await expect.poll(dueSingly).toEqual([]);
    // the platform's current state decides, not the report
    await gateway.platform.unsubscribe('100100100100100');
    const { providerTemplateId } = await template();
    await gateway.platform.changeTemplate(providerTemplateId, { status: 'DISABLED' });
    await post(at - 1, { event: 'PAUSED' });
    await expect.poll(template).toMatchObject({ status: 'submitted', providerStatus: 'DISABLED' });
    await gateway.platform.changeTemplate(providerTemplateId, { status: 'APPROVED' });
    await post(at + 1, { event: 'APPROVED' });
    expect(await template()).toMatchObject({ status: 'approved', providerStatus: 'APPROVED' });
  });

  it('that announces a category keeps the current category, even if it arrives after the change', async () => {
    await post(
      at + 2,
      { previous_category: 'UTILITY', new_category: 'MARKETING' },
      'template_category_update',
    );
    const announced = { new_category: 'UTILITY', correct_category: 'MARKETING' };
    await post(at + 2, announced, 'template_category_update');
    expect((await template()).category).toBe('MARKETING');
    await post(
      at + 2,
      { previous_category: 'MARKETING', new_category: 'UTILITY' },
      'template_category_update',
    );
    expect((await template()).category).toBe('UTILITY');
  });

  it('does not approve a template that is being deleted', async () => {
    const deleting = (until: string | null) =>
      sql`update templates set status = 'submitted', provider_status = 'PENDING_DELETION',
        deleting_until = now() + ${until}::interval where id = ${templateId}`.execute(gateway.database.db);
    await deleting('1 minute');
    await post(at + 3, { event: 'REINSTATED' });
    expect(await template()).toMatchObject({ status: 'submitted', providerStatus: 'PENDING_DELETION' });
    // the deletion did not happen: reports are applied again
    await deleting(null);
    await post(at + 3, { event: 'APPROVED' });
    expect(await template()).toMatchObject({ status: 'approved' });
  });

  it('changes a template of a business account whose sender was added a moment ago', async () => {
    const added = '401401401401401';
    await gateway.platform.addWaba({ id: added, appId: '100100100100100' });
    await gateway.platform.addNumber({ id: '501', wabaId: added });
    const body = {
      ...{ name: '501', phoneNumberId: '501', businessAccountId: added, accessToken: 'test-token' },
      ...{ appSecret: secret, verifyToken: 'x' },
    };
    // before the sender, which causes a reading: the call below may share that one
    const components = [{ type: 'BODY', text: 'Hello there.' }];
    const { id } = await gateway.platform.addTemplate({ wabaId: added, name: 'new_here', components });
    const sender = await gateway.call<{ _id: string }>('POST', '/v1/senders', { body });
    await readTemplates(gateway);
    // this process knows the app's numbers, and is not told of the change: another one made it, and its notification is lost
    await post(at + 4, {}, 'message_template_components_update');
    const untold = '402402402402402';
    const { db } = gateway.database;
    await db
      .updateTable('senders')
      .set({ business_account_id: untold })
      .where('business_account_id', '=', added)
      .execute();
    await db
      .updateTable('templates')
      .set({ business_account_id: untold })
      .where('business_account_id', '=', added)
      .execute();
    await post(at, { event: 'PAUSED', message_template_id: id }, undefined, untold);
    const { rows } = await sql<{ provider_status: string }>`
      select provider_status from templates where provider_template_id = ${id}`.execute(gateway.database.db);
    expect(rows).toEqual([{ provider_status: 'PAUSED' }]);
    await gateway.call('DELETE', `/v1/senders/${sender.body.data._id}`);
  });
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

  it('lists templates of the same name separately, each with its senders', async () => {
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

  it('creates a draft for the given business account, else for that of the default sender', async () => {
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

  it('submits and deletes through another sender of the business account while the first is unreachable', async () => {
    const { body } = await draft('while_away', other);
    await moveTo('http://127.0.0.1:1', senderIds[0]);
    const submitted = await gateway.call<Listed>('POST', `/v1/templates/${body.data._id}/submit`);
    expect([submitted.status, submitted.body.data.status]).toEqual([200, 'submitted']);
    expect((await gateway.call('DELETE', `/v1/templates/${body.data._id}`)).status).toBe(200);
    const { templates } = await gateway.platform.state();
    expect(templates.filter(({ name }) => name === 'while_away')).toEqual([]);
  });

  it('does not repeat a submission of unknown outcome through another sender', async () => {
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
