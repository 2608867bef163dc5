// Reading the platform's templates: all pages, shared readings, and few enough calls for its hourly limit.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordReading, requestReading } from '../../src/messaging/senders/template-readings-store.ts';
import { addSender, type Gateway, number, readTemplates, startGateway, waba } from '../harness/gateway.ts';

interface Readings {
  count: number;
  readings: {
    businessAccountId: string;
    count: number;
    readAt: string;
    reused: boolean;
    nextReadAt: string;
  }[];
}

let gateway: Gateway;
let senderId: string;
beforeAll(async () => {
  gateway = await startGateway();
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  ({ senderId } = await addSender(gateway, [{ name: 'hello', status: 'APPROVED', components }]));
});
afterAll(() => gateway?.close());

const sync = (url = gateway.url) =>
  fetch(`${url}/v1/templates/sync`, { method: 'POST', headers: { 'X-API-Key': gateway.apiKey } });
const data = async (answer: Response) => ((await answer.json()) as { data: Readings }).data;
/** Makes earlier readings old enough that a request may read again. The worker does not: it would make calls that tests count. */
const allowReading = () =>
  sql`update template_readings set not_before = now(), due_at = now() + interval '1 hour'
    where ended_at is not null`.execute(gateway.database.db);
/** Makes earlier readings so recent that no test lasts until the next one is allowed. */
const forbidReading = () =>
  sql`update template_readings set not_before = now() + interval '50 minutes', due_at = now() + interval '1 hour'
    where ended_at is not null`.execute(gateway.database.db);
const maxCalls = 10_000;
/** Counts the list calls that the platform gets during `run`. */
async function listCallsOf(run: () => Promise<unknown>): Promise<number> {
  await gateway.platform.addFault({ on: 'templates', does: 'delay', ms: 0, times: maxCalls });
  await run();
  const left = (await gateway.platform.faults()).find(({ on }) => on === 'templates')?.times ?? 0;
  await gateway.platform.clearFaults();
  return maxCalls - left;
}
const find = async (name: string) =>
  (
    await gateway.call<{ items: { _id: string; providerTemplateId: string; components: object[] }[] }>(
      'GET',
      `/v1/templates?search=${name}`,
    )
  ).body.data.items[0];

describe('requests to read', () => {
  it('at the same time share one reading, also across processes', async () => {
    const other = await gateway.another();
    await allowReading();
    const calls = await listCallsOf(async () => {
      const responses = await Promise.all(
        Array.from({ length: 30 }, (_, index) => sync(index % 2 === 0 ? gateway.url : other)),
      );
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      const read = await Promise.all(responses.map(data));
      expect(read.filter(({ readings }) => !readings[0]?.reused)).toHaveLength(1);
      expect(new Set(read.map(({ count }) => count)).size).toBe(1);
    });
    expect(calls).toBe(1);
  });

  it('soon after one another reuse a reading, and return when the next one is allowed', async () => {
    await allowReading();
    await sync();
    await forbidReading();
    const calls = await listCallsOf(async () => {
      for (let count = 0; count < 10; count += 1) {
        const response = await sync();
        const { readings } = await data(response);
        expect(readings).toEqual([
          {
            businessAccountId: waba,
            count: expect.any(Number),
            readAt: expect.any(String),
            reused: true,
            nextReadAt: expect.any(String),
          },
        ]);
        const { readAt = '', nextReadAt = '' } = readings[0] ?? {};
        expect(Date.parse(nextReadAt) - Date.parse(readAt)).toBeGreaterThan(50_000);
      }
      expect((await gateway.call('POST', '/v1/templates/sync')).body.message).toMatch(/moment ago/);
    });
    expect(calls).toBe(0);
    // the worker makes the requested reading when it is allowed
    const { rows } = await sql<{ due: boolean }>`
      select due_at = not_before and due_at > now() due from template_readings`.execute(gateway.database.db);
    expect(rows).toEqual([{ due: true }]);
  });

  it('after a failure get an error without a platform call until the next reading is allowed', async () => {
    await allowReading();
    await gateway.platform.addFault({ on: 'templates', code: 80007, times: 1 });
    expect((await sync()).status).toBe(502);
    await forbidReading();
    const calls = await listCallsOf(async () => {
      const response = await sync();
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    });
    expect(calls).toBe(0);
    await allowReading();
    expect((await sync()).status).toBe(200);
  });

  it('changes of a sender without a new token cause no reading', async () => {
    const calls = await listCallsOf(async () => {
      const path = `/v1/senders/${senderId}`;
      expect((await gateway.call('PATCH', path, { body: { name: 'Other' } })).status).toBe(200);
      expect((await gateway.call('PATCH', path, { body: { accessToken: 'test-token' } })).status).toBe(200);
    });
    expect(calls).toBe(0);
  });
});

