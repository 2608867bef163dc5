// Drafts: made, filled, checked, changed and started.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDrafts } from '../harness/campaigns.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { templateKinds } from '../harness/sends.ts';
import { wrongCounts } from '../harness/statistics.ts';
import { leaveUnanswered } from '../harness/unanswered.ts';
import { until } from '../harness/until.ts';

type Drafts = ReturnType<typeof openDrafts>;

let gateway: Gateway;
let ids: Record<string, string>;
let senderId: string;
let call: Drafts['call'];
let phone: Drafts['phone'];
let draft: Drafts['draft'];
let sendOf: Drafts['sendOf'];
let add: Drafts['add'];
let recipientsOf: Drafts['recipientsOf'];
beforeAll(async () => {
  gateway = await startGateway();
  ({ templateIds: ids, senderId } = await addSender(gateway, templateKinds));
  ({ call, phone, draft, sendOf, add, recipientsOf } = openDrafts(gateway, ids, 15550900000));
});
afterAll(() => gateway?.close());

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
const done = (id: string) => until(async () => expect((await sendOf(id)).state).toBe('done'));
const contentOf = async (to: string) => (await gateway.platform.ledger({ phone: to }))[0];

test('a draft is filled, sends nothing before its start, and each recipient keeps its id', async () => {
  const id = await draft('order_update', { name: 'Orders' });
  const [one, other] = [phone(), phone()];
  const added = await add(id, [
    { phone: one, name: 'Ada', variables: { 1: 'Ada', 2: 'A-1', 3: 'Friday' }, metadata: { order: '1' } },
    { phone: other, variables: { 1: 'Bob', 2: 'B-1', 3: 'Monday' } },
  ]);
  expect([added.status, added.body.data]).toEqual([
    200,
    { added: 2, duplicates: 0, optedOut: 0, rejected: 0, errors: [] },
  ]);
  expect(await sendOf(id)).toMatchObject({
    state: 'draft',
    name: 'Orders',
    total: 2,
    counts: { waiting: 2 },
    createdBy: { kind: 'key', id: expect.any(String), name: expect.any(String) },
  });
  const before = (await recipientsOf(id)).items;
  expect(before).toMatchObject([
    { phone: one, name: 'Ada', status: 'waiting', metadata: { order: '1' } },
    { phone: other, name: null, status: 'waiting', metadata: null },
  ]);
  expect(await gateway.platform.ledger({ phone: one })).toEqual([]);
  for (const action of ['pause', 'resume'])
    expect((await call('POST', `/${id}/${action}`)).body.code).toBe('send_state_conflict');
  expect((await call('POST', `/${id}/start`)).body.data.state).toMatch(/sending|done/);
  await done(id);
  expect((await recipientsOf(id)).items.map(({ id: own }) => own)).toEqual(before.map(({ id: own }) => own));
  expect(JSON.stringify(await contentOf(one))).toContain('A-1');
  expect((await add(id, [{ phone: phone() }])).body.code).toBe('send_state_conflict');
  expect((await call('DELETE', `/${id}`)).body.code).toBe('send_state_conflict');
  expect((await call('DELETE', `/${id}/recipients`)).body.code).toBe('send_state_conflict');
});

test('a draft takes only what its template takes, and leaves the rest to the recipients', async () => {
  const location = { latitude: 1, longitude: 2, name: 'Office', address: 'Main Street 1' };
  const faults = async (method: string, path: string, more: object) => {
    const { status, body } = await call(method, path, more);
    return status === 200 ? [] : [body.code, ...(body.errors ?? []).map((one) => one.path)];
  };
  const made = (name: string, more: object) => faults('POST', '', { templateId: ids[name], ...more });
  expect(await made('plain', { location })).toEqual(['invalid_request', 'location']);
  expect(await made('photo', { location, headerMediaUrl: 'https://a b' })).toEqual([
    ...['invalid_request', 'location', 'headerMediaUrl'],
  ]);
  expect(await made('plain', { buttons: [{ index: 0, payload: 'x' }] })).toEqual([
    ...['invalid_request', 'buttons[0].index'],
  ]);
  expect(await made('meeting_point', { location })).toEqual([]);
  expect(await made('meeting_point', { metadata: { a: 'b' } })).toEqual([]);
  const id = await draft('meeting_point');
  const url = { headerMediaUrl: 'https://example.com/a.png' };
  expect(await faults('PATCH', `/${id}`, { location, ...url })).toEqual([
    'invalid_request',
    'headerMediaUrl',
  ]);
  expect(await faults('PATCH', `/${id}`, { location, name: 'Here' })).toEqual([]);
  expect((await add(id, [{ phone: phone() }])).body.data).toMatchObject({ added: 1, rejected: 0 });
});

