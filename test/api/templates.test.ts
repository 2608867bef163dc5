// Templates: lists, filters, variables, drafts, submissions, readings and status reports.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addEndpoint, addSender, type Gateway, readTemplates, startGateway } from '../harness/gateway.ts';
import { templateKinds } from '../harness/sends.ts';

interface Template {
  _id: string;
  providerTemplateName: string;
  status: string;
  language: string;
  category: string;
  components: object[];
  providerTemplateId: string | null;
  providerStatus: string | null;
  rejectedReason: string | null;
  variables: unknown;
  inputs: { key: string; required: boolean }[];
}
interface List {
  items: Template[];
  pagination: { page: number; limit: number; total: number; totalPages: number };
}

let gateway: Gateway;
let ids: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.platform.settings({ approvalMs: 0 });
  ({ templateIds: ids } = await addSender(gateway, templateKinds));
  await addEndpoint(gateway, { events: ['templates.status'] });
});
afterAll(() => gateway?.close());

const list = async (query = '', key = gateway.apiKey) =>
  (await gateway.call<List>('GET', `/v1/templates${query}`, { key })).body.data;
const namesOf = (data: List) => data.items.map((one) => one.providerTemplateName);
const detail = (id = '', key = gateway.apiKey) =>
  gateway.call<Template>('GET', `/v1/templates/${id}`, { key });
const draft = (providerTemplateName: string, more: object = {}, key = gateway.apiKey) =>
  gateway.call<Template>('POST', '/v1/templates', {
    key,
    body: {
      providerTemplateName,
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello {{1}}, welcome back.', example: { body_text: [['Ada']] } }],
      ...more,
    },
  });
const statusBecomes = (id: string, status: string) =>
  expect.poll(async () => (await detail(id)).body.data.status).toBe(status);

describe('a preview', () => {
  const preview = (id: string | undefined, body: object) =>
    gateway.call<{ body: string; errors: object[] }>('POST', `/v1/templates/${id}/preview`, { body });

  it('returns the filled text, with what is missing in errors, and needs no phone', async () => {
    const { status, body } = await preview(ids.sale, { variables: {} });
    expect(status).toBe(200);
    const required = (await detail(ids.sale)).body.data.inputs.filter((one) => one.required);
    expect(required.length).toBeGreaterThan(0);
    expect(body.data.errors).toHaveLength(required.length);
    const variables = Object.fromEntries(required.map(({ key }) => [key, 'A1']));
    const filled = (await preview(ids.sale, { variables, phone: '1 2' })).body.data;
    expect(filled.errors).toEqual([{ path: 'phone', message: expect.any(String) }]);
    expect(filled.body).toContain('A1');
    expect(filled.body).not.toContain('{{');
  });

  it('is 404 for an unknown template, and 400 for an unknown member', async () => {
    expect((await preview(crypto.randomUUID(), {})).status).toBe(404);
    expect((await preview(ids.sale, { variabels: {} })).status).toBe(400);
  });
});

describe('the list', () => {
  it('returns every template with content and metadata, newest first', async () => {
    const all = await list();
    expect(namesOf(all).sort()).toEqual(templateKinds.map(({ name }) => name).sort());
    expect(all.pagination).toEqual({ page: 1, limit: 20, total: templateKinds.length, totalPages: 1 });
    const sale = all.items.find((one) => one.providerTemplateName === 'sale');
    expect(sale).toMatchObject({
      _id: ids.sale,
      status: 'approved',
      language: 'en_US',
      category: 'MARKETING',
      providerStatus: 'APPROVED',
      providerTemplateId: expect.stringMatching(/^\d+$/),
      qualityScore: 'GREEN',
      rejectedReason: null,
    });
    expect(sale?.components).toEqual(templateKinds.find(({ name }) => name === 'sale')?.components);
  });

  it('filters by status, category, language and part of the name', async () => {
    const cases: [string, (names: string[]) => void][] = [
      ['?status=submitted', (names) => expect(names.sort()).toEqual(['refused', 'waiting'])],
      ['?status=approved', (names) => expect(names).toHaveLength(templateKinds.length - 2)],
      ['?status=draft', (names) => expect(names).toEqual([])],
      ['?category=MARKETING', (names) => expect(names).toEqual(['sale'])],
      ['?category=AUTHENTICATION&status=approved', (names) => expect(names).toEqual(['sign_in_code'])],
      ['?language=en_US', (names) => expect(names).toHaveLength(templateKinds.length)],
      ['?language=hi', (names) => expect(names).toEqual([])],
      ['?search=ORDER', (names) => expect(names).toEqual(['order_update'])],
      ['?search=%25', (names) => expect(names).toEqual([])],
      ['?search=_', (names) => expect(names.length).toBeGreaterThan(2)],
    ];
    for (const [query, check] of cases) check(namesOf(await list(query)));
  });

  it('returns each template once over its pages', async () => {
    const whole = namesOf(await list('?limit=100'));
    const pages = [];
    for (let page = 1; page <= 4; page++) pages.push(await list(`?limit=5&page=${page}`));
    expect(pages.flatMap(namesOf)).toEqual(whole);
    const { total } = pages[0]?.pagination ?? { total: 0 };
    expect(pages[0]?.pagination).toEqual({ page: 1, limit: 5, total, totalPages: Math.ceil(total / 5) });
    expect(pages.at(-1)?.items).toEqual([]);
  });

  it('is empty for another account', async () => {
    const key = await gateway.otherAccount();
    expect((await list('', key)).pagination.total).toBe(0);
    expect((await detail(ids.plain, key)).body.code).toBe('template_not_found');
    expect((await gateway.call('DELETE', `/v1/templates/${ids.plain}`, { key })).status).toBe(404);
  });
});

