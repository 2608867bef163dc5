// How people opt out: words, buttons, and the platform's notices and errors, in whatever order they arrive.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userIdOf } from '../../sandbox/cloud-api/person.ts';
import { type Gateway, number, waba } from '../harness/gateway.ts';
import { type OptOuts, optedOut, results, startOptOuts } from '../harness/opt-outs.ts';
import { messageOf, send } from '../harness/sends.ts';

let gateway: Gateway;
let offer: OptOuts['offer'];
let notice: OptOuts['notice'];
let newPhone: OptOuts['newPhone'];
let put: OptOuts['put'];
let remove: OptOuts['remove'];
let list: OptOuts['list'];
let eventsOf: OptOuts['eventsOf'];
let write: OptOuts['write'];
let say: OptOuts['say'];
let scopeOf: OptOuts['scopeOf'];
let nowSeconds: OptOuts['nowSeconds'];
beforeAll(async () => {
  ({ gateway, offer, notice, newPhone, put, remove, list, eventsOf, write, say, scopeOf, nowSeconds } =
    await startOptOuts());
});
afterAll(() => gateway?.close());

const settings = { stopWords: ['STOP', 'Ende'], startWords: ['START'], buttonPayloads: ['NO_OFFERS'] };

describe('a stop word', () => {
  it('is off until it is set, and is then the whole text of a message', async () => {
    const before = await gateway.call<{ stopWords: string[]; suggested: object[] }>(
      'GET',
      '/v1/opt-outs/settings',
    );
    expect(before.body.data).toMatchObject({ stopWords: [], startWords: [], buttonPayloads: [] });
    expect(before.body.data.suggested).toHaveLength(10);
    const phone = newPhone();
    await say(phone, 'stop');
    expect(await scopeOf(phone)).toBeNull();
    const put = await gateway.call('PUT', '/v1/opt-outs/settings', { body: settings });
    expect(put).toMatchObject({ status: 200, body: { data: settings } });
    await say(phone, 'stop it');
    expect(await scopeOf(phone)).toBeNull();
    await say(phone, ' eNDE\n');
    expect(await list({ phone })).toMatchObject([{ scope: 'marketing', source: 'keyword', reason: 'ende' }]);
    expect(results((await send(gateway, { templateId: offer, recipients: [phone] })).body.data)).toEqual([
      optedOut,
    ]);
    await say(phone, 'Start');
    expect(await scopeOf(phone)).toBeNull();
    await expect.poll(() => eventsOf(phone)).toHaveLength(2);
  });

  it('that is repeated by the platform, or arrives after a newer start word, changes nothing', async () => {
    const phone = newPhone();
    const now = nowSeconds();
    await say(phone, 'start', now - 60);
    await say(phone, 'stop', now - 120);
    expect(await scopeOf(phone)).toBeNull();
    await say(phone, 'stop', now - 30);
    await say(phone, 'start', now - 40);
    expect(await scopeOf(phone)).toBe('marketing');
    const id = 'wamid.STOPPED_TWICE';
    const stop = { from: { phone }, kind: 'text', with: { text: { body: 'stop' } }, id, timestamp: now - 20 };
    await gateway.platform.write(number.id, { messages: [stop], repeats: 1 });
    await remove(phone);
    await gateway.platform.write(number.id, { messages: [stop] });
    await say(phone, 'hello');
    expect(await scopeOf(phone)).toBeNull();
  });

  it('does not lift what the API stopped as all', async () => {
    const phone = newPhone();
    await put(phone, { scope: 'all' });
    await say(phone, 'start', nowSeconds() + 5);
    expect(await scopeOf(phone)).toBe('all');
    expect((await remove(phone)).body.data.removed).toBe(true);
  });

  it.each([
    ['Brazil', '5551987650001', '555187650001'],
    ['Mexico', '525587650001', '5215587650001'],
    ['Argentina', '541187650001', '5491187650001'],
  ])(
    'stops the number that is sent to, where the platform writes it differently: %s',
    async (_where, given, own) => {
      const first = await send(gateway, { templateId: offer, recipients: [given] });
      expect(results(first.body.data)).toEqual([['accepted']]);
      const known = async () =>
        (await gateway.call<{ items: object[] }>('GET', `/v1/contacts?phone=${own}`)).body.data.items.length;
      await expect.poll(known).toBe(1);
      await say(own, 'stop');
      expect(results((await send(gateway, { templateId: offer, recipients: [given] })).body.data)).toEqual([
        optedOut,
      ]);
      await expect.poll(() => eventsOf(given)).toHaveLength(1);
      expect((await eventsOf(given))[0]?.data.phones).toEqual([own, given].sort());
    },
  );
});

