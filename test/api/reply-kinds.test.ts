// Every kind of reply: accepted by the simulated platform as it was requested, and within the platform's limits.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openKnownRegistrations } from '../../src/messaging/media/register.ts';
import { findMedia } from '../../src/messaging/media/store.ts';
import { queueReply } from '../../src/messaging/replies/queue-reply.ts';
import type { SendDeps } from '../../src/messaging/sending/send.ts';
import type { Answer, Gateway } from '../harness/gateway.ts';
import { type Replies, startReplies } from '../harness/replies.ts';
import { samples } from '../harness/sample-files.ts';
import { messageOf, send, uploadMedia } from '../harness/sends.ts';

let replies: Replies;
let gateway: Gateway;
let writes: Replies['writes'];
let reply: Replies['reply'];
let bodiesTo: Replies['bodiesTo'];
let eventsUntil: Replies['eventsUntil'];
const phone = '15553009999';
let wrote: string;

beforeAll(async () => {
  replies = await startReplies();
  ({ gateway, writes, reply, bodiesTo, eventsUntil } = replies);
  wrote = await writes(phone);
});
afterEach(() => gateway.platform.clearFaults());
afterAll(() => gateway?.close());

const codeOf = ({ status, body }: Answer<unknown>) => [status, body.code];
const itemOf = async (id: string) =>
  (await messageOf(gateway, id)) as unknown as { reply: object | null; text: string | null };
const row = (id: string, title = id) => ({ id, title });
const text = 'Choose.';
const card = { name: 'Ada', phones: [{ phone: '+44 20 7946 0000', userPhone: '442079460000' }] };

test.each<[string, string, Record<string, unknown>, object?]>([
  ['text', 'text', { text: 'Hi' }],
  [
    'a file at an address',
    'image',
    { media: { url: 'https://example.com/a.png', caption: 'A' } },
    {
      media: { kind: 'image', url: 'https://example.com/a.png', caption: 'A' },
    },
  ],
  ['a place', 'location', { location: { latitude: 1.5, longitude: -2, name: 'Shop', address: 'Street 1' } }],
  [
    'contact cards',
    'contacts',
    { contacts: [card] },
    {
      contacts: [{ ...card, firstName: 'Ada', emails: [], urls: [] }],
    },
  ],
  ['buttons', 'interactive', { text, buttons: [row('a'.repeat(256), 'x'.repeat(20)), row('b'), row('c')] }],
  [
    'a list',
    'interactive',
    {
      text,
      list: {
        button: 'x'.repeat(20),
        sections: [
          {
            title: 'x'.repeat(24),
            rows: [{ ...row('a'.repeat(200), 'x'.repeat(24)), description: 'x'.repeat(72) }],
          },
          { title: 'B', rows: Array.from({ length: 9 }, (_, n) => row(String(n))) },
        ],
      },
    },
  ],
  ['a link', 'interactive', { text, link: { title: 'x'.repeat(20), url: 'https://example.com' } }],
])('%s is accepted by the platform, and shown as it was requested', async (_what, type, body, shown) => {
  const { status, body: answer } = await reply({ phone, ...body });
  expect([status, answer.data]).toMatchObject([200, { status: 'accepted', error: null }]);
  expect((await bodiesTo(phone)).at(-1)).toMatchObject({ type, biz_opaque_callback_data: answer.data.id });
  const item = await itemOf(answer.data.id);
  expect(item.reply).toEqual(shown ?? body);
  expect(item.text).toBe(body.text ?? null);
});

const list = (more: object) => ({ text, list: { button: 'Open', rows: [row('1')], ...more } });
test.each<[string, Record<string, unknown>, string]>([
  ['four buttons', { text, buttons: ['1', '2', '3', '4'].map((id) => row(id)) }, 'buttons'],
  ['a button of 21 characters', { text, buttons: [row('1', 'x'.repeat(21))] }, 'buttons[0].title'],
  ['a button id of 257 characters', { text, buttons: [row('x'.repeat(257), 'A')] }, 'buttons[0].id'],
  ['a button id with a space around it', { text, buttons: [row(' a', 'A')] }, 'buttons[0].id'],
  ['eleven rows', list({ rows: Array.from({ length: 11 }, (_, n) => row(String(n))) }), 'list.rows'],
  ['a row of 25 characters', list({ rows: [row('1', 'x'.repeat(25))] }), 'list.rows[0].title'],
  ['a row id of 201 characters', list({ rows: [row('x'.repeat(201), 'A')] }), 'list.rows[0].id'],
  [
    'a description of 73 characters',
    list({ rows: [{ ...row('1'), description: 'x'.repeat(73) }] }),
    'list.rows[0].description',
  ],
  ['a list button of 21 characters', list({ button: 'x'.repeat(21) }), 'list.button'],
  [
    'a section title of 25 characters',
    list({ rows: undefined, sections: [{ title: 'x'.repeat(25), rows: [row('1')] }] }),
    'list.sections[0].title',
  ],
  [
    'a link of 21 characters',
    { text, link: { title: 'x'.repeat(21), url: 'https://example.com' } },
    'link.title',
  ],
  ['a link to a file', { text, link: { title: 'x', url: 'file:///etc/passwd' } }, 'link.url'],
  [
    'a caption of 1,025 characters',
    { media: { url: 'https://e.com/a.png', caption: 'x'.repeat(1025) } },
    'media.caption',
  ],
  ['a file without https', { media: { url: 'http://example.com/a.png' } }, 'media.url'],
  ['a latitude of 91', { location: { latitude: 91, longitude: 0 } }, 'location.latitude'],
  ['258 cards', { contacts: Array.from({ length: 258 }, () => ({ name: 'A' })) }, 'contacts'],
  ['a card without a name', { contacts: [{ phones: [] }] }, 'contacts[0].name'],
  ['a card with a blank name', { contacts: [{ name: ' ' }] }, 'contacts[0].name'],
  [
    'a blank number',
    { contacts: [{ name: 'Ada', phones: [{ phone: ' ' }] }] },
    'contacts[0].phones[0].phone',
  ],
  ['a place with a blank name', { location: { latitude: 1, longitude: 1, name: ' ' } }, 'location.name'],
  ['two kinds', { text, buttons: [row('1')], location: { latitude: 1, longitude: 1 } }, 'buttons'],
])('%s is rejected before the platform is called', async (_what, body, path) => {
  const answer = await reply({ phone, ...body });
  expect(codeOf(answer)).toEqual([400, 'invalid_request']);
  expect(answer.body.errors?.map((problem) => problem.path)).toContain(path);
});

