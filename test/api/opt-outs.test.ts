// Opt-outs through the API: what is sent and what fails, and the events of each change.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../harness/gateway.ts';
import { type OptOut, type OptOuts, optedOut, results, startOptOuts } from '../harness/opt-outs.ts';
import { messageOf, send, stagesUntil } from '../harness/sends.ts';

let gateway: Gateway;
let offer: OptOuts['offer'];
let notice: OptOuts['notice'];
let code: OptOuts['code'];
let newPhone: OptOuts['newPhone'];
let lastPhone: OptOuts['lastPhone'];
let put: OptOuts['put'];
let remove: OptOuts['remove'];
let list: OptOuts['list'];
let eventsOf: OptOuts['eventsOf'];
beforeAll(async () => {
  ({ gateway, offer, notice, code, newPhone, lastPhone, put, remove, list, eventsOf } = await startOptOuts());
});
afterAll(() => gateway?.close());

describe('an opt-out of marketing', () => {
  it('fails marketing messages to that person alone, with their event, and nothing else', async () => {
    const [out, fine] = [newPhone(), newPhone()];
    const stored = await put(out, { scope: 'marketing', reason: 'asked' });
    expect(stored).toMatchObject({
      status: 200,
      body: { data: { phone: out, userId: null, scope: 'marketing', source: 'api', reason: 'asked' } },
    });
    expect(await list({ phone: out })).toEqual([stored.body.data]);
    const contacts = await gateway.call('GET', `/v1/contacts?phone=${out}`);
    expect(contacts.body.data).toMatchObject({ items: [{ phone: out, optOut: 'marketing' }] });
    const sent = await send(gateway, { templateId: offer, recipients: [fine, out] });
    expect(results(sent.body.data)).toEqual([['accepted'], optedOut]);
    const id = sent.body.data.messages[1]?.id as string;
    expect(await stagesUntil(gateway, id, 'failed')).toEqual(['failed']);
    expect(await messageOf(gateway, id)).toMatchObject({ status: 'failed', attempts: 0, messageId: null });
    expect(results((await send(gateway, { templateId: notice, recipients: [out] })).body.data)).toEqual([
      ['accepted'],
    ]);
    expect(await gateway.platform.ledger({ phone: out })).toHaveLength(1);
  });

  it('fails them at once, also while the number is halted', async () => {
    const [out, fine] = [newPhone(), newPhone()];
    await put(out, { scope: 'marketing' });
    const { db } = gateway.database;
    await sql`update senders set halted_at = now()`.execute(db);
    try {
      const sent = await send(gateway, { templateId: offer, recipients: [fine, out] });
      expect(results(sent.body.data)).toEqual([['queued'], optedOut]);
    } finally {
      await sql`update senders set halted_at = null`.execute(db);
    }
  });

  it('is one event, whoever repeats it, and a person who receives everything again is another', async () => {
    const phone = newPhone();
    for (const _time of [1, 2]) await put(phone, { scope: 'marketing' });
    await put(phone, { scope: 'all' });
    expect((await remove(phone)).body).toMatchObject({
      message: 'Opt-out removed.',
      data: { removed: true },
    });
    expect((await remove(phone)).body).toMatchObject({
      message: 'The person had not opted out.',
      data: { removed: false },
    });
    expect(await list({ phone })).toEqual([]);
    await expect.poll(() => eventsOf(phone)).toHaveLength(3);
    const events = (await eventsOf(phone)).map(({ event, data }) => [event, data.scope]);
    expect(events.sort()).toEqual([
      ['contacts.opted_in', null],
      ['contacts.opted_out', 'all'],
      ['contacts.opted_out', 'marketing'],
    ]);
    expect(results((await send(gateway, { templateId: offer, recipients: [phone] })).body.data)).toEqual([
      ['accepted'],
    ]);
  });
});

