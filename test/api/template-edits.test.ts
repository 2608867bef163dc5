// Edits and resubmissions of templates: drafts, the platform's limits, queued messages, and announced categories.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemplateSeed } from '../../sandbox/control.ts';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { messageOf, send } from '../harness/sends.ts';

interface Template {
  _id: string;
  status: string;
  providerStatus: string | null;
  category: string;
  components: { text?: string }[];
  messageTtlSeconds: number | null;
  nextCategory: { category: string; at: string | null } | null;
  isEditable: boolean;
  editableAt: string | null;
}

const hello = { type: 'BODY', text: 'Hello there.' };
const changed = (text = 'Hello again, dear customer.') => ({ components: [{ type: 'BODY', text }] });
const seed = (name: string, more: Partial<TemplateSeed> = {}) => ({
  ...{ name, language: 'en_US', status: 'APPROVED', category: 'UTILITY', components: [hello], ...more },
});

let gateway: Gateway;
let ids: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.platform.settings({ approvalMs: 0 });
  ({ templateIds: ids } = await addSender(gateway, [
    ...['edited', 'queued', 'announced', 'lost', 'timed', 'refused_edit', 'same', 'unread'].map((name) =>
      seed(name),
    ),
    seed('outdated', { status: 'REJECTED', rejectedReason: 'INVALID_FORMAT' }),
    seed('refused_same', { status: 'REJECTED', rejectedReason: 'INVALID_FORMAT', ttlSeconds: 600 }),
    seed('kept_ttl', { status: 'REJECTED', rejectedReason: 'INVALID_FORMAT', ttlSeconds: 43_200 }),
    seed('rejected', { status: 'REJECTED', rejectedReason: 'INVALID_FORMAT' }),
    seed('moved', { status: 'REJECTED', rejectedReason: 'INVALID_FORMAT', ttlSeconds: 600 }),
    seed('in_review', { status: 'PENDING' }),
  ]));
  await addEndpoint(gateway, { events: ['templates.status'] });
});
afterAll(() => gateway?.close());

const detail = async (id = '') => (await gateway.call<Template>('GET', `/v1/templates/${id}`)).body.data;
const patch = (id: string | undefined, body: object, query = '') =>
  gateway.call<Template & { editableAt: string }>('PATCH', `/v1/templates/${id}${query}`, { body });
const becomes = (id: string | undefined, status: string) =>
  expect.poll(async () => (await detail(id)).status).toBe(status);
const atPlatform = async (name: string) =>
  (await gateway.platform.state()).templates.find((one) => one.name === name);
/** Waits until no template is due to be read: a read would use up a fault. */
const allRead = () =>
  expect
    .poll(() =>
      gateway.database.db.selectFrom('templates').select('id').where('read_due_at', 'is not', null).execute(),
    )
    .toEqual([]);
const paths = ({ body }: Awaited<ReturnType<typeof patch>>) => (body.errors ?? []).map(({ path }) => path);

