// Submissions of drafts: what concurrent requests may do, and what is known of a submission without a response.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  addSender,
  type Gateway,
  readTemplates,
  startGateway,
  waba,
} from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

interface Template {
  _id: string;
  status: string;
  category: string;
  components: { text?: string }[];
  messageTtlSeconds: number | null;
  isEditable: boolean;
}

let gateway: Gateway;
let id: string;
let name: string;
let no = 0;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.platform.settings({ approvalMs: 3_600_000 });
  await addSender(gateway, []);
});
afterAll(() => gateway?.close());

beforeEach(async () => {
  await gateway.platform.clearFaults();
  no += 1;
  name = `draft_${no}`;
  const { body } = await gateway.call<Template>('POST', '/v1/templates', {
    body: { providerTemplateName: name, language: 'en_US', category: 'UTILITY', ...saying('First text.') },
  });
  id = body.data._id;
});

const db = () => gateway.database.db;
const saying = (text: string) => ({ components: [{ type: 'BODY', text }] });
const path = () => `/v1/templates/${id}`;
const detail = () => gateway.call<Template>('GET', path());
const submit = () => gateway.call<Template>('POST', `${path()}/submit`);
const patch = (body: object) => gateway.call<Template>('PATCH', path(), { body });
const remove = () => gateway.call('DELETE', path());
const results = (answers: readonly Answer<unknown>[]) =>
  answers.map(({ status, body }) => `${status} ${body.code ?? 'ok'}`).sort();
const audited = async () => {
  const { items } = (
    await gateway.call<{ items: { action: string; changes: object }[] }>('GET', `/v1/audit?subjectId=${id}`)
  ).body.data;
  return items.map(({ action, changes }) => [action, changes]);
};
const submittedOnce = ['template.submitted', { status: 'submitted' }];
const created = ['template.created', expect.any(Object)];
const textsAtPlatform = async () =>
  (await gateway.platform.state()).templates
    .filter((one) => one.name === name)
    .map(({ components }) => (components[0] as { text?: string }).text);
/** Moves the end of the lease of the submission. */
const leaseEnds = (seconds: number) =>
  sql`update templates set deleting_until = date_trunc('milliseconds', now()) + ${seconds}::int * interval '1 second'
    where id = ${id}`.execute(db());
const isLeased = async () => {
  const { rows } = await sql`select from templates where id = ${id} and deleting_until > now()`.execute(db());
  expect(rows).toHaveLength(1);
};
/** Runs while `count` sessions wait for the template's row, then lets them continue. */
async function whileLocked(start: () => Promise<Answer<unknown>>[], then = '') {
  let started: Promise<Answer<unknown>>[] = [];
  await db()
    .transaction()
    .execute(async (tx) => {
      await sql`select from templates where id = ${id} for update`.execute(tx);
      started = start();
      await until(async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(
          db(),
        );
        expect(rows).toHaveLength(started.length);
      });
      if (then) await sql.raw(then).execute(tx);
    });
  return Promise.all(started);
}

it('a submission beyond the platform’s limit is 502 with the time after which it may succeed', async () => {
  const usage = { [waba]: [{ type: 'whatsapp', estimated_time_to_regain_access: 7 }] };
  const headers = { 'x-business-use-case-usage': JSON.stringify(usage) };
  await gateway.platform.addFault({ on: 'templates', code: 80008, headers, times: 1 });
  const limited = await submit();
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([502, '420']);
});

