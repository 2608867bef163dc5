// The WhatsApp Cloud API's callbacks: statuses, errors, template changes and signatures.
import { createHmac } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { isSigned, readCallback } from '../../src/adapters/meta/callback.ts';
import { templateStatus } from '../../src/adapters/meta/template.ts';
import { fc } from '../harness/property.ts';

const change = (value: object, field = 'messages') => ({ field, value });
const numbered = (phone_number_id: string, statuses: object[], more: object = {}) =>
  change({ messaging_product: 'whatsapp', metadata: { phone_number_id }, statuses, ...more });
const read = (...entry: object[]) =>
  readCallback(Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry })));
const sent = { id: 'wamid.A', status: 'sent', timestamp: '1751142888' };

describe('statuses', () => {
  it('are read from every entry and every change', () => {
    const many = Array.from({ length: 250 }, (_, index) => ({ ...sent, id: `wamid.${index}` }));
    const content = read(
      { id: '1', changes: [numbered('11', many), numbered('12', many)] },
      { id: '2', changes: [numbered('21', many), numbered('21', many)] },
    );
    expect(content.statuses).toHaveLength(1000);
    expect(new Set(content.statuses.map((status) => status.phoneNumberId))).toEqual(
      new Set(['11', '12', '21']),
    );
    expect(content.ignored).toBe(0);
  });

  it('contain our id, their price and their error', () => {
    const failed = {
      ...sent,
      status: 'failed',
      timestamp: 1751142888,
      biz_opaque_callback_data: 'our-id',
      recipient_user_id: 'US.1',
      pricing: { category: 'marketing', a_new_member: 1 },
      errors: [
        {
          code: 131049,
          title: 'Not delivered',
          message: 'Not delivered',
          error_data: { details: 'Too many.' },
        },
      ],
    };
    expect(read({ id: '1', changes: [numbered('11', [failed])] }).statuses).toEqual([
      {
        phoneNumberId: '11',
        messageRef: 'wamid.A',
        correlationId: 'our-id',
        status: 'failed',
        timestamp: 1751142888,
        priceCategory: 'marketing',
        billable: null,
        error: { code: 131049, title: 'Not delivered', message: 'Too many.' },
      },
    ]);
  });

  it('that failed without a reason have an error with code 0', () => {
    const content = read({ id: '1', changes: [numbered('11', [{ ...sent, status: 'failed' }])] });
    expect(content.statuses[0]?.error).toEqual({ code: 0, title: 'Failed', message: 'Failed' });
  });

  it('with the status played count as read', () => {
    expect(
      read({ id: '1', changes: [numbered('11', [{ ...sent, status: 'played' }])] }).statuses[0]?.status,
    ).toBe('read');
  });

  it.each([
    ['an unknown status', { status: 'deleted' }],
    ['the failure of a payment', { status: 'failed', type: 'payment', payment: { reference_id: 'r' } }],
    ['no id', { id: undefined }],
    ['an id longer than an index entry', { id: 'w'.repeat(513) }],
    ['no valid time', { timestamp: 'soon' }],
    ['a time beyond all dates', { timestamp: '999999999999999' }],
    ['a negative time', { timestamp: '-1' }],
  ])('with %s are ignored and counted; others are read', (_what, wrong) => {
    const content = read({ id: '1', changes: [numbered('11', [{ ...sent, ...wrong }, sent])] });
    expect(content.statuses).toHaveLength(1);
    expect(content.ignored).toBe(1);
  });

  it('without a number are ignored', () => {
    expect(read({ id: '1', changes: [change({ statuses: [sent] })] })).toMatchObject({
      statuses: [],
      ignored: 1,
    });
  });
});

describe('errors', () => {
  const metadata = { phone_number_id: '11' };

  it('of a status have their details in an object or in plain text', () => {
    const errors = [{ code: '131026', title: 'Undeliverable', error_data: 'No such person.' }];
    const content = read({ id: '1', changes: [numbered('11', [{ ...sent, status: 'failed', errors }])] });
    expect(content.statuses[0]?.error).toEqual({
      code: 131026,
      title: 'Undeliverable',
      message: 'No such person.',
    });
  });

  it.each([
    [{}, null],
    [{ time: 1751142888 }, 1751142888],
    [{ time: '1751142888123' }, 1751142888],
  ])('of a number are read, with the time of their entry %j', (entry, timestamp) => {
    const errors = [{ code: 131031, title: 'Locked', error_data: { details: 'Policy.' } }, 'nonsense'];
    const content = read({ id: '1', ...entry, changes: [change({ metadata, errors })] });
    expect(content.numbers).toEqual([
      {
        phoneNumberId: '11',
        timestamp,
        error: { code: 131031, title: 'Locked', message: 'Policy.' },
      },
    ]);
  });

  it('of an inbound message are not errors of the number', () => {
    const messages = [{ from: '1', type: 'unsupported', errors: [{ code: 131031, title: 'x' }] }];
    expect(read({ id: '1', changes: [change({ metadata, messages })] })).toMatchObject({
      numbers: [],
      ignored: 0,
    });
  });
});

