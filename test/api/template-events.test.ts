// The templates.status events: one for each change of status, category or quality, from a callback or a reading, and never two.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { postCallback } from '../harness/callbacks.ts';
import {
  addEndpoint,
  addSender,
  type Gateway,
  number,
  readTemplates,
  startGateway,
  waba,
} from '../harness/gateway.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;
let providerId: string;
let since = 0;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.platform.settings({ approvalMs: 0 });
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const added = await addSender(gateway, [
    { name: 'plain', language: 'en_US', status: 'APPROVED', category: 'UTILITY', components },
  ]);
  senderId = added.senderId;
  templateId = added.templateIds.plain as string;
  providerId = (await item()).providerTemplateId as string;
  await addEndpoint(gateway, { events: ['templates.status'] });
});
afterAll(() => gateway?.close());
beforeEach(async () => {
  since = (await gateway.receiver.events({ kind: 'templates.status' })).at(-1)?.seq ?? 0;
});

interface Data {
  _id: string;
  providerTemplateName: string;
  status: string;
  providerStatus: string | null;
  providerTemplateId: string | null;
  category: string;
  qualityScore: string | null;
  businessAccountId: string | null;
  senders: object[];
  previous: object;
  reason: string | null;
}
const item = async () => (await gateway.call<Data>('GET', `/v1/templates/${templateId}`)).body.data;
/** Changes the template as the platform does; its callbacks, which may overtake one another, are applied then. */
async function change(of: Parameters<Gateway['platform']['changeTemplate']>[1]): Promise<void> {
  await gateway.platform.changeTemplate(providerId, of);
  await expect
    .poll(async () => (await gateway.platform.state()).pendingCallbacks, { timeout: 10_000 })
    .toBe(0);
}
/** The events so far, once there is one of `name` that fits. */
async function eventsUntil(fits: (data: Data) => boolean, name = 'plain'): Promise<Data[]> {
  let events: Data[] = [];
  await expect
    .poll(
      async () => {
        const came = await gateway.receiver.events({ kind: 'templates.status', since });
        events = came
          .map((event) => (event.json as { data: Data }).data)
          .filter((data) => data.providerTemplateName === name);
        return events.some(fits);
      },
      { timeout: 10_000 },
    )
    .toBe(true);
  return events;
}
/** Changes the template at the platform without a callback: only a reading sees it. */
const changeUnseen = async (of: Parameters<typeof change>[0]) => {
  await gateway.platform.unsubscribe('100100100100100');
  await change(of);
  await gateway.platform.subscribe(
    '100100100100100',
    `${gateway.url}/callbacks/messaging/${senderId}`,
    'test-verify-token',
  );
};

describe('a callback', () => {
  it.each([
    ['PAUSED', 'FIRST_PAUSE', 'APPROVED'],
    ['DISABLED', null, 'PAUSED'],
    ['IN_APPEAL', null, 'DISABLED'],
    ['REJECTED', 'INVALID_FORMAT', 'IN_APPEAL'],
    ['REINSTATED', null, 'REJECTED'],
  ])('%s is reported with what was before and the reason', async (word, reason, before) => {
    await change({ status: word, ...(word === 'REJECTED' ? { reason: 'INVALID_FORMAT' } : {}) });
    const events = await eventsUntil(({ providerStatus }) => providerStatus === word);
    expect(events).toEqual([
      expect.objectContaining({
        _id: templateId,
        businessAccountId: waba,
        senders: [{ _id: senderId, name: 'Test', displayPhone: number.displayPhoneNumber, isDefault: true }],
        previous: {
          ...{ status: before === 'APPROVED' ? 'approved' : 'submitted', providerStatus: before },
          ...{ category: 'UTILITY', qualityScore: 'GREEN' },
        },
        reason,
      }),
    ]);
  });

  it('is not reported again by a reading, though the list has another word for the same status', async () => {
    await readTemplates(gateway);
    expect((await item()).providerStatus).toBe('REINSTATED');
    await change({ status: 'APPROVED' });
    await change({ quality: 'YELLOW' });
    const events = await eventsUntil(({ qualityScore }) => qualityScore === 'YELLOW');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ previous: { qualityScore: 'GREEN' }, reason: null });
  });

  it('that announces a category reports nothing, the change itself does', async () => {
    await change({ announcedCategory: 'MARKETING' });
    await change({ category: 'MARKETING' });
    const events = await eventsUntil(({ category }) => category === 'MARKETING');
    expect(events.map(({ previous }) => previous)).toEqual([
      expect.objectContaining({ category: 'UTILITY', providerStatus: 'REINSTATED' }),
    ]);
    await readTemplates(gateway);
    await change({ status: 'FLAGGED' });
    await change({ quality: 'RED' });
    expect(await eventsUntil(({ qualityScore }) => qualityScore === 'RED')).toHaveLength(2);
  });
});

