// The WhatsApp Cloud API's inbound messages: every documented kind, and the people.
import { describe, expect, it } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';

const from = { from: '15551234567', from_user_id: 'US.1349' };
const head = { ...from, id: 'wamid.A', timestamp: '1751142888' };
const contacts = [{ profile: { name: 'Ada', username: 'ada' }, wa_id: '15551234567', user_id: 'US.1349' }];
const bodyOf = (value: string) =>
  `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":${value}}]}]}`;
const readText = (value: string) => readCallback(Buffer.from(bodyOf(value)));
const read = (messages: unknown, more: object = { contacts }) =>
  readText(JSON.stringify({ metadata: { phone_number_id: '11' }, ...more, messages })).received;
const one = (message: object, more?: object) => read([{ ...head, ...message }], more)[0];

const media = { id: '1027', mime_type: 'image/jpeg', sha256: 'Jd8+=' };

describe('an inbound message', () => {
  it('has its sender, person, time and source', () => {
    const message = { ...head, type: 'text', text: { body: 'Hi' } };
    expect(read([message])).toEqual([
      {
        phoneNumberId: '11',
        messageRef: 'wamid.A',
        phone: '15551234567',
        userId: 'US.1349',
        person: {
          phone: '15551234567',
          userId: 'US.1349',
          name: 'Ada',
          otherPhones: [],
          otherUserIds: [],
        },
        type: 'text',
        isFromPerson: true,
        timestamp: 1751142888,
        content: { text: 'Hi' },
        mediaRef: null,
        contextRef: null,
        raw: JSON.stringify(message),
      },
    ]);
  });

  it.each<[string, object, object]>([
    ['text', { text: { body: 'Hi' } }, { text: 'Hi' }],
    [
      'image',
      { image: { ...media, caption: 'Me' } },
      { media: { mimeType: 'image/jpeg', sha256: 'Jd8+=', caption: 'Me' } },
    ],
    [
      'document',
      { document: { ...media, filename: 'a.pdf' } },
      { media: { mimeType: 'image/jpeg', sha256: 'Jd8+=', fileName: 'a.pdf' } },
    ],
    [
      'audio',
      { audio: { ...media, id: 'wacid.1', voice: true } },
      { media: { mimeType: 'image/jpeg', sha256: 'Jd8+=', voice: true } },
    ],
    [
      'sticker',
      { sticker: { ...media, animated: false } },
      { media: { mimeType: 'image/jpeg', sha256: 'Jd8+=' } },
    ],
    ['hologram', { hologram: media }, { media: { mimeType: 'image/jpeg', sha256: 'Jd8+=' } }],
    ['button', { button: { payload: 'P', text: 'Stop' } }, { button: { payload: 'P', text: 'Stop' } }],
    [
      'interactive',
      { interactive: { type: 'button_reply', button_reply: { id: 'b1', title: 'Yes' } } },
      { interactive: { type: 'button_reply', id: 'b1', title: 'Yes' } },
    ],
    [
      'interactive',
      { interactive: { type: 'list_reply', list_reply: { id: 'r1', title: 'Row', description: 'D' } } },
      { interactive: { type: 'list_reply', id: 'r1', title: 'Row', description: 'D' } },
    ],
    [
      'interactive',
      {
        interactive: {
          type: 'nfm_reply',
          nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token":"t","n":1}' },
        },
      },
      { interactive: { type: 'nfm_reply', name: 'flow', body: 'Sent', response: { flow_token: 't', n: 1 } } },
    ],
    [
      'interactive',
      { interactive: { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } } },
      { interactive: { type: 'call_permission_reply', response: 'accept' } },
    ],
    ['interactive', { interactive: { type: 'a_new_reply' } }, { interactive: { type: 'a_new_reply' } }],
    [
      'location',
      { location: { latitude: 37.44, longitude: -122.16, name: 'HQ', address: '1 Hacker Way' } },
      { location: { latitude: 37.44, longitude: -122.16, name: 'HQ', address: '1 Hacker Way' } },
    ],
    [
      'contacts',
      {
        contacts: [
          {
            name: { formatted_name: 'Bob', first_name: 'Bob' },
            phones: [{ phone: '+1 555', wa_id: '1555', type: 'CELL' }],
            emails: [{ email: 'b@example.com', type: 'WORK' }],
            org: { company: 'Acme' },
          },
        ],
      },
      {
        contacts: [
          {
            name: 'Bob',
            phones: [{ phone: '+1 555', type: 'CELL', userPhone: '1555' }],
            emails: [{ email: 'b@example.com', type: 'WORK' }],
            company: 'Acme',
          },
        ],
      },
    ],
    [
      'reaction',
      { reaction: { message_id: 'wamid.B', emoji: '👍' } },
      { reaction: { messageId: 'wamid.B', emoji: '👍' } },
    ],
    [
      'reaction',
      { reaction: { message_id: 'wamid.B' } },
      { reaction: { messageId: 'wamid.B', emoji: null } },
    ],
    [
      'order',
      {
        order: {
          catalog_id: 'C',
          text: 'Soon',
          product_items: [{ product_retailer_id: 'p', quantity: 2, item_price: 7.5, currency: 'EUR' }],
        },
      },
      {
        order: {
          catalogId: 'C',
          text: 'Soon',
          items: [{ productId: 'p', quantity: 2, price: 7.5, currency: 'EUR' }],
        },
      },
    ],
    [
      'contacts',
      {
        contacts: [
          {
            vcard: 'BEGIN:VCARD\nVERSION:3.0\nN:M.;Pablo\nFN:Pablo\\, M.\nEND:VCARD',
            origin: 'contact_request',
          },
        ],
      },
      { contacts: [{ name: 'Pablo, M.', phones: [], origin: 'contact_request' }] },
    ],
    [
      'edit',
      { edit: { original_message_id: 'wamid.B', message: { type: 'text', text: { body: 'New' } } } },
      { text: 'New' },
    ],
    [
      'edit',
      { edit: { message: { type: 'image', image: { ...media, caption: 'New' } } } },
      { media: { mimeType: 'image/jpeg', sha256: 'Jd8+=', caption: 'New' } },
    ],
    ['edit', { edit: { message: { type: 'edit', edit: { message: {} } } } }, {}],
    ['revoke', { revoke: { original_message_id: 'wamid.B' } }, {}],
    ['unsupported', { errors: [{ code: 131051 }], unsupported: { type: 'poll' } }, {}],
    ['request_welcome', {}, {}],
    ['a_kind_nobody_knows', { a_kind_nobody_knows: { x: 1 } }, {}],
  ])('of the type %s is parsed: %j', (type, message, content) => {
    expect(one({ type, ...message })).toMatchObject({ type, content });
    expect(Object.keys(one({ type, ...message })?.content ?? {})).toEqual(Object.keys(content));
  });

  it('with media names it by the id of the platform, also beyond 2^53', () => {
    expect(one({ type: 'image', image: media })?.mediaRef).toBe('1027');
    const long = `{"metadata":{"phone_number_id":122097329108006499},"messages":[{"id":"wamid.A","timestamp":"1","from":"1555","type":"image","image":{"id":122097329108006499,"mime_type":"image/png"}}]}`;
    const [message] = readText(long).received;
    expect(message).toMatchObject({ phoneNumberId: '122097329108006499', mediaRef: '122097329108006499' });
    expect(message?.raw).toContain('"id":122097329108006499');
  });

  it('refers to the message that it quotes or reacts to, not to a forwarded one', () => {
    expect(one({ type: 'text', context: { from: '1', id: 'wamid.B' } })?.contextRef).toBe('wamid.B');
    expect(one({ type: 'reaction', reaction: { message_id: 'wamid.C' } })?.contextRef).toBe('wamid.C');
    expect(one({ type: 'text', context: { forwarded: true } })?.contextRef).toBeNull();
  });
});