describe('other content', () => {
  it('is ignored if it is an unknown kind', () => {
    const content = read({
      id: '1',
      changes: [
        change({ event: 'x' }, 'tracking_events'),
        change({}, 'a_new_field'),
        change({ statuses: 'none' }),
      ],
    });
    expect(content).toEqual({
      ...{ statuses: [], templates: [], numbers: [], received: [], recipients: [], identities: [] },
      ...{ preferences: [], notices: [], ignored: 2 },
    });
  });

  it('is read if it is a template’s new status, category, quality or content', () => {
    const of = { message_template_id: 920070352646140, message_template_name: 'promo' };
    const content = read({
      id: '1',
      time: 1751142888,
      changes: [
        change({ ...of, event: 'REJECTED', reason: 'INVALID_FORMAT' }, 'message_template_status_update'),
        change({ ...of, event: 'APPROVED', reason: 'NONE' }, 'message_template_status_update'),
        change(
          { ...of, event: 'PAUSED', reason: 'NONE', other_info: { title: 'SECOND_PAUSE' } },
          'message_template_status_update',
        ),
        change({ ...of, new_category: 'MARKETING' }, 'template_category_update'),
        // only announced, perhaps after the change itself: its "new" category is the previous one
        change(
          { ...of, new_category: 'UTILITY', correct_category: 'MARKETING', category_update_timestamp: 1 },
          'template_category_update',
        ),
        change({ ...of, new_quality_score: 'RED' }, 'message_template_quality_update'),
        change({ ...of, new_quality_score: 'UNKNOWN' }, 'message_template_quality_update'),
        change(of, 'message_template_components_update'),
      ],
    });
    const base = { businessAccountId: '1', providerTemplateId: '920070352646140', timestamp: 1751142888 };
    expect(content.templates).toEqual([
      { ...base, status: templateStatus('REJECTED'), reason: 'INVALID_FORMAT' },
      { ...base, status: templateStatus('APPROVED'), reason: null },
      { ...base, status: templateStatus('PAUSED'), reason: 'SECOND_PAUSE' },
      { ...base, category: 'MARKETING' },
      { ...base, nextCategory: { category: 'MARKETING', timestamp: 1 } },
      { ...base, qualityScore: 'RED' },
      { ...base, qualityScore: null },
      { ...base, mustRead: true },
    ]);
  });

  it.each(['', 'null', '[]', '{', '{"entry":{}}', '"x"', '\u0000'])('%j is not a callback', (text) => {
    expect(() => readCallback(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('of any JSON never throws another error', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const changes = [{ field: 'messages', value }, value, { field: value, value: { statuses: [value] } }];
        const { statuses, templates } = read({ id: value, changes } as object, value as object);
        expect(templates).toEqual([]);
        expect(statuses).toEqual([]);
      }),
    );
  });
});

describe('a signature', () => {
  const body = Buffer.from('{"name":"Zo\\u00eb"}');
  const sign = (bytes: Buffer, secret = 'secret') =>
    `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;

  it('is verified over the raw bytes', () => {
    expect(isSigned(body, sign(body), 'secret')).toBe(true);
    expect(isSigned(Buffer.from('{"name":"Zoë"}'), sign(body), 'secret')).toBe(false);
  });
  it.each<[string, string | undefined]>([
    ['missing', undefined],
    ['empty', ''],
    ['made with another secret', sign(body, 'other')],
    ['without its prefix', sign(body).slice(7)],
    ['too short', sign(body).slice(0, -1)],
    ['too long', `${sign(body)}0`],
    ['not hexadecimal', `sha256=${'z'.repeat(64)}`],
  ])('that is %s is invalid', (_what, header) => expect(isSigned(body, header, 'secret')).toBe(false));
});

test('a change of any single bit of the body is detected', () => {
  const body = Buffer.from('{"entry":[]}');
  const header = `sha256=${createHmac('sha256', 's').update(body).digest('hex')}`;
  for (let bit = 0; bit < body.length * 8; bit++) {
    const changed = Buffer.from(body);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(isSigned(changed, header, 's')).toBe(false);
  }
});