describe('an upload', () => {
  it('is sent by the platform’s id, with its file name, and registered again when the platform lost it', async () => {
    const mediaId = await uploadMedia(gateway, samples.pdf, 'bill.pdf', 'application/pdf');
    const body = { phone, media: { mediaId, caption: 'The bill' } };
    const { data } = (await reply(body)).body;
    expect(data.status).toBe('accepted');
    const sent = (await bodiesTo(phone)).at(-1) as { document: { id: string } };
    expect(sent.document).toMatchObject({ caption: 'The bill', filename: 'bill.pdf' });
    expect((await itemOf(data.id)).reply).toEqual({
      media: { kind: 'document', mediaId, caption: 'The bill', fileName: 'bill.pdf' },
    });
    await gateway.platform.settings({ lostMediaCode: 100 });
    await gateway.platform.forgetMedia(sent.document.id);
    expect((await reply(body)).body.data.status).toBe('accepted');
    const again = (await bodiesTo(phone)).at(-1) as { document: { id: string } };
    expect(again.document.id).not.toBe(sent.document.id);
  });

  it('of another account, or a deleted one, is rejected', async () => {
    const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
    const key = await gateway.otherAccount();
    const foreign = await reply({ phone, media: { mediaId } }, { key });
    expect(foreign.body.errors?.[0]).toMatchObject({ path: 'media.mediaId' });
    await gateway.call('DELETE', `/v1/media/${mediaId}`);
    expect((await reply({ phone, media: { mediaId } })).status).toBe(400);
  });
});

it('with a file that was removed after the check stores nothing', async () => {
  const mediaId = await uploadMedia(gateway, samples.png, 'b.png', 'image/png');
  const media = await findMedia(gateway.database.db, gateway.accountId, mediaId);
  const removed: SendDeps['checkQueue'] = async () => {
    await sql`update media set state = 'removing' where id = ${media?.id}`.execute(gateway.database.db);
    return () => undefined;
  };
  const { db, hot } = gateway.database;
  const knownRegistrations = openKnownRegistrations(systemClock);
  const deps = {
    ...{ db, hot, clock: systemClock, checkQueue: removed, knownRegistrations },
  } as unknown as SendDeps;
  const content = { kind: 'media', media: 'image', mediaId } as const;
  const dispatcher = { reserveCalls: async () => 0, capacity: () => 0, abandonReserved: () => undefined };
  const request = { accountId: gateway.accountId, to: { phone }, content };
  await expect(queueReply({ ...deps, dispatcher } as unknown as SendDeps, request)).rejects.toMatchObject({
    code: 'media_not_found',
  });
});

describe('a reaction', () => {
  it('is reported as sent only, and can be removed', async () => {
    const { data } = (await reply({ phone, reaction: { emoji: '👍' }, replyTo: wrote })).body;
    const events = await eventsUntil(data.messageId ?? '', 'sent');
    expect(events).toHaveLength(1);
    expect((await bodiesTo(phone)).at(-1)).toMatchObject({ reaction: { message_id: wrote, emoji: '👍' } });
    const removed = (await reply({ phone, reaction: { emoji: null }, replyTo: wrote })).body.data;
    expect((await itemOf(removed.id)).reply).toEqual({ reaction: { emoji: null }, replyTo: wrote });
  });

  it('to a message that the platform does not know fails', async () => {
    const { data } = (await reply({ phone, reaction: { emoji: '👍' }, replyTo: 'wamid.unknown' })).body;
    const [failed] = await eventsUntil(data.messageId ?? '', 'failed');
    expect(failed?.data.error).toMatchObject({ code: 131009 });
  });
});

describe('replyTo', () => {
  it('takes our ids of received and sent messages', async () => {
    const list = await gateway.call<{ items: { _id: string }[] }>(
      'GET',
      `/v1/messages/received?phone=${phone}`,
    );
    const received = list.body.data.items[0]?._id;
    await reply({ phone, text, replyTo: received });
    expect((await bodiesTo(phone)).at(-1)).toMatchObject({ context: { message_id: wrote } });
    const sent = await send(gateway, { templateId: replies.templateIds.plain ?? '', recipients: [phone] });
    const [message] = sent.body.data.messages;
    await reply({ phone, text, replyTo: message?.id });
    expect((await bodiesTo(phone)).at(-1)).toMatchObject({ context: { message_id: message?.messageId } });
    const other = '15553009998';
    await writes(other);
    const refused = await reply({ phone: other, text, replyTo: received });
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([400, ['replyTo']]);
    expect((await reply({ phone: other, text, replyTo: message?.id })).status).toBe(400);
    const key = await gateway.otherAccount();
    for (const [replyTo, options] of [
      [randomUUID(), {}],
      [received, { key }],
      [message?.id, { key }],
    ] as const)
      expect(codeOf(await reply({ phone, text, replyTo }, options))).toEqual([404, 'message_not_found']);
  });
});