test.each<[string, object]>([
  ['plain', { format: 'positional', header: [], body: [], buttons: [], headerMedia: null, examples: {} }],
  ['order_update', { body: ['1', '2', '3'], examples: { '1': 'Ada', '2': 'A-1', '3': 'Friday' } }],
  [
    'sale',
    {
      header: ['1'],
      body: ['1', '2'],
      buttons: [
        { index: 1, subType: 'url', variables: ['1'] },
        { index: 2, subType: 'copy_code', variables: ['1'] },
      ],
      examples: { 'header.1': 'June', 'buttons.1.1': 'a', 'buttons.2.1': '250FF' },
    },
  ],
  ['named', { format: 'named', body: ['first_name', 'day'] }],
  ['sign_in_code', { body: ['1'], buttons: [{ index: 0, subType: 'url', variables: ['1'] }] }],
  ['bill', { headerMedia: 'document', header: [] }],
  ['meeting_point', { headerMedia: 'location' }],
])('%s lists the variables that a send must fill', async (name, variables) => {
  const { status, body } = await detail(ids[name]);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ providerTemplateName: name, variables });
});

describe('a template status report changes the template immediately and publishes an event', () => {
  test.each<[string, string, string]>([
    ['PAUSED', 'submitted', 'PAUSED'],
    ['APPROVED', 'approved', 'APPROVED'],
    ['REJECTED', 'submitted', 'REJECTED'],
    ['REINSTATED', 'approved', 'REINSTATED'],
    ['DISABLED', 'submitted', 'DISABLED'],
    ['APPROVED', 'approved', 'APPROVED'],
    ['A_WORD_NOT_KNOWN_YET', 'submitted', 'A_WORD_NOT_KNOWN_YET'],
  ])('%s', async (word, status, providerStatus) => {
    const id = ids.plain ?? '';
    const since = (await gateway.receiver.events({ kind: 'templates.status' })).at(-1)?.seq ?? 0;
    const providerId = (await detail(id)).body.data.providerTemplateId ?? '';
    await gateway.platform.changeTemplate(providerId, { status: word, reason: 'INVALID_FORMAT' });
    await statusBecomes(id, status);
    expect((await detail(id)).body.data).toMatchObject({ providerStatus, rejectedReason: 'INVALID_FORMAT' });
    const [event] = await gateway.receiver.events({ kind: 'templates.status', since, waitSeconds: 30 });
    expect(event).toMatchObject({
      verified: true,
      json: { event: 'templates.status', data: { _id: id, status } },
    });
  });

  test.each(['FLAGGED', 'LOCKED'])('%s changes nothing', async (status) => {
    const id = ids.order_update ?? '';
    await gateway.platform.changeTemplate((await detail(id)).body.data.providerTemplateId ?? '', { status });
    await expect.poll(async () => (await gateway.platform.state()).pendingCallbacks).toBe(0);
    expect((await detail(id)).body.data).toMatchObject({ status: 'approved', providerStatus: 'APPROVED' });
  });

  test('category and quality change independently', async () => {
    const id = ids.order_update ?? '';
    const providerId = (await detail(id)).body.data.providerTemplateId ?? '';
    await gateway.platform.changeTemplate(providerId, { category: 'MARKETING', quality: 'RED' });
    await expect
      .poll(async () => (await detail(id)).body.data)
      .toMatchObject({
        category: 'MARKETING',
        qualityScore: 'RED',
        status: 'approved',
        providerStatus: 'APPROVED',
      });
  });
});

