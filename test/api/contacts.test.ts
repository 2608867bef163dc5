// Contacts: one row for everything that the platform calls a person, reply windows, merges, and history.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, number, waba } from '../harness/gateway.ts';
import { type Inbound, type Page, type ReceivedItem, startInbound } from '../harness/inbound.ts';
import { messageOf, send } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;
let written: Inbound['written'];
let receive: Inbound['receive'];
let list: Inbound['list'];
let contacts: Inbound['contacts'];
let post: Inbound['post'];
let nowSeconds: number;

beforeAll(async () => {
  ({ gateway, senderId, templateId, written, receive, list, contacts, post, nowSeconds } =
    await startInbound());
});
afterAll(() => gateway?.close());

describe('a contact', () => {
  it('has one row for all its names, its newest ones, and a window of 24 hours at each number', async () => {
    const from = '15554440000';
    const person = (name: string, user_id: string) => [{ profile: { name }, wa_id: from, user_id }];
    await receive([written({ from, timestamp: String(nowSeconds - 60) })], person('New', 'US.444'));
    await receive([written({ from, timestamp: String(nowSeconds - 120) })], person('Old', 'US.444'));
    const found = await contacts({ userId: 'US.444' });
    expect(found).toMatchObject([
      {
        ...{ phone: from, userId: 'US.444', name: 'New', optOut: null },
        lastReceivedAt: new Date((nowSeconds - 60) * 1000).toISOString(),
        windows: [{ senderId, closesAt: new Date((nowSeconds - 60 + 86_400) * 1000).toISOString() }],
      },
    ]);
    expect(await contacts({ phone: from, userId: 'US.444' })).toMatchObject([{ _id: found[0]?._id }]);
    expect(await contacts({ phone: from, userId: 'US.100' })).toEqual([]);
    await receive([written({ from: '15554440001', timestamp: String(nowSeconds - 86_401) })]);
    expect(await contacts({ phone: '15554440001' })).toMatchObject([{ windows: [] }]);
  });

  it('has a window from the arrival of a message whose time lies ahead', async () => {
    for (let times = 0; times < 2; times += 1) {
      await receive([written({ from: '15554440002', timestamp: String(nowSeconds + 86_400 * 30) })]);
      const [found] = await contacts({ phone: '15554440002' });
      expect(Date.parse(found?.windows[0]?.closesAt ?? '') - Date.now()).toBeLessThanOrEqual(86_400_000);
    }
  });

  it('keeps its id when the platform reports a new number, and another new id', async () => {
    const from = '15555550000';
    await receive([written({ from, from_user_id: 'US.555' })]);
    const [before] = await contacts({ phone: from });
    const change = {
      type: 'user_changed_number',
      wa_id: '15555550001',
      user_id: 'US.556',
      previous_user_id: 'US.555',
    };
    await receive([written({ from, type: 'system', text: undefined, system: change })]);
    const update = [{ user_id: { previous: 'US.556', current: 'US.557' } }];
    const value = { metadata: { phone_number_id: number.id }, user_id_update: update };
    await post({ entry: [{ id: waba, changes: [{ field: 'user_id_update', value }] }] });
    for (const query of [
      { phone: '15555550001' },
      { phone: from },
      { userId: 'US.557' },
      { userId: 'US.555' },
    ])
      expect(await contacts(query)).toMatchObject([
        { _id: before?._id, phone: '15555550001', userId: 'US.557' },
      ]);
  });

  it('is the older of two that turn out to be one person, with the messages, windows and opt-out of both', async () => {
    const hidden = { from: undefined, from_user_id: 'US.666' };
    await receive(
      [written({ ...hidden, timestamp: String(nowSeconds - 30) })],
      [{ profile: { name: 'Grace' }, user_id: 'US.666' }],
    );
    await receive([written({ from: '15556660000', timestamp: String(nowSeconds - 60) })]);
    const [[older], [newer]] = [
      await contacts({ userId: 'US.666' }),
      await contacts({ phone: '15556660000' }),
    ];
    expect(older?._id).not.toBe(newer?._id);
    await sql`update contact_identities set opt_out = 2 where contact_id = ${newer?._id}`.execute(
      gateway.database.db,
    );
    await receive([
      written({ from: '15556660000', from_user_id: 'US.666', timestamp: String(nowSeconds - 90) }),
    ]);
    expect(await contacts({ phone: '15556660000' })).toMatchObject([
      {
        _id: older?._id,
        phone: '15556660000',
        userId: 'US.666',
        name: 'Grace',
        optOut: 'all',
        lastReceivedAt: older?.lastReceivedAt,
        windows: older?.windows,
      },
    ]);
    expect(await contacts({ userId: 'US.666' })).toHaveLength(1);
    expect((await list({ userId: 'US.666' })).items).toHaveLength(3);
    const optOuts = await sql`select distinct opt_out from contact_identities
      where contact_id = ${older?._id}`.execute(gateway.database.db);
    expect(optOuts.rows).toEqual([{ opt_out: 2 }]);
    const { rows } = await sql`select 1 from contacts where id = ${newer?._id}
      union all select 1 from contact_windows where contact_id = ${newer?._id}`.execute(gateway.database.db);
    expect(rows).toEqual([]);
  });

  it('is one row after many concurrent callbacks that name it differently', async () => {
    const names = [
      { from: '15557770000' },
      { from: '15557770000', from_user_id: 'US.777' },
      { from: undefined, from_user_id: 'US.777' },
    ];
    await Promise.all(Array.from({ length: 30 }, (_, index) => receive([written(names[index % 3])])));
    const [byPhone, byId] = [await contacts({ phone: '15557770000' }), await contacts({ userId: 'US.777' })];
    expect(byPhone).toHaveLength(1);
    expect(byPhone[0]?._id).toBe(byId[0]?._id);
    expect((await list({ userId: 'US.777', limit: '100' })).items).toHaveLength(30);
  });

  it('has the number that a caller gives and the platform’s own form of it', async () => {
    // the ninth digit, which the platform drops
    const [given, own] = ['5551987654321', '555187654321'];
    await send(gateway, { templateId, recipients: [given] });
    await expect.poll(() => contacts({ phone: given })).toHaveLength(1);
    const [contact] = await contacts({ phone: given });
    expect(contact).toMatchObject({ phone: own, lastReceivedAt: null, windows: [] });
    await receive([written({ from: own })]);
    expect(await contacts({ phone: given })).toMatchObject([{ _id: contact?._id, windows: [{ senderId }] }]);
    const again = await send(gateway, { templateId, recipients: [given] });
    expect(again.status).toBe(200);
    expect(await contacts({ phone: own })).toHaveLength(1);
  });

  it('lists its messages in both directions by time', async () => {
    const phone = '15558880000';
    await receive([written({ from: phone, timestamp: String(nowSeconds - 600) })]);
    const { body } = await send(gateway, { templateId, recipients: [phone] });
    const sentId = body.data.messages[0]?.id as string;
    await expect.poll(async () => (await messageOf(gateway, sentId)).status).toBe('read');
    await receive([written({ from: phone, timestamp: String(Math.floor(Date.now() / 1000) + 5) })]);
    const [contact] = await contacts({ phone });
    const history = async (query = '') =>
      (
        await gateway.call<
          Page<{ direction: string; received: ReceivedItem | null; message: { id: string } | null }>
        >('GET', `/v1/contacts/${contact?._id}/messages${query}`)
      ).body.data;
    const { items } = await history();
    expect(items.map(({ direction }) => direction)).toEqual(['received', 'sent', 'received']);
    expect(items[1]?.message?.id).toBe(body.data.messages[0]?.id);
    const first = await history('?limit=1');
    expect(await history(`?cursor=${first.pagination.nextCursor}`)).toMatchObject({ items: items.slice(1) });
  });
});