it('all senders of a business account share one reading', async () => {
  for (const id of ['41', '42', '43']) {
    await gateway.platform.addNumber({ id, wabaId: waba });
    const body = {
      ...{ name: id, phoneNumberId: id, businessAccountId: waba, accessToken: 'test-token' },
      ...{ appSecret: '315490ac490cfc7c3c5e4bf869b69dab', verifyToken: 'x' },
    };
    expect((await gateway.call('POST', '/v1/senders', { body })).status).toBe(200);
  }
  const { rows } = await sql<{ n: number }>`select count(*)::int n from template_readings`.execute(
    gateway.database.db,
  );
  expect(rows).toEqual([{ n: 1 }]);
  const list = await gateway.call<{ items: { phoneNumberId: string; templatesSyncedAt: string }[] }>(
    'GET',
    '/v1/senders',
  );
  expect(new Set(list.body.data.items.map((one) => one.templatesSyncedAt)).size).toBe(1);
  expect(list.body.data.items.map((one) => one.phoneNumberId)).toContain(number.id);
});

it('reads all pages of thousands of templates, and then reads them less often', async () => {
  const bulk = Array.from({ length: 1_150 }, (_, index) => `bulk_${index}`);
  for (let at = 0; at < bulk.length; at += 50)
    await Promise.all(
      bulk
        .slice(at, at + 50)
        .map((name) =>
          gateway.platform.addTemplate({ wabaId: waba, name, components: [{ type: 'BODY', text: name }] }),
        ),
    );
  await allowReading();
  const calls = await listCallsOf(async () => {
    const response = await readTemplates(gateway);
    expect(response.status).toBe(200);
  });
  expect(calls).toBe(12);
  const list = await gateway.call<{ pagination: { total: number } }>('GET', '/v1/templates?search=bulk_');
  expect(list.body.data.pagination.total).toBe(1_150);
  const { readings } = await data(await sync());
  const { readAt = '', nextReadAt = '' } = readings[0] ?? {};
  // one minute for each of the twelve calls
  expect(Date.parse(nextReadAt) - Date.parse(readAt)).toBeGreaterThan(11 * 60_000);
});

it('a starting process reads every list', async () => {
  await allowReading();
  await sql`update template_readings set due_at = now() + interval '1 hour'`.execute(gateway.database.db);
  const ended = async () => {
    const { rows } = await sql<{ begun_at: Date }>`
      select begun_at from template_readings where ended_at >= begun_at`.execute(gateway.database.db);
    return rows[0]?.begun_at.getTime() ?? 0;
  };
  const before = await ended();
  await gateway.another();
  await expect.poll(ended).toBeGreaterThan(before);
});

describe('a template whose content changed at the platform', () => {
  it('is read alone immediately, even if the list may not be read yet', async () => {
    const before = await find('hello');
    const components = [{ type: 'BODY', text: 'Hello there, once more.' }];
    const calls = await listCallsOf(async () => {
      await gateway.platform.changeTemplate(before?.providerTemplateId ?? '', { components });
      await expect.poll(async () => (await find('hello'))?.components).toEqual(components);
    });
    expect(calls).toBe(0);
    expect((await find('hello'))?._id).toBe(before?._id);
  });

  it('is read with the whole list when hundreds changed together', async () => {
    const { db } = gateway.database;
    const pending = async () =>
      (await sql`select from templates where read_due_at is not null limit 1`.execute(db)).rows.length;
    await db.transaction().execute(async (tx) => {
      await sql`select from template_readings for update`.execute(tx);
      await sql`update templates set read_due_at = now() where name like 'bulk_%' or name = 'hello'`.execute(
        db,
      );
      const waiting = async () =>
        (
          await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%update template_readings%'`.execute(db)
        ).rows.length;
      await expect.poll(waiting).toBeGreaterThan(0);
      // until the list is requested, the templates stay due
      expect(await pending()).toBe(1);
    });
    await expect.poll(pending).toBe(0);
    const { rows } = await sql`
      select from template_readings where due_at = not_before and wanted_at > begun_at`.execute(
      gateway.database.db,
    );
    expect(rows).toHaveLength(1);
  });
});

it('a request during a reading causes another reading; a second request writes nothing', async () => {
  const { db } = gateway.database;
  const of = { accountId: gateway.accountId, businessAccountId: 'being-read' };
  // in progress, so that no worker claims it
  await sql`
    insert into template_readings (account_id, business_account_id, begun_at, due_at, not_before)
    values (${of.accountId}, ${of.businessAccountId}, now(), now() + interval '5 minutes', now() + interval '5 minutes')`.execute(
    db,
  );
  const version = async () =>
    (
      await sql`select xmin::text from template_readings where business_account_id = ${of.businessAccountId}`.execute(
        db,
      )
    ).rows;
  await requestReading(db, of);
  const wanted = await version();
  await requestReading(db, of);
  expect(await version()).toEqual(wanted);
  const read = await recordReading(db, of, { count: 0, notBeforeSeconds: 0, dueInSeconds: 3600 });
  expect((read?.due_at.getTime() ?? 0) - Date.now()).toBeLessThan(60_000);
  await sql`delete from template_readings where business_account_id = ${of.businessAccountId}`.execute(db);
});
