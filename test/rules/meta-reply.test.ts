// Replies in the form of the WhatsApp Cloud API (its pages on text, media, location, contacts, reaction and interactive messages).
import { describe, expect, it } from 'vitest';
import { replyBody } from '../../src/adapters/meta/reply.ts';
import type { OutgoingReply, ReplyContent } from '../../src/ports/platform.ts';

const correlationId = '019a0b5e-7c00-7000-8000-000000000001';
const reply = (content: ReplyContent, more: Partial<OutgoingReply> = {}): object =>
  replyBody({ phone: '919876543210', userId: null, content, correlationId, ...more });
const common = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '+919876543210',
  biz_opaque_callback_data: correlationId,
};

describe('the body of a reply', () => {
  it.each<[string, ReplyContent, Partial<OutgoingReply>, object]>([
    ['text', { kind: 'text', text: 'Hi' }, {}, { type: 'text', text: { body: 'Hi', preview_url: false } }],
    [
      'text with an address, which is previewed',
      { kind: 'text', text: 'See https://example.com' },
      {},
      { type: 'text', text: { body: 'See https://example.com', preview_url: true } },
    ],
    [
      'a file by its id',
      { kind: 'media', media: 'document', mediaId: 'med_1', caption: 'The bill', fileName: 'bill.pdf' },
      { platformMediaId: '77' },
      { type: 'document', document: { id: '77', caption: 'The bill', filename: 'bill.pdf' } },
    ],
    [
      'a file by its address',
      { kind: 'media', media: 'audio', link: 'https://example.com/a.mp3' },
      {},
      { type: 'audio', audio: { link: 'https://example.com/a.mp3' } },
    ],
    [
      'a place with its degrees as numbers',
      { kind: 'location', latitude: 1.25, longitude: -2, name: 'Shop' },
      {},
      { type: 'location', location: { latitude: '1.25', longitude: '-2', name: 'Shop' } },
    ],
    [
      'contact cards',
      {
        kind: 'contacts',
        cards: [
          {
            ...{ name: 'Ada Lovelace', firstName: 'Ada', lastName: 'Lovelace', company: 'Engines' },
            phones: [{ phone: '+44 20 7946 0000', type: 'WORK', userPhone: '442079460000' }],
            emails: [{ email: 'ada@example.com' }],
            urls: [],
          },
        ],
      },
      {},
      {
        type: 'contacts',
        contacts: [
          {
            name: { formatted_name: 'Ada Lovelace', first_name: 'Ada', last_name: 'Lovelace' },
            phones: [{ phone: '+44 20 7946 0000', type: 'WORK', wa_id: '442079460000' }],
            emails: [{ email: 'ada@example.com' }],
            org: { company: 'Engines' },
          },
        ],
      },
    ],
    [
      'a reaction, without a context',
      { kind: 'reaction', emoji: '👍' },
      { replyTo: 'wamid.A' },
      { type: 'reaction', reaction: { message_id: 'wamid.A', emoji: '👍' } },
    ],
    [
      'the removal of a reaction',
      { kind: 'reaction', emoji: '' },
      { replyTo: 'wamid.A' },
      { type: 'reaction', reaction: { message_id: 'wamid.A', emoji: '' } },
    ],
    [
      'buttons, quoting a message',
      { kind: 'buttons', text: 'When?', buttons: [{ id: 'am', title: 'Morning' }] },
      { replyTo: 'wamid.A' },
      {
        context: { message_id: 'wamid.A' },
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'When?' },
          action: { buttons: [{ type: 'reply', reply: { id: 'am', title: 'Morning' } }] },
        },
      },
    ],
    [
      'a list',
      {
        ...{ kind: 'list', text: 'Which?', button: 'Choose' },
        sections: [{ title: 'Days', rows: [{ id: '1', title: 'Monday', description: 'from nine' }] }],
      },
      {},
      {
        type: 'interactive',
        interactive: {
          type: 'list',
          body: { text: 'Which?' },
          action: {
            button: 'Choose',
            sections: [{ title: 'Days', rows: [{ id: '1', title: 'Monday', description: 'from nine' }] }],
          },
        },
      },
    ],
    [
      'a link',
      { kind: 'link', text: 'Your order', title: 'Open', url: 'https://example.com/o' },
      {},
      {
        type: 'interactive',
        interactive: {
          type: 'cta_url',
          body: { text: 'Your order' },
          action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/o' } },
        },
      },
    ],
  ])('has %s', (_what, content, more, expected) => {
    expect(reply(content, more)).toEqual({ ...common, ...expected });
  });

  it('names a person without a phone by their user id', () => {
    const body = reply({ kind: 'text', text: 'Hi' }, { phone: null, userId: 'US.1349' });
    expect(body).toMatchObject({ recipient: 'US.1349' });
    expect(body).not.toHaveProperty('to');
  });
});