describe('an opt-out of all', () => {
  it('fails every template but authentication ones', async () => {
    const phone = newPhone();
    await put(phone, { scope: 'all' });
    for (const templateId of [offer, notice])
      expect(results((await send(gateway, { templateId, recipients: [phone] })).body.data)).toEqual([
        optedOut,
      ]);
    const recipients = [{ phone, variables: { '1': '123456' } }];
    expect(results((await send(gateway, { templateId: code, recipients })).body.data)).toEqual([
      ['accepted'],
    ]);
  });

  it('fails the recipients of a scheduled send and of a draft when their messages are written', async () => {
    const [out, fine] = [newPhone(), newPhone()];
    await put(out, { scope: 'all' });
    const sendAt = new Date(Date.now() + 600_000).toISOString();
    const scheduled = await send(gateway, { templateId: notice, recipients: [out, fine], sendAt });
    expect(results(scheduled.body.data)).toEqual([['queued'], ['queued']]);
    // its time comes
    const { db } = gateway.database;
    const { sendId } = scheduled.body.data;
    await db.updateTable('sends').set({ send_at: new Date() }).where('id', '=', sendId).execute();
    await db.updateTable('send_feeds').set({ due_at: new Date() }).where('send_id', '=', sendId).execute();
    const made = await gateway.call<{ sendId: string }>('POST', '/v1/sends', { body: { templateId: offer } });
    const draft = made.body.data.sendId;
    const recipients = [{ phone: out }, { phone: fine }];
    const added = await gateway.call('POST', `/v1/sends/${draft}/recipients`, { body: { recipients } });
    expect(added.body.data).toMatchObject({ added: 2, optedOut: 1 });
    await gateway.call('POST', `/v1/sends/${draft}/start`);
    for (const id of [scheduled.body.data.sendId, draft]) {
      const of = async () =>
        (
          await gateway.call<{ items: { phone: string; status: string; error: { code: number } | null }[] }>(
            'GET',
            `/v1/sends/${id}/recipients`,
          )
        ).body.data.items;
      await expect.poll(async () => (await of()).map(({ status }) => status)).toEqual(['failed', 'read']);
      expect((await of())[0]?.error?.code).toBe(900005);
    }
    expect(await gateway.platform.ledger({ phone: out })).toEqual([]);
  });
});

describe('an opt-out by the platform’s id', () => {
  it('needs no number, and joins the number that the platform names with it', async () => {
    const path = '/v1/opt-outs?userId=US.300';
    expect((await gateway.call('PUT', path, { body: { scope: 'marketing' } })).status).toBe(200);
    expect(await list({ userId: 'US.300' })).toMatchObject([{ phone: null, userId: 'US.300' }]);
    expect((await gateway.call('DELETE', path)).body.data).toEqual({ removed: true });
  });
});

