// Deleting templates: rejected while messages are queued, unless they are cancelled; no concurrent send gets through.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import {
  addEndpoint,
  addSender,
  app,
  type Gateway,
  readTemplates,
  startGateway,
  waba,
} from '../harness/gateway.ts';
import { messageOf, send, stagesUntil } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;
let no = 0;

beforeAll(async () => {
  gateway = await startGateway();
  ({ senderId } = await addSender(gateway, []));
  await addEndpoint(gateway, { events: ['messages.status'] });
});
afterAll(() => gateway?.close());

/** Adds a new approved template for each test. */
beforeEach(async () => {
  await gateway.platform.clearFaults();
  await halt(false);
  no += 1;
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  await gateway.platform.addTemplate({ wabaId: waba, name: `short_lived_${no}`, components });
  await readTemplates(gateway);
  const { body } = await gateway.call<{ items: { _id: string }[] }>('GET', '/v1/templates?limit=1');
  templateId = body.data.items[0]?._id ?? '';
});

const db = () => gateway.database.db;
const halt = (isHalted: boolean) =>
  sql`update senders set halted_at = ${isHalted ? new Date() : null} where id = ${senderId}`.execute(db());
const remove = (query = '') =>
  gateway.call<{ cancelled: number }>('DELETE', `/v1/templates/${templateId}${query}`);
const template = () =>
  gateway.call<{ status: string; providerStatus: string }>('GET', `/v1/templates/${templateId}`);
const sendTo = (...phones: string[]) => send(gateway, { templateId, recipients: phones });
const atPlatform = async () =>
  (await gateway.platform.state()).templates.some(({ name }) => name === `short_lived_${no}`);
/** Inserts messages of the template in a state, due at `due`. */
const insertMessages = (count: number, state: number, due = sql`now()`) =>
  sql`
    insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, due_at, expires_at)
    select ${gateway.accountId}, uuid7(), ${uuidv7()}, ${senderId}, ${templateId}, '15550100' || i, '{"body":[],"buttons":[]}',
      ${state}, ${due}, now() + interval '1 day' from generate_series(1, ${count}) i`.execute(db());
/** Throws until a session waits for a lock of another one. */
const sessionIsBlocked = async () => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(
    db(),
  );
  expect(rows.length).toBeGreaterThan(0);
};

describe('a template of a business account without numbers', () => {
  it('is deleted here alone, and the response says so; a number that is added again brings it back', async () => {
    const { platform } = gateway;
    const left = '200200200200200299';
    await platform.addWaba({ id: left, appId: app.id });
    await platform.addNumber({
      id: '300300300300300399',
      displayPhoneNumber: '+1 555 010 0099',
      wabaId: left,
    });
    await platform.addTemplate({
      wabaId: left,
      name: 'left',
      components: [{ type: 'BODY', text: 'Hello.' }],
    });
    const addNumber = async () => {
      const credentials = { accessToken: app.token, appSecret: app.secret };
      const { body } = await gateway.call<{ _id: string }>('POST', '/v1/senders', {
        body: { name: 'Left', phoneNumberId: '300300300300300399', businessAccountId: left, ...credentials },
      });
      await readTemplates(gateway);
      return body.data._id;
    };
    const listed = async () => {
      const { body } = await gateway.call<{ items: { _id: string }[] }>('GET', '/v1/templates?search=left');
      return body.data.items.map(({ _id }) => _id);
    };
    const added = await addNumber();
    [templateId = ''] = await listed();
    expect((await gateway.call('DELETE', `/v1/senders/${added}`)).status).toBe(200);
    const { status, body } = await remove();
    expect([status, body.data, body.message]).toEqual([
      200,
      { _id: templateId, cancelled: 0 },
      `Template deleted here only: the account has no sender of the business account ${left}, to which the platform's template belongs.`,
    ]);
    expect((await template()).status).toBe(404);
    expect(await listed()).toEqual([]);
    await addNumber();
    expect(await listed()).toHaveLength(1);
  });
});