describe('a draft', () => {
  it('is stored only here, submitted once, and approved by the platform', async () => {
    const made = await draft('welcome');
    expect(made.body.data).toMatchObject({ status: 'draft', providerTemplateId: null, providerStatus: null });
    const { _id } = made.body.data;
    expect(namesOf(await list('?status=draft'))).toEqual(['welcome']);
    const sent = await gateway.call('POST', '/v1/templates/send', {
      body: { templateId: _id, recipients: [{ phone: '15550700001', variables: { '1': 'Ada' } }] },
    });
    expect(sent.body.code).toBe('template_not_approved');
    // the platform's review may end before the submission's response
    const submitted = await gateway.call<Template>('POST', `/v1/templates/${_id}/submit`);
    expect(submitted.status).toBe(200);
    await statusBecomes(_id, 'approved');
    const again = await gateway.call('POST', `/v1/templates/${_id}/submit`);
    expect([again.status, again.body.code]).toEqual([409, 'template_not_draft']);
    expect(namesOf(await list('?search=welcome'))).toEqual(['welcome']);
  });

  it('with a name and language in use is rejected', async () => {
    expect((await draft('plain')).body.code).toBe('template_exists');
    expect((await draft('plain', { language: 'hi' })).status).toBe(200);
  });

  it('returns 400 for what the platform would reject', async () => {
    const body = (text: string) => ({ type: 'BODY', text });
    const cases: [object, RegExp][] = [
      [{ components: [] }, /components/],
      [{ components: [{ type: 'FOOTER', text: 'x' }] }, /exactly one BODY/],
      [{ components: [body('a'), body('b')] }, /exactly one BODY/],
      [{ components: [body('Hi {{1}} and {{3}}.')] }, /without gaps/],
      [{ components: [body('x'.repeat(1025))] }, /1024/],
      [{ components: [body('a'), { type: 'CAROUSEL' }] }, /carousel/],
      [{ providerTemplateName: 'Has Spaces' }, /providerTemplateName/],
      [{ category: 'FUN' }, /category: must be one of AUTHENTICATION, MARKETING, UTILITY/],
      [{ language: 'english' }, /language/],
      [{ language: 'zz' }, /language code of the platform.*it is zz/],
      [{ components: [body('Hi there {{1}}{{2}} from all of us.')] }, /text between two variables/],
    ];
    for (const [wrong, message] of cases) {
      const response = await draft('faulty', wrong);
      expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
      expect(response.text).toMatch(message);
    }
  });

  it('that the platform rejects returns its explanation and stays a draft', async () => {
    const { body } = await draft('refused_there');
    await gateway.platform.addFault({ on: 'templates', code: 100, details: 'Not like this.', times: 1 });
    const response = await gateway.call('POST', `/v1/templates/${body.data._id}/submit`);
    expect([response.status, response.body.code]).toEqual([502, 'provider_rejected']);
    expect(response.body).toMatchObject({ provider: { code: 100, message: 'Not like this.' } });
    await gateway.platform.addFault({ on: 'templates', does: 'close', times: 1 });
    const down = await gateway.call('POST', `/v1/templates/${body.data._id}/submit`);
    expect([down.status, down.body.code]).toEqual([503, 'provider_unavailable']);
    expect(Number(down.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await detail(body.data._id)).body.data.status).toBe('draft');
    expect((await gateway.call('DELETE', `/v1/templates/${body.data._id}`)).body.code).toBe('conflict');
  });

  it('can be created before any sender, but not submitted', async () => {
    const key = await gateway.otherAccount('early');
    const { body } = await draft('early', {}, key);
    const submit = await gateway.call('POST', `/v1/templates/${body.data._id}/submit`, { key });
    expect([submit.status, submit.body.code]).toEqual([409, 'sender_not_configured']);
    const sync = await gateway.call('POST', '/v1/templates/sync', { key });
    expect(sync.body.code).toBe('sender_not_configured');
  });
});

describe('reading the platform’s list', () => {
  it('adds new templates, changes known ones and removes deleted ones, over all pages', async () => {
    const before = (await list()).pagination.total;
    const wabaId = (await gateway.platform.state()).wabas[0]?.id ?? '';
    for (let index = 0; index < 130; index++) {
      const components = [{ type: 'BODY', text: `Number ${index}` }];
      await gateway.platform.addTemplate({ wabaId, name: `bulk_${index}`, components });
    }
    const sync = await readTemplates(gateway);
    expect(sync.body.data.count).toBeGreaterThanOrEqual(130);
    expect((await list('?search=bulk_')).pagination.total).toBe(130);
    expect((await list()).pagination.total).toBe(before + 130);
    expect((await detail(ids.sale)).body.data._id).toBe(ids.sale);
  });

  it('returns the platform’s explanation if the list cannot be read, and changes nothing', async () => {
    const before = (await list()).pagination.total;
    await gateway.platform.addFault({ on: 'templates', code: 190, times: 1 });
    const response = await readTemplates(gateway);
    expect([response.status, response.body.code]).toEqual([502, 'provider_rejected']);
    expect((await list()).pagination.total).toBe(before);
  });
});

test('deleting a template deletes it at the platform', async () => {
  const id = ids.two_links ?? '';
  expect((await gateway.call('DELETE', `/v1/templates/${id}`)).status).toBe(200);
  expect((await detail(id)).status).toBe(404);
  const { templates } = await gateway.platform.state();
  expect(templates.some(({ name }) => name === 'two_links')).toBe(false);
});