test('a draft with a time ahead is scheduled by its start, and its time can be changed', async () => {
  const id = await draft('plain', { sendAt: ahead(60_000) });
  await add(id, [{ phone: phone() }]);
  const scheduled = await call('POST', `/${id}/start`);
  expect([scheduled.body.data.state, scheduled.body.message]).toEqual(['scheduled', 'Send scheduled.']);
  const at = ahead(90_000);
  expect((await call('PATCH', `/${id}`, { sendAt: at })).body.data.sendAt).toBe(at);
  expect((await call('PATCH', `/${id}`, { senderId })).body.code).toBe('send_state_conflict');
  const past = await call('PATCH', `/${id}`, { sendAt: ahead(-1) });
  expect([past.status, past.body.errors?.[0]?.path]).toEqual([400, 'sendAt']);
  // soon, and still in the future when it arrives
  for (let ms = 100; (await call('PATCH', `/${id}`, { sendAt: ahead(ms) })).status !== 200; ms *= 2);
  await done(id);
});

test('a paused send whose time is removed or put into the past starts when it is resumed, and its time to live begins then', async () => {
  for (const sendAt of [null, ahead(-3 * 86_400_000)]) {
    const id = await draft('plain', { sendAt: ahead(60_000), expiresInSeconds: 600 });
    await add(id, [{ phone: phone() }]);
    for (const action of ['start', 'pause']) await call('POST', `/${id}/${action}`);
    expect((await call('PATCH', `/${id}`, { sendAt })).status).toBe(200);
    const resumed = (await call('POST', `/${id}/resume`)).body.data;
    expect(Math.abs(Date.parse(resumed.expiresAt ?? '') - Date.now() - 600_000)).toBeLessThan(60_000);
    await done(id);
    expect((await sendOf(id)).counts).not.toHaveProperty('failed');
  }
});

test('a send that is paused and resumes at a later time sends nothing until then', async () => {
  await gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { messagesPerSecond: 1 } });
  const id = await draft('plain');
  const to = Array.from({ length: 20 }, phone);
  await add(
    id,
    to.map((one) => ({ phone: one })),
  );
  await call('POST', `/${id}/start`);
  await until(async () => expect((await sendOf(id)).counts.queued).toBeGreaterThan(0));
  await call('POST', `/${id}/pause`);
  await call('PATCH', `/${id}`, { sendAt: ahead(3_600_000) });
  expect((await call('POST', `/${id}/resume`)).body.data.state).toBe('scheduled');
  await gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { messagesPerSecond: 1_000 } });
  await until(async () => {
    const { counts } = await sendOf(id);
    expect([counts.queued ?? 0, counts.dispatching ?? 0]).toEqual([0, 0]);
  });
  expect((await sendOf(id)).counts.waiting).toBeGreaterThan(0);
  expect((await call('POST', `/${id}/start`)).body.data.state).toBe('sending');
  await done(id);
  const calls = await Promise.all(to.map((one) => gateway.platform.ledger({ phone: one })));
  expect(calls.map((one) => one.length)).toEqual(to.map(() => 1));
  expect(await wrongCounts(gateway.database.db)).toEqual([]);
});

test('a draft changes in everything but its template, is emptied, and is deleted with its recipients', async () => {
  const id = await draft();
  const changed = await call('PATCH', `/${id}`, {
    name: 'New',
    senderId,
    expiresInSeconds: 60,
    sendAt: null,
    metadata: { a: 'b' },
  });
  expect(changed.body.data).toMatchObject({ name: 'New', expiresInSeconds: 60, sendAt: null });
  expect((await call('PATCH', `/${id}`, { templateId: ids.sale })).status).toBe(400);
  expect((await call('PATCH', `/${id}`, { mediaId: 'none' })).body.errors?.[0]?.path).toBe('mediaId');
  await add(id, [{ phone: phone() }, { phone: phone(), metadata: { own: 'c' } }]);
  expect((await recipientsOf(id)).items.map(({ metadata }) => metadata)).toEqual([{ a: 'b' }, { own: 'c' }]);
  expect((await call<{ removed: number }>('DELETE', `/${id}/recipients`)).body.data.removed).toBe(2);
  expect((await sendOf(id)).total).toBe(0);
  expect((await call('POST', `/${id}/start`)).body.code).toBe('send_state_conflict');
  await add(id, [{ phone: phone() }]);
  expect((await call('DELETE', `/${id}`)).status).toBe(200);
  expect((await call('GET', `/${id}`)).status).toBe(404);
  const { rows } = await sql`select from send_recipients where send_id = ${id}`.execute(gateway.database.db);
  expect(rows).toEqual([]);
});

test('authentication templates cannot be drafted, and a repeated key makes one draft', async () => {
  const code = await call('POST', '', { templateId: ids.sign_in_code });
  expect([code.status, code.body.errors?.[0]?.path]).toEqual([400, 'templateId']);
  const key = { 'Idempotency-Key': randomUUID() };
  const first = await call('POST', '', { templateId: ids.plain }, key);
  const again = await call('POST', '', { templateId: ids.plain }, key);
  expect(again.text).toBe(first.text);
  await leaveUnanswered(gateway.database.db, key['Idempotency-Key']);
  const continued = await call('POST', '', { templateId: ids.plain }, key);
  expect([continued.status, continued.body.data]).toEqual([200, first.body.data]);
  expect((await call('POST', '', { templateId: ids.sale }, key)).body.code).toBe('idempotency_key_reused');
});