describe('a reading', () => {
  it('reports a change that no callback told of, once', async () => {
    await changeUnseen({ status: 'PAUSED', category: 'UTILITY', quality: 'UNKNOWN' });
    await readTemplates(gateway);
    await readTemplates(gateway);
    await change({ status: 'PAUSED' });
    await change({ status: 'APPROVED' });
    const events = await eventsUntil(({ status }) => status === 'approved');
    expect(events).toEqual([
      expect.objectContaining({
        ...{ providerStatus: 'PAUSED', category: 'UTILITY', qualityScore: null, reason: null },
        previous: {
          ...{ status: 'approved', providerStatus: 'REINSTATED' },
          ...{ category: 'MARKETING', qualityScore: 'RED' },
        },
      }),
      expect.objectContaining({ providerStatus: 'APPROVED', reason: 'UNPAUSE' }),
    ]);
  });

  it('older than a callback does not take its change back', async () => {
    const { db } = gateway.database;
    // as if a callback had written it after the reading began
    await sql`
      update templates set provider_status = 'DISABLED', status = 'submitted', updated_at = now() + interval '1 hour'
      where id = ${templateId}`.execute(db);
    await readTemplates(gateway);
    expect((await item()).providerStatus).toBe('DISABLED');
    const { rows } = await sql`
      update templates set updated_at = now() - interval '1 minute' where id = ${templateId} and read_due_at is not null
      returning 1`.execute(db);
    expect(rows).toHaveLength(1);
    await readTemplates(gateway);
    const [event] = await eventsUntil(() => true);
    expect(event).toMatchObject({ providerStatus: 'APPROVED', previous: { providerStatus: 'DISABLED' } });
  });

  it('reports a template that is gone', async () => {
    const components = [{ type: 'BODY', text: 'Bye.' }];
    const { id } = await gateway.platform.addTemplate({ wabaId: waba, name: 'short_lived', components });
    await readTemplates(gateway);
    await fetch(`${gateway.urls.cloudApi}/v23.0/${waba}/message_templates?name=short_lived`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer test-token' },
    });
    await readTemplates(gateway);
    const [event] = await eventsUntil(() => true, 'short_lived');
    expect(event).toMatchObject({
      ...{ providerTemplateId: id, status: 'submitted', providerStatus: 'DELETED' },
      previous: { status: 'approved', providerStatus: 'APPROVED' },
    });
  });
});

it('a submission and a removal by the caller are reported too', async () => {
  const body = {
    ...{ providerTemplateName: 'own', language: 'en_US', category: 'UTILITY' },
    components: [{ type: 'BODY', text: 'Hello again.' }],
  };
  await gateway.platform.settings({ approvalMs: 3_600_000 });
  const { _id } = (await gateway.call<Data>('POST', '/v1/templates', { body })).body.data;
  await gateway.call('POST', `/v1/templates/${_id}/submit`);
  await gateway.call('DELETE', `/v1/templates/${_id}`);
  const events = await eventsUntil(({ providerStatus }) => providerStatus === 'DELETED', 'own');
  expect(events.map(({ providerStatus, previous }) => [previous, providerStatus])).toEqual([
    [expect.objectContaining({ status: 'draft', providerStatus: null }), 'PENDING'],
    [expect.objectContaining({ status: 'submitted', providerStatus: 'PENDING' }), 'PENDING_DELETION'],
    [expect.objectContaining({ status: 'submitted', providerStatus: 'PENDING_DELETION' }), 'DELETED'],
  ]);
});

it('is written in the transaction that changes the row: neither is there without the other', async () => {
  await sql`alter table deliveries add constraint refused check (kind <> 'templates.status') not valid`.execute(
    gateway.database.db,
  );
  // posted by hand: the platform would repeat it later, amid what follows
  const field = 'message_template_quality_update';
  const value = { message_template_id: providerId, new_quality_score: 'GREEN' };
  const body = { object: 'whatsapp_business_account', entry: [{ id: waba, changes: [{ field, value }] }] };
  const answer = await postCallback(gateway, senderId, body, '315490ac490cfc7c3c5e4bf869b69dab');
  expect(answer.status).toBe(500);
  await changeUnseen({ quality: 'YELLOW' });
  await readTemplates(gateway);
  expect((await item()).qualityScore).toBe(null);
  await sql`alter table deliveries drop constraint refused`.execute(gateway.database.db);
  await readTemplates(gateway);
  expect((await item()).qualityScore).toBe('YELLOW');
  expect(await eventsUntil(({ qualityScore }) => qualityScore === 'YELLOW')).not.toHaveLength(0);
});
