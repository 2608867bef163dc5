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
    expect(await contacts({ phone: from, userId: 'US.444' })).toEqual(found);
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
    expect(byPhone).toEqual(byId);
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