test('another account sees nothing of a draft', async () => {
  const id = await draft();
  const key = await gateway.otherAccount();
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/start'],
    ['POST', '/check'],
    ['POST', '/recipients'],
    ['GET', '/recipients'],
    ['DELETE', '/recipients'],
  ] as const) {
    const body =
      method === 'PATCH'
        ? { name: 'x' }
        : path === '/recipients' && method === 'POST'
          ? { recipients: [{ phone: phone() }] }
          : undefined;
    const { status } = await gateway.call(method, `/v1/sends/${id}${path}`, { key, body });
    expect([method, path, status]).toEqual([method, path, 404]);
  }
});

test('a draft whose template changed does not start until its recipients are checked and fit', async () => {
  const id = await draft('two_links');
  const variables = { 'buttons.0.1': 'a', 'buttons.1.1': 'b' };
  await add(id, [{ phone: phone(), variables }]);
  const components = (set: ReturnType<typeof sql>) =>
    sql`update templates set components = ${set}, components_changed_at = date_trunc('milliseconds', clock_timestamp()) where id = ${ids.two_links}`.execute(
      gateway.database.db,
    );
  const { rows } = await sql<{
    components: unknown;
  }>`select components from templates where id = ${ids.two_links}`.execute(gateway.database.db);
  const before = JSON.stringify(rows[0]?.components);
  await components(sql`components || '[{"type": "FOOTER", "text": "New"}]'`);
  expect((await call('POST', `/${id}/start`)).body.code).toBe('template_changed');
  expect((await add(id, [{ phone: phone(), variables }])).body.code).toBe('template_changed');
  const fits = await call<{ checked: number; rejected: number }>('POST', `/${id}/check`);
  expect(fits.body.data).toEqual({ checked: 1, rejected: 0, errors: [] });
  await components(sql`'[{"type": "BODY", "text": "Hi {{1}}"}]'`);
  const misfits = await call<{ rejected: number; errors: { path: string; row: number }[] }>(
    'POST',
    `/${id}/check`,
  );
  expect(misfits.body.data).toMatchObject({ checked: 1, rejected: 1 });
  expect(misfits.body.data.errors[0]).toMatchObject({ row: 1 });
  expect((await call('POST', `/${id}/start`)).body.code).toBe('template_changed');
  await components(sql`${before}::jsonb`);
  // contents of two texts may be mixed
  expect((await call('POST', `/${id}/start`)).body.code).toBe('template_changed');
  await call('POST', `/${id}/check`);
  expect((await call('POST', `/${id}/start`)).status).toBe(200);
  await done(id);
});

test('recipients of a template that is still a draft are checked again after it changed', async () => {
  const components = (text: string) => [{ type: 'BODY', text }];
  const made = await gateway.call<{ _id: string }>('POST', '/v1/templates', {
    body: {
      providerTemplateName: 'news',
      language: 'en_US',
      category: 'MARKETING',
      components: components('News.'),
    },
  });
  const { _id: templateId } = made.body.data;
  const { sendId } = (await call('POST', '', { templateId })).body.data;
  expect((await add(sendId, [{ phone: phone() }])).body.data.added).toBe(1);
  await gateway.call('PATCH', `/v1/templates/${templateId}`, {
    body: { components: components('More news.') },
  });
  expect((await add(sendId, [{ phone: phone() }])).body.code).toBe('template_changed');
  await call('POST', `/${sendId}/check`);
  expect((await add(sendId, [{ phone: phone() }])).body.data.added).toBe(1);
});

test('the recipients are listed by status and page, before and after they are fed', async () => {
  const id = await draft();
  const to = [phone(), phone(), phone()];
  await add(
    id,
    to.map((one) => ({ phone: one })),
  );
  const phonesOf = async (query: string) => (await recipientsOf(id, query)).items.map((one) => one.phone);
  expect(await phonesOf('?status=waiting')).toEqual(to);
  expect(await phonesOf('?status=read')).toEqual([]);
  const page = await recipientsOf(id, '?limit=2');
  expect(await phonesOf(`?limit=2&cursor=${page.pagination.nextCursor}`)).toEqual(to.slice(2));
  await call('POST', `/${id}/start`);
  await done(id);
  expect(await phonesOf('?status=waiting')).toEqual([]);
  expect(await phonesOf('')).toEqual(to);
  const again = await recipientsOf(id, '?limit=2');
  expect(await phonesOf(`?limit=2&cursor=${again.pagination.nextCursor}`)).toEqual(to.slice(2));
});

test('all of these count exactly in the statistics', async () => {
  expect(await wrongCounts(gateway.database.db)).toEqual([]);
});
