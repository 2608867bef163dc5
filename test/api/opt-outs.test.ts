// Opt-outs through the API: what is sent and what fails, and the events of each change.
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

  it('is one event, whoever repeats it, and a person who receives everything again is another', async () => {
    const phone = newPhone();
    for (const _time of [1, 2]) await put(phone, { scope: 'marketing' });
    await put(phone, { scope: 'all' });
    expect((await remove(phone)).body.data).toEqual({ removed: true });
    expect((await remove(phone)).body.data).toEqual({ removed: false });
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
    const sendAt = new Date(Date.now() + 1_000).toISOString();
    const scheduled = await send(gateway, { templateId: notice, recipients: [out, fine], sendAt });
    expect(results(scheduled.body.data)).toEqual([['queued'], ['queued']]);
    const made = await gateway.call<{ sendId: string }>('POST', '/v1/sends', { body: { templateId: offer } });
    const draft = made.body.data.sendId;
    const recipients = [{ phone: out }, { phone: fine }];
    await gateway.call('POST', `/v1/sends/${draft}/recipients`, { body: { recipients } });
    await gateway.call('POST', `/v1/sends/${draft}/start`);
    for (const id of [scheduled.body.data.sendId, draft]) {
      const of = async () =>
        (
          await gateway.call<{ items: { phone: string; status: string; error: { code: number } | null }[] }>(
            'GET',
            `/v1/sends/${id}/recipients`,
          )
        ).body.data.items;
      await expect
        .poll(async () => (await of()).map(({ status }) => status), { timeout: 20_000 })
        .toEqual(['failed', 'read']);
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

  it('rejects what is no number, no scope and no person', async () => {
    expect(await put('+15553000001', { scope: 'marketing' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'phone', message: expect.stringContaining('remove "+"') }] },
    });
    expect((await put(newPhone(), { scope: 'everything' })).status).toBe(400);
    expect((await put(newPhone(), {})).status).toBe(400);
    expect((await gateway.call('PUT', '/v1/opt-outs', { body: { scope: 'all' } })).status).toBe(400);
    expect((await gateway.call('DELETE', '/v1/opt-outs')).status).toBe(400);
    expect(await list({ phone: 'nobody' })).toEqual([]);
  });
});