describe('an opt-out button', () => {
  it('counts by its payload, also for the number that its message was sent to', async () => {
    const given = '5551987650002';
    const sent = await send(gateway, { templateId: offer, recipients: [given] });
    // as if the process had ended before it linked the two forms of the number
    await expect
      .poll(
        async () =>
          (await gateway.call<{ items: object[] }>('GET', `/v1/contacts?phone=${given}`)).body.data.items,
      )
      .toHaveLength(1);
    for (const table of ['contacts', 'contact_identities'] as const)
      await gateway.database.db.deleteFrom(table).execute();
    const context = { from: '15550100000', id: sent.body.data.messages[0]?.messageId };
    await write(
      '555187650002',
      { button: { payload: 'NO_OFFERS', text: 'No more' }, context },
      { kind: 'button' },
    );
    expect(await list({ phone: given })).toMatchObject([{ source: 'button', reason: 'NO_OFFERS' }]);
    expect(results((await send(gateway, { templateId: offer, recipients: [given] })).body.data)).toEqual([
      optedOut,
    ]);
  });
});

describe('the platform', () => {
  const prefer = (phone: string, value: 'stop' | 'resume', more: object = {}) =>
    gateway.platform.changePreference(number.id, { from: { phone }, value, ...more });

  it('reports that a person stopped marketing, and wants it again, by the time of each notice', async () => {
    const phone = newPhone();
    const now = nowSeconds();
    await prefer(phone, 'stop', { timestamp: now - 60, repeats: 1 });
    await expect.poll(() => list({ phone })).toMatchObject([{ source: 'platform', scope: 'marketing' }]);
    await prefer(phone, 'resume', { timestamp: now - 50, withoutProfile: true });
    await expect.poll(() => list({ phone })).toEqual([]);
    await prefer(phone, 'stop', { timestamp: now - 60 });
    await say(phone, 'hello');
    expect(await scopeOf(phone)).toBeNull();
    await expect.poll(() => eventsOf(phone)).toHaveLength(2);
  });

  it('rejects messages of a person who stopped elsewhere: that is an opt-out', async () => {
    const phone = newPhone();
    await prefer(phone, 'stop', { silent: true });
    const sent = await send(gateway, { templateId: offer, recipients: [phone] });
    const id = sent.body.data.messages[0]?.id as string;
    await expect.poll(async () => (await messageOf(gateway, id)).error?.code).toBe(131050);
    expect(await list({ phone })).toMatchObject([{ scope: 'marketing', source: 'error_131050' }]);
    expect(results((await send(gateway, { templateId: offer, recipients: [phone] })).body.data)).toEqual([
      optedOut,
    ]);
    expect(results((await send(gateway, { templateId: notice, recipients: [phone] })).body.data)).toEqual([
      ['accepted'],
    ]);
  });

  it('names the number of somebody who stopped without showing it: the opt-out then holds for the number', async () => {
    const phone = newPhone();
    const userId = userIdOf({ phone }, waba);
    await gateway.platform.write(number.id, {
      messages: [{ from: { userId }, kind: 'text', with: { text: { body: 'stop' } } }],
    });
    await expect.poll(() => list({ userId })).toMatchObject([{ source: 'keyword', phone: null }]);
    expect(await list({ phone })).toEqual([]);
    await send(gateway, { templateId: notice, recipients: [phone] });
    await expect.poll(() => list({ phone })).toMatchObject([{ source: 'keyword', phone, userId }]);
    expect(results((await send(gateway, { templateId: offer, recipients: [phone] })).body.data)).toEqual([
      optedOut,
    ]);
    await expect.poll(() => eventsOf(phone)).toHaveLength(1);
  });

  it('names the id of somebody who was opted out by number, and makes no contacts of other recipients', async () => {
    const [phone, other] = [newPhone(), newPhone()];
    await put(phone, { scope: 'marketing' });
    await send(gateway, { templateId: notice, recipients: [other, phone] });
    const contactsOf = async (query: string) =>
      (await gateway.call<{ items: { userId: string | null }[] }>('GET', `/v1/contacts?${query}`)).body.data
        .items;
    const userId = userIdOf({ phone }, waba);
    await expect.poll(() => contactsOf(`userId=${userId}`)).toMatchObject([{ phone, optOut: 'marketing' }]);
    expect(await contactsOf(`phone=${other}`)).toEqual([]);
  });

  it('may reject the call itself for that reason', async () => {
    const phone = '15550001131050';
    const sent = await send(gateway, { templateId: offer, recipients: [phone] });
    expect(results(sent.body.data)).toMatchObject([['failed', 131050, expect.any(String)]]);
    expect(await list({ phone })).toMatchObject([{ source: 'error_131050' }]);
  });
});