describe('a template with queued messages', () => {
  it('returns 409 template_in_use and changes nothing', async () => {
    await halt(true);
    const [message] = (await sendTo('15550100001')).body.data.messages;
    const response = await remove();
    expect([response.status, response.body.code]).toEqual([409, 'template_in_use']);
    expect((await template()).body.data).toMatchObject({ status: 'approved', providerStatus: 'APPROVED' });
    expect(await atPlatform()).toBe(true);
    expect((await messageOf(gateway, message?.id ?? '')).status).toBe('queued');
  });

  it('is deleted with cancelQueued=true; its messages fail with 900003 and publish their events', async () => {
    await halt(true);
    const { messages } = (await sendTo('15550100001', '15550100002')).body.data;
    const response = await remove('?cancelQueued=true');
    expect([response.status, response.body.data.cancelled]).toEqual([200, 2]);
    for (const { id } of messages) {
      expect(await messageOf(gateway, id)).toMatchObject({ status: 'failed', error: { code: 900003 } });
      expect(await stagesUntil(gateway, id, 'failed')).toEqual(['failed']);
    }
    expect((await template()).status).toBe(404);
    expect(await atPlatform()).toBe(false);
  });

  it('is deleted with thousands of queued messages, suspended ones included', async () => {
    await halt(true);
    await insertMessages(2_400, 0);
    await insertMessages(100, 0, sql`now() + interval '1 day'`);
    expect((await remove('?cancelQueued=true')).body.data.cancelled).toBe(2_500);
  });

  it('is not deleted during a call, whose message may return to the queue; an unknown outcome does not prevent it', async () => {
    await insertMessages(1, 1, sql`now() + interval '1 minute'`);
    expect((await remove()).body.code).toBe('template_in_use');
    const { rows } = await sql`select from template_changes where template_id = ${templateId}`.execute(db());
    expect(rows, 'marked as being deleted, and restored').toHaveLength(0);
    await sql`update messages set due_at = now() where template_id = ${templateId}`.execute(db());
    expect((await remove()).status).toBe(200);
    await sql`delete from messages where template_id = ${templateId}`.execute(db());
  });
});

describe('a send concurrent with a deletion', () => {
  it('delays the deletion while it is inserted, and makes it return 409', async () => {
    let response: ReturnType<typeof remove> | undefined;
    await db()
      .transaction()
      .execute(async (tx) => {
        await sql`select from templates where id = ${templateId} for key share`.execute(tx);
        response = remove();
        await until(sessionIsBlocked);
        await sql`
          insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, due_at, expires_at)
          values (${gateway.accountId}, uuid7(), ${uuidv7()}, ${senderId}, ${templateId}, '15550100001',
            '{"body":[],"buttons":[]}', now() + interval '1 hour', now() + interval '1 day')`.execute(tx);
      });
    expect((await response)?.body.code).toBe('template_in_use');
    expect(await atPlatform()).toBe(true);
    await remove('?cancelQueued=true');
  });

  it('is rejected if the template is marked as being deleted before the insert', async () => {
    let response: ReturnType<typeof sendTo> | undefined;
    await db()
      .transaction()
      .execute(async (tx) => {
        await sql`select from templates where id = ${templateId} for update`.execute(tx);
        response = sendTo('15550100001');
        await until(sessionIsBlocked);
        await sql`
          update templates set status = 'submitted', provider_status = 'PENDING_DELETION' where id = ${templateId}`.execute(
          tx,
        );
      });
    expect([(await response)?.status, (await response)?.body.code]).toEqual([409, 'template_not_approved']);
    const { rows } = await sql`select from messages where template_id = ${templateId}`.execute(db());
    expect(rows).toEqual([]);
  });

  it('is rejected during a slow deletion, even if the templates are read in the meantime', async () => {
    await gateway.platform.addFault({ on: 'templates', does: 'delay', ms: 60_000, times: 1 });
    const removed = remove();
    await expect.poll(async () => (await template()).body.data.providerStatus).toBe('PENDING_DELETION');
    await readTemplates(gateway);
    expect((await sendTo('15550100001')).body.code).toBe('template_not_approved');
    expect((await remove()).body.code).toBe('conflict');
    await gateway.platform.clearFaults();
    expect((await removed).status).toBe(200);
    expect((await sendTo('15550100001')).body.code).toBe('template_not_found');
  });
});

describe('a deletion', () => {
  it('that the platform rejects returns 502 and leaves the template unchanged', async () => {
    await gateway.platform.addFault({ on: 'templates', code: 100, times: 1 });
    expect((await remove()).status).toBe(502);
    expect((await template()).body.data).toMatchObject({ status: 'approved', providerStatus: 'APPROVED' });
    expect((await sendTo('15550100001')).body.data.accepted).toBe(1);
  });

  it('that succeeded without a response is 409 when it is repeated, and 404 when the templates were read', async () => {
    const readNext = (hours: number) =>
      sql`update template_readings set due_at = now() + ${hours}::int * interval '1 hour',
        not_before = now() + ${hours}::int * interval '1 hour'`.execute(db());
    await readNext(1);
    await gateway.platform.addFault({ on: 'templates', does: 'close', times: 1, when: 'after' });
    expect((await remove()).status).toBe(503);
    const again = await remove();
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
    expect(again.body.message).toContain('perhaps because an earlier one succeeded');
    await readNext(0);
    await expect.poll(async () => (await template()).status).toBe(404);
    expect((await remove()).body.code).toBe('template_not_found');
  });

  it('without a response returns 503, and the template is read again', async () => {
    await gateway.platform.addFault({ on: 'templates', does: 'close', times: 1 });
    expect((await remove()).status).toBe(503);
    await expect.poll(async () => (await template()).body.data?.status).toBe('approved');
    expect((await remove()).status).toBe(200);
  });
});