describe('a draft that is being submitted', () => {
  it('is not changed, deleted or submitted again, and what was submitted is what it has', async () => {
    await gateway.platform.addFault({ on: 'templates', does: 'delay', ms: 60_000, times: 1 });
    const submitted = submit();
    await until(isLeased);
    expect((await detail()).body.data).toMatchObject({ status: 'draft', isEditable: false });
    const answers = [await patch(saying('Second text.')), await remove(), await submit()];
    expect(results(answers)).toEqual(['409 conflict', '409 conflict', '409 conflict']);
    expect(Number(answers[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    await gateway.platform.clearFaults();
    expect((await submitted).status).toBe(200);
    expect((await detail()).body.data).toMatchObject({ status: 'submitted', ...saying('First text.') });
    expect(await textsAtPlatform()).toEqual(['First text.']);
  });

  it('by several requests is submitted once; the others get 409', async () => {
    const answers = await whileLocked(() => [submit(), submit(), submit()]);
    const [first, ...others] = results(answers);
    expect(first).toBe('200 ok');
    for (const other of others) expect(other).toMatch(/^409 (conflict|template_not_draft)$/);
    expect(await textsAtPlatform()).toEqual(['First text.']);
  });

  it('just before a request locks it is not changed or deleted by it', async () => {
    const answers = await whileLocked(
      () => [patch(saying('Second text.')), remove()],
      `update templates set deleting_until = now() + interval '1 minute' where id = '${id}'`,
    );
    expect(results(answers)).toEqual(['409 conflict', '409 conflict']);
  });

  it('and taken before another submission locks it is not submitted by that one', async () => {
    const [second] = await whileLocked(
      () => [submit()],
      `update templates set status = 'submitted', provider_status = 'PENDING' where id = '${id}'`,
    );
    expect(second?.body.code).toBe('template_not_draft');
    expect(await textsAtPlatform()).toEqual([]);
  });

  it('can be changed and submitted again after the platform rejected it', async () => {
    await gateway.platform.addFault({ on: 'templates', code: 100, times: 1 });
    expect((await submit()).body.code).toBe('provider_rejected');
    expect((await patch(saying('Second text.'))).status).toBe(200);
    expect((await submit()).status).toBe(200);
    expect(await textsAtPlatform()).toEqual(['Second text.']);
  });

  it('of a business account without a sender is 409 that names it', async () => {
    await sql`update templates set business_account_id = '999' where id = ${id}`.execute(db());
    const { body } = await submit();
    expect([body.code, body.message]).toEqual([
      'sender_not_configured',
      expect.stringContaining('account 999'),
    ]);
  });

  it('becomes the template that a reading finds before the response arrives', async () => {
    await leaseEnds(60);
    await gateway.platform.addTemplate({ wabaId: waba, name, status: 'PENDING', ...saying('First text.') });
    await readTemplates(gateway);
    expect((await detail()).body.data.status).toBe('submitted');
    expect(await audited()).toEqual([submittedOnce, created]);
    const { rows } = await sql<{ deleting_until: Date | null }>`
      select deleting_until from templates where id = ${id}`.execute(db());
    expect(rows).toEqual([{ deleting_until: null }]);
  });
});

it('a submission that a reading recorded before its response is audited by the reading alone', async () => {
  await gateway.platform.addFault({ on: 'templates', does: 'delay', ms: 60_000, times: 1 });
  const submitted = submit();
  await until(isLeased);
  const [answer] = await whileLocked(() => {
    void gateway.platform.clearFaults();
    return [submitted];
  }, `update templates set status = 'submitted', provider_status = 'PENDING', deleting_until = null where id = '${id}'`);
  expect([answer?.status, await audited()]).toEqual([200, [created]]);
});

describe('a draft that was not submitted', () => {
  it('is recorded in the audit log when a reading finds another template of its name', async () => {
    await gateway.platform.addTemplate({
      wabaId: waba,
      name,
      status: 'APPROVED',
      ...saying('Another text.'),
    });
    await readTemplates(gateway);
    expect((await detail()).body.data).toMatchObject({ status: 'approved', ...saying('Another text.') });
    expect((await submit()).body.code).toBe('template_not_draft');
    expect(await audited()).toEqual([
      ['template.overwritten', { providerTemplateName: name, language: 'en_US', status: 'approved' }],
      ['template.created', expect.any(Object)],
    ]);
    await readTemplates(gateway);
    expect(await audited()).toHaveLength(2);
  });
});

describe('a submission without a response', () => {
  it('that reached the platform is found by the next reading; until then nothing changes the draft', async () => {
    await gateway.platform.addFault({ on: 'templates', does: 'close', times: 1, when: 'after' });
    expect((await submit()).status).toBe(503);
    expect(results([await patch(saying('Second text.')), await remove(), await submit()])).toEqual([
      '409 conflict',
      '409 conflict',
      '409 conflict',
    ]);
    await readTemplates(gateway);
    expect((await detail()).body.data).toMatchObject({ status: 'submitted', ...saying('First text.') });
    await readTemplates(gateway);
    expect(await audited()).toEqual([submittedOnce, created]);
    expect((await patch(saying('Second text.'))).body.code).toBe('template_not_editable');
    expect((await submit()).body.code).toBe('template_not_draft');
  });

  it('that did not reach the platform is over with the first reading after its lease', async () => {
    await gateway.platform.addFault({ on: 'templates', does: 'close', times: 1 });
    expect((await submit()).status).toBe(503);
    await readTemplates(gateway);
    expect((await patch(saying('Second text.'))).body.code).toBe('conflict');
    await leaseEnds(-1);
    expect((await patch(saying('Second text.'))).body.code).toBe('conflict');
    expect((await detail()).body.data).toMatchObject({ status: 'draft', isEditable: false });
    await readTemplates(gateway);
    expect((await detail()).body.data.isEditable).toBe(true);
    expect((await patch(saying('Second text.'))).status).toBe(200);
    expect((await submit()).status).toBe(200);
    expect(await textsAtPlatform()).toEqual(['Second text.']);
  });

  it('of a process that died requests a reading when somebody needs the draft', async () => {
    await submit();
    await sql`update templates set status = 'draft', provider_template_id = null, provider_status = null where id = ${id}`.execute(
      db(),
    );
    await leaseEnds(-1);
    await sql`update template_readings set not_before = now()`.execute(db());
    expect((await remove()).body.code).toBe('conflict');
    await expect.poll(async () => (await detail()).body.data.status).toBe('submitted');
  });

  it('no longer holds the draft if nothing was read for ten minutes', async () => {
    await leaseEnds(-601);
    expect((await patch(saying('Second text.'))).status).toBe(200);
    expect((await remove()).status).toBe(200);
  });
});

describe('concurrent edits of a draft', () => {
  it('are both in it', async () => {
    const answers = await whileLocked(() => [
      patch(saying('Second text.')),
      patch({ messageTtlSeconds: 60 }),
    ]);
    expect(results(answers)).toEqual(['200 ok', '200 ok']);
    expect((await detail()).body.data).toMatchObject({ messageTtlSeconds: 60, ...saying('Second text.') });
  });
});