describe('an automatic answer', () => {
  const repliesTo = async (phone: string) =>
    (
      await gateway.call<{ items: { text: string | null; status: string }[] }>(
        'GET',
        `/v1/messages?kind=reply&phone=${phone}`,
      )
    ).body.data.items.map(({ text, status }) => [text, status]);
  const setReply = (reply?: object) =>
    gateway.call('PUT', '/v1/opt-outs/settings', { body: { ...settings, ...(reply && { reply }) } });

  it('goes to people who stop by a word or a button, once a day, and to nobody without the setting', async () => {
    const [silent, one, pressed, started] = [newPhone(), newPhone(), newPhone(), newPhone()];
    await say(silent, 'stop');
    const set = await setReply({ stop: 'No more offers.' });
    expect(set.body.data).toMatchObject({ reply: { stop: 'No more offers.', start: null } });
    await say(one, 'stop');
    await expect.poll(() => repliesTo(one)).toEqual([['No more offers.', 'read']]);
    await say(one, 'start');
    await say(one, 'stop');
    await write(pressed, { button: { payload: 'NO_OFFERS', text: 'x' } }, { kind: 'button' });
    await expect.poll(() => repliesTo(pressed)).toEqual([['No more offers.', 'read']]);
    await say(started, 'start');
    await gateway.platform.changePreference(number.id, { from: { phone: silent }, value: 'stop' });
    await say(silent, 'hello');
    await say(pressed, 'hello');
    expect(await repliesTo(one)).toHaveLength(1);
    expect(await repliesTo(silent)).toEqual([]);
    expect(await repliesTo(started)).toEqual([]);
    await gateway.database.db
      .updateTable('opt_outs')
      .set({ answered_at: new Date(Date.now() - 86_400_000) })
      .execute();
    await setReply({ stop: 'No more offers.', start: 'Welcome back.' });
    const never = newPhone();
    await say(never, 'start');
    await say(one, 'start');
    await expect.poll(() => repliesTo(one)).toHaveLength(2);
    expect(await repliesTo(never)).toEqual([]);
    expect((await repliesTo(one))[0]?.[0]).toBe('Welcome back.');
    await setReply();
    const { body } = await gateway.call('GET', '/v1/opt-outs/settings');
    expect(body.data).toMatchObject({ reply: { stop: null, start: null } });
  });
});