describe('an edit', () => {
  it('of a draft changes it here, and is checked like a new one', async () => {
    const made = await gateway.call<Template>('POST', '/v1/templates', {
      body: {
        ...{ providerTemplateName: 'draft', language: 'en_US', category: 'UTILITY' },
        ...{ components: [hello], messageTtlSeconds: 60 },
      },
    });
    const { _id } = made.body.data;
    expect(made.body.data).toMatchObject({ messageTtlSeconds: 60, isEditable: true, editableAt: null });
    const edited = await patch(_id, { ...changed(), category: 'MARKETING', messageTtlSeconds: null });
    expect(edited.body.data).toMatchObject({
      ...{ status: 'draft', category: 'MARKETING', messageTtlSeconds: null },
      ...changed(),
    });
    expect(paths(await patch(_id, changed('{{1}} first')))).toContain('components[0].text');
    expect(paths(await patch(_id, { messageTtlSeconds: 60 }))).toEqual(['messageTtlSeconds']);
    expect((await patch(_id, {})).status).toBe(400);
    expect((await patch(crypto.randomUUID(), changed())).body.code).toBe('template_not_found');
  });

  it('of the category alone checks what the draft has', async () => {
    const make = async (name: string, more: object) => {
      const body = { providerTemplateName: name, language: 'en_US', components: [hello], ...more };
      return (await gateway.call<Template>('POST', '/v1/templates', { body })).body.data._id;
    };
    const timed = await make('timed_draft', { category: 'MARKETING', messageTtlSeconds: 2_592_000 });
    expect(paths(await patch(timed, { category: 'UTILITY' }))).toEqual(['messageTtlSeconds']);
    expect((await patch(timed, { category: 'UTILITY', messageTtlSeconds: null })).status).toBe(200);
    expect(paths(await patch(timed, { category: 'AUTHENTICATION' }))).toEqual([
      'components',
      'components[0].text',
    ]);
    const offer = { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now' } };
    const link = { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://a.example' }] };
    const offered = await make('offered', { category: 'MARKETING', components: [hello, offer, link] });
    expect(paths(await patch(offered, { category: 'UTILITY' }))).toEqual(['components[1]']);
    expect((await detail(offered)).category).toBe('MARKETING');
  });

  it('of the category of a rejected template sets the time to live to the default, as the platform does', async () => {
    expect(paths(await patch(ids.moved, { category: 'AUTHENTICATION' }))).toContain('components[0].text');
    const { status, body } = await patch(ids.moved, { category: 'MARKETING' });
    expect([status, body.data]).toMatchObject([200, { category: 'MARKETING', messageTtlSeconds: null }]);
    expect(await atPlatform('moved')).toMatchObject({ category: 'MARKETING' });
    expect((await atPlatform('moved'))?.ttlSeconds).toBeUndefined();
    await becomes(ids.moved, 'approved');
    expect(await detail(ids.moved)).toMatchObject({ category: 'MARKETING', messageTtlSeconds: null });
  });

  it('of an approved template is reviewed again, once a day and never of its category', async () => {
    const id = ids.edited;
    expect(paths(await patch(id, { category: 'MARKETING' }))).toEqual(['category']);
    const { body } = await send(gateway, { templateId: id ?? '', recipients: ['15550960009'] });
    const message = body.data.messages[0]?.id ?? '';
    const edited = await patch(id, changed());
    expect([edited.status, edited.body.data.status], edited.text).toEqual([200, 'submitted']);
    expect(edited.body.data).toMatchObject(changed());
    await becomes(id, 'approved');
    expect((await atPlatform('edited'))?.components).toEqual(changed().components);
    expect(await detail(id)).toMatchObject({ isEditable: false, editableAt: expect.any(String) });
    const again = await patch(id, changed('Something else for you.'));
    expect([again.status, again.body.code]).toEqual([409, 'template_not_editable']);
    const { editableAt } = again.body as unknown as { editableAt: string };
    const hours = (Date.parse(editableAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect(await messageOf(gateway, message)).toMatchObject({ text: 'Hello there.', textSource: 'sent' });
  });

  it.each(['same', 'refused_same'])('of %s to what it has calls nothing', async (name) => {
    await allRead();
    const before = await detail(ids[name]);
    const { category, components, messageTtlSeconds } = before;
    for (const same of [
      { category },
      { components },
      { messageTtlSeconds },
      { category, components, messageTtlSeconds },
      { components: [{ text: 'Hello there.', type: 'BODY' }] },
    ]) {
      const { status, body } = await patch(ids[name], same);
      expect([status, body.data], body.message).toMatchObject([200, before]);
      expect(body.message).toContain('already has these values');
    }
    expect((await atPlatform(name))?.status).toBe(name === 'same' ? 'APPROVED' : 'REJECTED');
    expect((await patch(ids[name], { category, ...changed() })).status).toBe(200);
    await becomes(ids[name], 'approved');
    expect(await detail(ids[name])).toMatchObject({ category, messageTtlSeconds, ...changed() });
  });

  it('of the category sends the same time to live again, because the platform would reset it', async () => {
    await allRead();
    const { status } = await patch(ids.kept_ttl, { category: 'MARKETING', messageTtlSeconds: 43_200 });
    expect(status).toBe(200);
    expect(await atPlatform('kept_ttl')).toMatchObject({ category: 'MARKETING', ttlSeconds: 43_200 });
  });

  it('to what a copy has that may be outdated is 409, and more than its differences are sent', async () => {
    await gateway.database.db
      .updateTable('templates')
      .set({ read_due_at: new Date(Date.now() + 600_000), category: 'MARKETING' })
      .where('id', '=', ids.outdated ?? '')
      .execute();
    const same = await patch(ids.outdated, { components: [hello] });
    expect([same.status, same.body.code]).toEqual([409, 'conflict']);
    expect((await atPlatform('outdated'))?.status).toBe('REJECTED');
    expect((await patch(ids.outdated, { category: 'MARKETING', ...changed() })).status).toBe(200);
    expect(await atPlatform('outdated')).toMatchObject({ category: 'MARKETING', ...changed() });
  });

  it('of a draft to what it has is not an edit', async () => {
    const body = { providerTemplateName: 'same_draft', language: 'en_US', category: 'UTILITY' };
    const made = await gateway.call<Template>('POST', '/v1/templates', {
      body: { ...body, components: [hello] },
    });
    const { status, body: answer } = await patch(made.body.data._id, {
      category: 'UTILITY',
      components: [hello],
    });
    expect([status, answer.data]).toEqual([200, made.body.data]);
  });

  it('of a template in review is rejected, without a time', async () => {
    const { status, body } = await patch(ids.in_review, changed());
    expect([status, body]).toMatchObject([409, { code: 'template_not_editable', editableAt: null }]);
  });

  it('changes the time to live, within the limits of the category', async () => {
    expect(paths(await patch(ids.timed, { messageTtlSeconds: 43_201 }))).toEqual(['messageTtlSeconds']);
    expect((await patch(ids.timed, { messageTtlSeconds: 600 })).body.data.messageTtlSeconds).toBe(600);
    await becomes(ids.timed, 'approved');
    expect(await detail(ids.timed)).toMatchObject({ messageTtlSeconds: 600, components: [hello] });
  });

  it('is rejected while messages are queued, and cancels them on request', async () => {
    const id = ids.queued ?? '';
    await gateway.platform.addFault({ on: 'messages', times: 1, code: 131056 });
    const { body } = await send(
      gateway,
      { templateId: id, recipients: ['15550930001'] },
      { headers: { prefer: 'respond-async' } },
    );
    const messageId = body.data?.messages[0]?.id ?? '';
    const delay = async () => {
      const { numUpdatedRows } = await gateway.database.db
        .updateTable('messages')
        .set({ due_at: new Date(Date.now() + 3_600_000) })
        .where('id', '=', messageId)
        .where('state', '=', 0)
        .where('attempts', '=', 1)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    };
    await expect.poll(delay, { interval: 20 }).toBe(1);
    const inUse = await patch(id, changed());
    expect([inUse.status, inUse.body.code]).toEqual([409, 'template_in_use']);
    expect((await detail(id)).status).toBe('approved');
    expect((await patch(id, changed(), '?cancelQueued=true')).status).toBe(200);
    const message = await gateway.call<{ error: { code: number } }>('GET', `/v1/messages/${messageId}`);
    expect(message.body.data.error.code).toBe(900_003);
  });

  it('that the platform rejects changes nothing', async () => {
    await allRead();
    await gateway.platform.addFault({ on: 'objects', times: 1, code: 100 });
    const { status, body } = await patch(ids.refused_edit, changed());
    expect([status, body.code]).toEqual([502, 'provider_rejected']);
    expect(await detail(ids.refused_edit)).toMatchObject({ status: 'approved', components: [hello] });
  });

  it('of unknown outcome holds the template until it is read again', async () => {
    await allRead();
    await gateway.platform.addFault({ on: 'objects', times: 1, when: 'after', does: 'close' });
    const { status } = await patch(ids.lost, changed());
    expect(status).toBe(503);
    await becomes(ids.lost, 'approved');
  });

  it('of unknown outcome, before it is read again, is rejected with the reason', async () => {
    await allRead();
    await gateway.platform.addFault({ on: 'objects', times: 1, does: 'close' });
    await gateway.platform.addFault({ on: 'objects', times: 1, does: 'delay', ms: 60_000 });
    expect((await patch(ids.unread, changed())).status).toBe(503);
    const early = await patch(ids.unread, changed('A third text for you.'));
    expect([early.status, early.body.code]).toEqual([409, 'template_not_editable']);
    expect(early.body.message).toContain('was APPROVED when it was last read, and is about to be read again');
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
    await gateway.platform.clearFaults();
    await becomes(ids.unread, 'approved');
  });
});

describe('a submission', () => {
  it('of a rejected template is reviewed again', async () => {
    const submitted = await gateway.call<Template>('POST', `/v1/templates/${ids.rejected}/submit`);
    expect(submitted.status, submitted.text).toBe(200);
    await becomes(ids.rejected, 'approved');
  });

  it('of an approved template is 409 template_not_draft', async () => {
    const { body } = await gateway.call('POST', `/v1/templates/${ids.edited}/submit`);
    expect(body.code).toBe('template_not_draft');
  });
});

describe('a category', () => {
  it('that the platform announces is shown until the template gets it', async () => {
    const { id = '' } = (await atPlatform('announced')) ?? {};
    await gateway.platform.changeTemplate(id, { announcedCategory: 'MARKETING' });
    await expect
      .poll(async () => (await detail(ids.announced)).nextCategory)
      .toEqual({ category: 'MARKETING', at: expect.any(String) });
    expect((await detail(ids.announced)).category).toBe('UTILITY');
    await gateway.platform.changeTemplate(id, { category: 'MARKETING' });
    await expect.poll(async () => (await detail(ids.announced)).category).toBe('MARKETING');
    expect((await detail(ids.announced)).nextCategory).toBeNull();
  });
});
