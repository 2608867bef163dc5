// The WhatsApp Cloud API's inbound messages: unreadable values, and the exact source of every message.
import { describe, expect, it, test } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';
import { fc } from '../harness/property.ts';

const from = { from: '15551234567', from_user_id: 'US.1349' };
const head = { ...from, id: 'wamid.A', timestamp: '1751142888' };
const contacts = [{ profile: { name: 'Ada', username: 'ada' }, wa_id: '15551234567', user_id: 'US.1349' }];
const bodyOf = (value: string) =>
  `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":${value}}]}]}`;
const readText = (value: string) => readCallback(Buffer.from(bodyOf(value)));
const read = (messages: unknown, more: object = { contacts }) =>
  readText(JSON.stringify({ metadata: { phone_number_id: '11' }, ...more, messages })).received;
const one = (message: object, more?: object) => read([{ ...head, ...message }], more)[0];

describe('a value that cannot be read', () => {
  it.each([
    ['"text"'],
    ['42'],
    ['null'],
    ['[1]'],
    ['{}'],
    ['{"id":{},"timestamp":[],"from":7.5,"type":false,"text":"x"}'],
  ])('%s is kept as it is, and does not affect the others of its callback', (poison) => {
    const good = '{"id":"wamid.A","timestamp":"1","from":"1555","type":"text","text":{"body":"Hi"}}';
    const { received } = readText(`{"metadata":{"phone_number_id":"11"},"messages":[${poison},${good}]}`);
    expect(received.map(({ type, raw }) => [type, raw])).toEqual([
      ['unknown', poison],
      ['text', good],
    ]);
    expect(received[0]).toMatchObject({ person: null, messageRef: null, timestamp: null, content: {} });
  });

  it('instead of the list of messages is one message', () => {
    expect(read({ id: 'wamid.A' })).toMatchObject([{ messageRef: 'wamid.A', raw: '{"id":"wamid.A"}' }]);
  });

  it('in a known member leaves that member out', () => {
    expect(one({ type: 'location', location: { latitude: 'north' } })?.content).toEqual({});
    expect(one({ type: 'text', text: 'Hi' })?.content).toEqual({});
    expect(one({ type: 'image', image: { id: '', mime_type: 'image/png' } })?.mediaRef).toBeNull();
    expect(one({ type: 'reaction', reaction: { emoji: 'x' } })?.content).toEqual({});
    expect(one({ type: 'text', timestamp: '99999999999999' })?.timestamp).toBeNull();
    expect(one({ type: 'text', id: 'w'.repeat(600) })?.messageRef).toBeNull();
    const flow = (response_json: string) =>
      one({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json } } })?.content
        .interactive?.response;
    expect(flow('not json')).toBe('not json');
    expect(flow('['.repeat(200) + ']'.repeat(200))).toBe('['.repeat(200) + ']'.repeat(200));
    expect(flow('"a\\u0000b"')).toBe('ab');
  });

  it('without a number is ignored and counted', () => {
    const content = readText('{"messages":[{"id":"wamid.A"}]}');
    expect([content.received, content.ignored]).toEqual([[], 1]);
  });
});

test('the source of each message is what the platform sent, byte for byte', () => {
  const source =
    '{ "id" : "wamid.\\u0041\\"]" , "big":12345678901234567890, "x":[1,{"messages":[0]}],\n"type":"text", "e":1e2 }';
  const value = `{"messages":[{"id":"wamid.old"}], "metadata":{"phone_number_id":"11"} ,"messages" : [ ${source} ,"}{" ]}`;
  expect(readText(value).received.map(({ raw }) => raw)).toEqual([source, '"}{"']);
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 5 }),
      fc.jsonValue(),
      fc.constantFrom(0, 1, '\t'),
      (messages, other, space) => {
        const text = JSON.stringify(
          { other, metadata: { phone_number_id: '11' }, messages, more: other },
          null,
          space,
        );
        const found = readText(text).received.map(({ raw }) => JSON.parse(raw) as unknown);
        expect(found).toEqual(JSON.parse(JSON.stringify(messages)));
      },
    ),
  );
});
