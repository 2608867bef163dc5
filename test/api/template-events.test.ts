// templates.status events: exactly one for each change of status, category or quality, from a callback or a reading.
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
import { until } from '../harness/until.ts';

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
/** Changes the template at the platform and waits until its callbacks were applied: they may arrive in any order. */
async function change(of: Parameters<Gateway['platform']['changeTemplate']>[1]): Promise<void> {
  await gateway.platform.changeTemplate(providerId, of);
  await expect.poll(async () => (await gateway.platform.state()).pendingCallbacks).toBe(0);
}
/** Waits for `count` events of the template `name`, of which one fits; returns them as they were published: they may arrive in any order. */
async function eventsUntil(fits: (data: Data) => boolean, name = 'plain', count = 1): Promise<Data[]> {
  const idOf = (event: { headers: Record<string, unknown> }) => String(event.headers['webhook-id']);
  return until(async () => {
    const received = await gateway.receiver.events({ kind: 'templates.status', since });
    const events = received
      .toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
      .map((event) => (event.json as { data: Data }).data)
      .filter((data) => data.providerTemplateName === name);
    expect(events.some(fits)).toBe(true);
    expect(events.length).toBeGreaterThanOrEqual(count);
    return events;
  });
}
/** Changes the template at the platform without a callback: only a reading finds the change. */
const changeWithoutCallback = async (of: Parameters<typeof change>[0]) => {
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
  ])('%s publishes an event with the previous values and the reason', async (word, reason, before) => {
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

  it('is in the history of the template, newest first and paged', async () => {
    interface Change {
      providerStatus: string;
      previous: { providerStatus: string };
      reason: string | null;
    }
    const history = async (query = '') =>
      (
        await gateway.call<{ items: Change[]; pagination: { nextCursor: string | null } }>(
          'GET',
          `/v1/templates/${templateId}/history${query}`,
        )
      ).body.data;
    const { items } = await history();
    const words = items.map(({ providerStatus }) => providerStatus);
    expect(words).toEqual(['REINSTATED', 'REJECTED', 'IN_APPEAL', 'DISABLED', 'PAUSED']);
    expect(items[1]).toMatchObject({ previous: { providerStatus: 'IN_APPEAL' }, reason: 'INVALID_FORMAT' });
    const first = await history('?limit=3');
    expect((await history(`?cursor=${first.pagination.nextCursor}`)).items).toEqual(items.slice(3));
    const key = await gateway.otherAccount();
    expect((await gateway.call('GET', `/v1/templates/${templateId}/history`, { key })).status).toBe(404);
  });

  it('is not published again after a reading, although the list names the same status differently', async () => {
    await readTemplates(gateway);
    expect((await item()).providerStatus).toBe('REINSTATED');
    await change({ status: 'APPROVED' });
    await change({ quality: 'YELLOW' });
    const events = await eventsUntil(({ qualityScore }) => qualityScore === 'YELLOW');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ previous: { qualityScore: 'GREEN' }, reason: null });
  });

  it('that announces a category publishes nothing; the change itself does', async () => {
    await change({ announcedCategory: 'MARKETING' });
    await change({ category: 'MARKETING' });
    const events = await eventsUntil(({ category }) => category === 'MARKETING');
    expect(events.map(({ previous }) => previous)).toEqual([
      expect.objectContaining({ category: 'UTILITY', providerStatus: 'REINSTATED' }),
    ]);
    await readTemplates(gateway);
    await change({ status: 'FLAGGED' });
    await change({ quality: 'RED' });
    expect(await eventsUntil(({ qualityScore }) => qualityScore === 'RED', 'plain', 2)).toHaveLength(2);
  });
});

describe('a reading', () => {
  it('publishes a change without a callback once', async () => {
    await changeWithoutCallback({ status: 'PAUSED', category: 'UTILITY', quality: 'UNKNOWN' });
    await readTemplates(gateway);
    await readTemplates(gateway);
    await change({ status: 'PAUSED' });
    await change({ status: 'APPROVED' });
    const events = await eventsUntil(({ status }) => status === 'approved', 'plain', 2);
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

  it('older than a callback does not revert its change', async () => {
    const { db } = gateway.database;
    // as if a callback had changed it after the reading began
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

  it('publishes the deletion of a template', async () => {
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

it('a submission and a deletion by the caller publish events', async () => {
  const body = {
    ...{ providerTemplateName: 'own', language: 'en_US', category: 'UTILITY' },
    components: [{ type: 'BODY', text: 'Hello again.' }],
  };
  await gateway.platform.settings({ approvalMs: 3_600_000 });
  const { _id } = (await gateway.call<Data>('POST', '/v1/templates', { body })).body.data;
  await gateway.call('POST', `/v1/templates/${_id}/submit`);
  await gateway.call('DELETE', `/v1/templates/${_id}`);
  const events = await eventsUntil(({ providerStatus }) => providerStatus === 'DELETED', 'own', 3);
  expect(events.map(({ providerStatus, previous }) => [previous, providerStatus])).toEqual([
    [expect.objectContaining({ status: 'draft', providerStatus: null }), 'PENDING'],
    [expect.objectContaining({ status: 'submitted', providerStatus: 'PENDING' }), 'PENDING_DELETION'],
    [expect.objectContaining({ status: 'submitted', providerStatus: 'PENDING_DELETION' }), 'DELETED'],
  ]);
});

it('an event and the change of the row are committed together or not at all', async () => {
  await sql`alter table deliveries add constraint no_events check (kind <> 'templates.status') not valid`.execute(
    gateway.database.db,
  );
  // posted by the test: the simulated platform would repeat it during later steps
  const field = 'message_template_quality_update';
  const value = { message_template_id: providerId, new_quality_score: 'GREEN' };
  const body = { object: 'whatsapp_business_account', entry: [{ id: waba, changes: [{ field, value }] }] };
  const response = await postCallback(gateway, senderId, body, '315490ac490cfc7c3c5e4bf869b69dab');
  expect(response.status).toBe(500);
  await changeWithoutCallback({ quality: 'YELLOW' });
  await readTemplates(gateway);
  expect((await item()).qualityScore).toBe(null);
  await sql`alter table deliveries drop constraint no_events`.execute(gateway.database.db);
  await readTemplates(gateway);
  expect((await item()).qualityScore).toBe('YELLOW');
  expect(await eventsUntil(({ qualityScore }) => qualityScore === 'YELLOW')).not.toHaveLength(0);
});