describe('the person of a message', () => {
  it('is known by the user id alone if the platform hides the number', () => {
    const hidden = { contacts: [{ profile: { name: 'Ada' }, user_id: 'US.1349' }] };
    const message = { ...head, type: 'text', from: undefined };
    expect(read([message], hidden)[0]).toMatchObject({
      ...{ phone: null, userId: 'US.1349' },
      person: { phone: null, userId: 'US.1349', name: 'Ada' },
    });
  });

  it('is known by a user id in the place of the number', () => {
    const message = { ...head, type: 'text', from: 'US.1234', from_user_id: undefined };
    expect(read([message], {})[0]).toMatchObject({
      ...{ phone: null, userId: 'US.1234', person: { phone: null, userId: 'US.1234' } },
    });
    expect(read([{ ...message, from: 'someone' }], {})[0]?.person).toBeNull();
  });

  it('has every number and id that the platform names together', () => {
    const more = { contacts: [{ wa_id: '5215550000', user_id: 'MX.1', parent_user_id: 'MX.ENT.2' }] };
    const message = { ...head, from: '525550000', from_user_id: 'MX.1', type: 'text' };
    expect(read([message], more)[0]?.person).toMatchObject({
      ...{ phone: '525550000', otherPhones: ['5215550000'], userId: 'MX.1', otherUserIds: ['MX.ENT.2'] },
    });
  });

  it('is the one of several contacts that has its id', () => {
    const both = { contacts: [{ profile: { name: 'Bob' }, wa_id: '1777' }, ...contacts] };
    expect(one({ type: 'text' }, both)?.person?.name).toBe('Ada');
    const [, stranger] = read([
      { ...head, type: 'text' },
      { ...head, from: '1999', from_user_id: undefined, type: 'text' },
    ]);
    expect(stranger?.person).toMatchObject({ phone: '1999', userId: null, name: null, otherPhones: [] });
    const others = { contacts: [{ wa_id: '1777' }, { wa_id: '1888' }] };
    expect(one({ type: 'text' }, others)?.person?.otherPhones).toEqual([]);
  });

  it('has the new number and id after a change, which opens no reply window', () => {
    const system = (change: object) =>
      one({ type: 'system', from_user_id: undefined, system: { body: 'changed', ...change } }, {});
    expect(
      system({
        type: 'user_changed_number',
        wa_id: '15557654321',
        user_id: 'US.2',
        previous_user_id: 'US.1',
      }),
    ).toMatchObject({
      phone: '15551234567',
      isFromPerson: false,
      person: { phone: '15557654321', otherPhones: ['15551234567'], userId: 'US.2', otherUserIds: ['US.1'] },
    });
    expect(system({ type: 'user_changed_user_id', user_id: 'US.2' })?.person).toMatchObject({
      ...{ phone: '15551234567', userId: 'US.2' },
    });
  });

  it('is reported to have another id by user_id_update', () => {
    const value = {
      metadata: { phone_number_id: '11' },
      user_id_update: [
        {
          wa_id: '1555',
          detail: 'x',
          user_id: { previous: 'US.1', current: 'US.2' },
          parent_user_id: { previous: 'US.ENT.1', current: 'US.ENT.2' },
          timestamp: '1',
        },
        { user_id: {} },
        'x',
      ],
    };
    const body = { entry: [{ id: 'W', changes: [{ field: 'user_id_update', value }] }] };
    expect(readCallback(Buffer.from(JSON.stringify(body))).identities).toEqual([
      {
        ...{ phoneNumberId: '11', businessAccountId: 'W' },
        person: {
          phone: '1555',
          userId: 'US.2',
          name: null,
          otherPhones: [],
          otherUserIds: ['US.1', 'US.ENT.1', 'US.ENT.2'],
        },
      },
    ]);
  });
});