describe('a conversation', () => {
  const conversations = async (limit = 100) =>
    (await contacts({ sort: '-lastMessageAt', limit: `${limit}` })).map(({ _id }) => _id);
  const contactOf = async (phone: string) => (await contacts({ phone }))[0];
  const reply = (phone: string, text: string) =>
    gateway.call<{ id: string }>('POST', '/v1/messages/reply', { body: { phone, text } });

  it('is listed by its last message, with what is unread until a reply or a read mark', async () => {
    const [ada, bob] = ['15559990001', '15559990002'];
    await receive([written({ from: ada, timestamp: String(nowSeconds - 120) })]);
    await receive([written({ from: ada, timestamp: String(nowSeconds - 118), text: { body: 'second' } })]);
    for (const count of [1, 2]) {
      await gateway.platform.write(number.id, { messages: [{ from: { phone: bob }, kind: 'text' }] });
      await expect.poll(async () => (await contactOf(bob))?.unreadCount).toBe(count);
    }
    const ids = [(await contactOf(bob))?._id, (await contactOf(ada))?._id];
    await expect.poll(async () => (await conversations()).filter((id) => ids.includes(id))).toEqual(ids);
    expect(await contactOf(ada)).toMatchObject({
      unreadCount: 2,
      lastMessage: { direction: 'received', type: 'text', text: 'second', status: null },
    });
    // the mark of the newest comes first
    const ofBob = (await list({ phone: bob })).items.sort((a, b) => (a.receivedAt < b.receivedAt ? 1 : -1));
    for (const { _id } of ofBob)
      expect((await gateway.call('POST', `/v1/messages/received/${_id}/read`)).status).toBe(200);
    expect(await contactOf(bob)).toMatchObject({ unreadCount: 0 });
    const { body } = await reply(ada, 'third');
    expect(await contactOf(ada)).toMatchObject({ unreadCount: 0 });
    await expect
      .poll(async () => (await contactOf(ada))?.lastMessage)
      .toMatchObject({ direction: 'sent', id: body.data.id, type: 'text', text: 'third' });
    await receive([
      written({ from: ada, timestamp: String(nowSeconds - 17), type: 'system', text: undefined }),
    ]);
    await receive([written({ from: ada, timestamp: String(nowSeconds - 16) })]);
    expect(await contactOf(ada)).toMatchObject({ unreadCount: 1 });
    for (const unreadCount of [99, 100, 100]) {
      const more = unreadCount === 99 ? 98 : 1;
      await receive(
        Array.from({ length: more }, () => written({ from: ada, timestamp: `${nowSeconds - 15}` })),
      );
      expect(await contactOf(ada)).toMatchObject({ unreadCount });
    }
    const one = await gateway.call('GET', `/v1/contacts/${ids[1]}`);
    expect(one.body.data).toEqual(await contactOf(ada));
    expect((await gateway.call('GET', '/v1/contacts/nobody')).body).toMatchObject({
      code: 'contact_not_found',
    });
  });

  it('moves up with a reply, leaves out who never wrote, and is paged without repeats', async () => {
    const early = ['15559990011', '15559990012', '15559990013'];
    for (const [index, from] of early.entries())
      await receive([written({ from, timestamp: String(nowSeconds - 5_000 - index) })]);
    const ids = await Promise.all(early.map(async (phone) => (await contactOf(phone))?._id ?? ''));
    await expect.poll(async () => (await conversations()).filter((id) => ids.includes(id))).toEqual(ids);
    const last = (await conversations()).indexOf(ids[2] ?? '');
    await reply(early[2] ?? '', 'now');
    await expect.poll(async () => (await conversations()).indexOf(ids[2] ?? '')).toBeLessThan(last);
    const whole = await conversations();
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { body: { data: Page<{ _id: string }> } } = await gateway.call(
        'GET',
        `/v1/contacts?sort=-lastMessageAt&limit=3${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...page.body.data.items.map(({ _id }) => _id));
      cursor = page.body.data.pagination.nextCursor;
    }
    expect(seen).toEqual(whole);
    const withMessage = (await contacts({ limit: '100' })).filter(({ lastMessage }) => lastMessage !== null);
    expect(withMessage.map(({ _id }) => _id).sort()).toEqual([...whole].sort());
  });

  it('is listed while it waits for an answer, while its window is open, and while the person opted out', async () => {
    const [late, answered, waiting] = ['15559990021', '15559990022', '15559990023'];
    await receive([written({ from: late, timestamp: String(nowSeconds - 86_401) })]);
    for (const from of [answered, waiting])
      await receive([written({ from, timestamp: String(nowSeconds - 60) })]);
    await reply(answered, 'now');
    const put = (body: object) => gateway.call('PUT', `/v1/opt-outs/${late}`, { body });
    await put({ scope: 'marketing' });
    const all = [late, answered, waiting];
    const listed = async (state: string) =>
      (await contacts({ state, limit: '100' }))
        .flatMap(({ phone }) => (phone && all.includes(phone) ? phone : []))
        .sort();
    await expect.poll(() => listed('unanswered')).toEqual([late, waiting]);
    expect(await listed('window_open')).toEqual([answered, waiting]);
    expect(await listed('opted_out')).toEqual([late]);
    await gateway.call('DELETE', `/v1/opt-outs/${late}`);
    expect(await listed('opted_out')).toEqual([]);
    await receive([
      written({ from: answered, timestamp: String(nowSeconds + 60), type: 'system', text: undefined }),
    ]);
    await receive([written({ from: waiting, timestamp: String(nowSeconds + 60), text: { body: 'again' } })]);
    await expect.poll(async () => (await contactOf(waiting))?.lastMessage?.text).toBe('again');
    expect(await listed('unanswered')).toEqual([late, waiting]);
    const clash = await gateway.call('GET', '/v1/contacts?state=unanswered&sort=-createdAt');
    expect(clash.body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'state' }] });
  });

  it('is found by words of the name and by the number, also after a merge and a new name', async () => {
    const search = async (text: string) => (await contacts({ search: text })).map(({ name }) => name);
    const from = '491701234567';
    const named = (name: string, user_id: string) => [{ profile: { name }, wa_id: from, user_id }];
    await receive([written({ from })], named('Zoë von Östrup', 'DE.1'));
    await expect.poll(() => search('zoe')).toEqual(['Zoë von Östrup']);
    for (const text of ['ÖST zo', 'ostrup', '+49 170', '0170-1234567', '4567'])
      expect(await search(text), text).toEqual(['Zoë von Östrup']);
    for (const text of ['trup', 'zoe x', '70', '17012', '!', '\u{10ffff}'])
      expect(await search(text), text).toEqual([]);
    // their other id wrote before
    await receive(
      [written({ from: undefined, from_user_id: 'DE.2' })],
      [{ profile: { name: 'Zoo' }, user_id: 'DE.2' }],
    );
    await expect.poll(async () => (await search('zo')).sort()).toEqual(['Zoo', 'Zoë von Östrup']);
    const update = [{ user_id: { previous: 'DE.2', current: 'DE.1' } }];
    const value = { metadata: { phone_number_id: number.id }, user_id_update: update };
    await post({ entry: [{ id: waba, changes: [{ field: 'user_id_update', value }] }] });
    await receive([written({ from, timestamp: String(nowSeconds + 60) })], named('Zelda', 'DE.1'));
    await expect.poll(() => search('zelda')).toEqual(['Zelda']);
    expect(await search('zo')).toEqual([]);
    expect((await gateway.call('GET', '/v1/contacts?search=a&sort=-lastMessageAt')).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'search' }],
    });
  });
});