describe('the list', () => {
  it('is newest first, by pages, and of the account alone', async () => {
    const phones = [newPhone(), newPhone(), newPhone()];
    for (const phone of phones) await put(phone, { scope: 'marketing' });
    const page = async (query: string) =>
      (
        await gateway.call<{ items: OptOut[]; pagination: { nextCursor: string } }>(
          'GET',
          `/v1/opt-outs?${query}`,
        )
      ).body.data;
    const first = await page('limit=2');
    expect(first.items.map(({ phone }) => phone)).toEqual([phones[2], phones[1]]);
    const second = await page(`limit=1&cursor=${first.pagination.nextCursor}`);
    expect(second.items[0]?.phone).toBe(phones[0]);
    const other = await gateway.otherAccount();
    await gateway.call('PUT', `/v1/opt-outs/${newPhone()}`, { key: other, body: { scope: 'all' } });
    const theirs = await gateway.call<{ items: OptOut[] }>('GET', '/v1/opt-outs', { key: other });
    expect(theirs.body.data.items).toHaveLength(1);
    expect(theirs.body.data.items[0]?.phone).not.toBe(phones[2]);
    const sent = await send(gateway, { templateId: notice, recipients: [lastPhone()] });
    expect(results(sent.body.data)).toEqual([['accepted']]);
  });

  it('is returned as it was stored, while other requests remove it', async () => {
    const phone = newPhone();
    await put(phone, { scope: 'all' });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => (n % 2 ? remove(phone) : put(phone, { scope: 'all' }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('rejects what is no number, no scope and no person', async () => {
    expect(await put('+15553000001', { scope: 'marketing' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'phone', message: expect.stringContaining('remove "+"') }] },
    });
    expect((await put(newPhone(), { scope: 'everything' })).status).toBe(400);
    expect((await put(newPhone(), {})).status).toBe(400);
    expect((await gateway.call('PUT', '/v1/opt-outs', { body: { scope: 'all' } })).status).toBe(400);
    expect((await gateway.call('DELETE', '/v1/opt-outs')).status).toBe(400);
    expect((await gateway.call('GET', '/v1/opt-outs?phone=nobody')).status).toBe(400);
    expect(await list({ phone: '15553009990' })).toEqual([]);
  });
});

describe('a file of opt-outs', () => {
  const load = (body: string, type = 'text/csv') =>
    gateway.call<{ changed: number; unchanged: number; rejected: number; errors: object[] }>(
      'POST',
      '/v1/opt-outs/import',
      { body, headers: { 'Content-Type': type } },
    );

  it('opts its people out, and reports problems by row', async () => {
    const [one, other] = [newPhone(), newPhone()];
    const rows = [
      `${one};all;'=asked`,
      `${other};;`,
      '9.19E+11;;',
      ';;x',
      `${other};some;`,
      'a',
      `${other};all;a\0b`,
      `${one};all;x`,
    ];
    const loaded = await load(`\ufeffphone;scope;reason\r\n${rows.join('\r\n')}`);
    expect(loaded.body.data).toMatchObject({
      ...{ changed: 2, unchanged: 1, rejected: 5 },
      errors: [
        { row: 4, path: 'phone', message: expect.stringContaining('spreadsheet') },
        { row: 5, path: 'phone' },
        { row: 6, path: 'scope' },
        { row: 7, path: '', message: 'has 1 cell, but the header has 3' },
        { row: 8, path: 'reason', message: expect.stringContaining('NUL') },
      ],
    });
    expect(await list({ phone: one })).toMatchObject([{ scope: 'all', reason: 'x', source: 'api' }]);
    expect(await list({ phone: other })).toMatchObject([{ scope: 'marketing', reason: null }]);
    await expect.poll(() => eventsOf(one)).toHaveLength(1);
  });

  it('that was exported imports as it was, with every number, and undoes no newer decision', async () => {
    const [kept, lifted] = [newPhone(), newPhone()];
    for (const phone of [kept, lifted]) await put(phone, { scope: 'marketing', reason: '=1+1' });
    await load(`phone,otherPhones,userId\n${kept},15559990001 15559990002,US.999`);
    const exported = await gateway.call('GET', '/v1/opt-outs.csv');
    expect(exported.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(exported.text.split('\r\n')[0]).toBe('phone,otherPhones,userId,scope,source,reason,createdAt');
    expect(exported.text).toContain(`${kept},15559990001 15559990002,US.999,marketing,api,`);
    await new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));
    await remove(lifted);
    await remove(kept);
    await put(kept, { scope: 'marketing' });
    const again = await load(exported.text);
    expect(again.body.data).toMatchObject({ changed: 0, rejected: 0, errors: [] });
    expect(await list({ phone: lifted })).toEqual([]);
    expect(await list({ userId: 'US.999' })).toMatchObject([{ phone: kept }]);
    const other = await gateway.otherAccount();
    await gateway.call('POST', '/v1/opt-outs/import', {
      ...{ key: other, body: exported.text, headers: { 'Content-Type': 'text/csv' } },
    });
    const theirs = await gateway.call('GET', '/v1/opt-outs.csv', { key: other });
    const facts = (text: string) =>
      text
        .split('\r\n')
        .map((line) => line.split(',').slice(0, 4).join(','))
        .sort();
    expect(facts(theirs.text)).toEqual(facts(exported.text));
  });

  it('that was exported has the time of each decision, not of its record, so an opt-in in between counts elsewhere', async () => {
    const [phone, stricter] = [newPhone(), newPhone()];
    await load(`phone,createdAt\n${phone},2026-01-01T00:00:00.500Z`);
    await put(stricter, { scope: 'marketing' });
    const [first] = await list({ phone: stricter });
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(first?.createdAt ?? ''));
    await put(stricter, { scope: 'all' });
    const { text } = await gateway.call('GET', '/v1/opt-outs.csv');
    const timeOf = (wanted: string) =>
      text
        .split('\r\n')
        .find((line) => line.startsWith(`${wanted},`))
        ?.split(',')
        .at(-1);
    expect(timeOf(phone)).toBe('2026-01-01T00:00:00.500Z');
    expect(timeOf(stricter)?.localeCompare(first?.createdAt ?? '')).toBe(1);
    const other = await gateway.otherAccount();
    const there = { key: other };
    await gateway.call('PUT', `/v1/opt-outs/${phone}`, { ...there, body: { scope: 'marketing' } });
    await gateway.call('DELETE', `/v1/opt-outs/${phone}`, there);
    const headers = { 'Content-Type': 'text/csv' };
    await gateway.call('POST', '/v1/opt-outs/import', { ...there, body: text, headers });
    const theirs = await gateway.call<{ items: object[] }>('GET', `/v1/opt-outs?phone=${phone}`, there);
    expect(theirs.body.data.items).toEqual([]);
  });

  it.each([
    ['phone,shoe\n1,2', 'shoe'],
    ['scope\nall', 'phone'],
    ['phone,phone\n1,2', 'phone'],
    ['', ''],
    ['phone\n"1', 'row 2'],
    ['phone,reason\n15550100031,6" pipe', 'row 2'],
    [`phone,createdAt\n15550000000,${new Date(Date.now() + 60_000).toISOString()}`, undefined],
    ['phone,createdAt\n15550000000,2026-02-30T00:00:00Z', undefined],
  ])('that cannot be read is rejected: %j', async (file, path) => {
    const { status, body } = await load(file);
    if (path === undefined) expect(body.data).toMatchObject({ rejected: 1, errors: [{ path: 'createdAt' }] });
    else expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 400, path });
  });

  it('must be CSV', async () => {
    expect((await load('{}', 'application/json')).status).toBe(415);
    expect((await load('x', 'application/x-ndjson')).status).toBe(415);
  });
});
