// A draft's faults are all found here, each with its path, before anything goes to the platform.
import { describe, expect, it } from 'vitest';
import { draftFaults, sampleIdOf, withHandle } from '../../src/messaging/templates/draft.ts';
import type { TemplateComponent } from '../../src/ports/platform.ts';

const files = new Map([
  ['png', { kind: 'image', mimeType: 'image/png' }],
  ['mp4', { kind: 'video', mimeType: 'video/mp4' }],
  ['3gp', { kind: 'video', mimeType: 'video/3gpp' }],
  ['pdf', { kind: 'document', mimeType: 'application/pdf' }],
  ['text', { kind: 'document', mimeType: 'text/plain' }],
]);
const body = { type: 'BODY', text: 'Hello there.' };
const pathsOf = (components: TemplateComponent[], more: { category?: string; named?: boolean } = {}) =>
  draftFaults(
    {
      category: more.category ?? 'UTILITY',
      parameterFormat: more.named ? 'named' : 'positional',
      components,
    },
    files,
  ).map(({ path }) => path);
const buttons = (...list: object[]): TemplateComponent[] => [
  body,
  { type: 'BUTTONS', buttons: list as { type: string }[] },
];
const url = (text: string, more: object = {}) => ({ type: 'URL', text: 'Open', url: text, ...more });
const reply = { type: 'QUICK_REPLY', text: 'Yes' };

describe('a draft that the platform takes has no fault', () => {
  it.each<[string, TemplateComponent[], { category?: string; named?: boolean }?]>([
    ['a body alone', [body]],
    [
      'texts with variables and examples',
      [
        { type: 'HEADER', format: 'TEXT', text: 'The {{1}} sale', example: { header_text: ['June'] } },
        { type: 'BODY', text: 'Hi {{1}} and {{2}}.', example: { body_text: [['Ada', 'Ben']] } },
        { type: 'FOOTER', text: 'Reply stop to end' },
      ],
    ],
    [
      'named variables',
      [
        {
          type: 'BODY',
          text: 'Hi {{name}}.',
          example: { body_text_named_params: [{ param_name: 'name', example: 'Ada' }] },
        },
      ],
      { named: true },
    ],
    ['a picture’s sample', [{ type: 'HEADER', format: 'IMAGE', mediaId: 'png' }, body]],
    ['a video’s sample', [{ type: 'HEADER', format: 'VIDEO', mediaId: 'mp4' }, body]],
    ['a document’s sample', [{ type: 'HEADER', format: 'DOCUMENT', mediaId: 'pdf' }, body]],
    [
      'a handle that the caller has already',
      [{ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::a'] } }, body],
    ],
    ['a place', [{ type: 'HEADER', format: 'LOCATION' }, body]],
    [
      'every kind of button',
      buttons(
        reply,
        reply,
        url('https://a.example/{{1}}', { example: ['https://a.example/x'] }),
        url('https://b.example/'),
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100' },
        { type: 'COPY_CODE', example: '250FF' },
      ),
    ],
    [
      'a one-time password, whose texts the platform writes',
      [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'ONE_TAP' }] },
      ],
      { category: 'AUTHENTICATION' },
    ],
  ])('%s', (_what, components, more) => {
    expect(pathsOf(components, more)).toEqual([]);
  });
});

describe('a fault is named by its path', () => {
  it.each<[string, TemplateComponent[], string[]]>([
    ['no body', [{ type: 'FOOTER', text: 'x' }], ['components']],
    ['two of one kind', [body, body], ['components']],
    ['a text too long', [{ ...body, text: 'x'.repeat(1025) }], ['components[0].text']],
    ['a gap', [{ ...body, text: 'a {{2}} b', example: { body_text: [['x']] } }], ['components[0].text']],
    [
      'a variable at an end',
      [{ ...body, text: '{{1}} b', example: { body_text: [['x']] } }],
      ['components[0].text'],
    ],
    ['no example', [{ ...body, text: 'a {{1}} b' }], ['components[0].example.body_text']],
    [
      'too few examples',
      [{ ...body, text: 'a {{1}} {{2}} b', example: { body_text: [['x']] } }],
      ['components[0].example.body_text'],
    ],
    [
      'a header of two variables',
      [{ type: 'HEADER', format: 'TEXT', text: '{{1}} {{2}}', example: { header_text: ['a', 'b'] } }, body],
      ['components[0].text'],
    ],
    ['no sample', [{ type: 'HEADER', format: 'IMAGE' }, body], ['components[0].mediaId']],
    [
      'an unknown sample',
      [body, { type: 'HEADER', format: 'IMAGE', mediaId: 'none' }],
      ['components[1].mediaId'],
    ],
    [
      'a sample of another kind',
      [{ type: 'HEADER', format: 'IMAGE', mediaId: 'pdf' }, body],
      ['components[0].mediaId'],
    ],
    [
      'a sample that reviewers cannot play',
      [{ type: 'HEADER', format: 'VIDEO', mediaId: '3gp' }, body],
      ['components[0].mediaId'],
    ],
    [
      'a document that is no PDF',
      [{ type: 'HEADER', format: 'DOCUMENT', mediaId: 'text' }, body],
      ['components[0].mediaId'],
    ],
    ['a sample where none belongs', [{ ...body, mediaId: 'png' }], ['components[0].mediaId']],
    ['a footer with a variable', [body, { type: 'FOOTER', text: 'a {{1}}' }], ['components[1].text']],
    ['eleven buttons', buttons(...Array.from({ length: 11 }, () => reply)), ['components[1].buttons']],
    [
      'three links',
      buttons(url('https://a.example'), url('https://b.example'), url('https://c.example')),
      ['components[1].buttons'],
    ],
    ['quick replies apart', buttons(reply, url('https://a.example'), reply), ['components[1].buttons']],
    ['a label too long', buttons({ ...reply, text: 'x'.repeat(26) }), ['components[1].buttons[0].text']],
    [
      'a link’s variable in the middle',
      buttons(url('https://a.example/{{1}}/b', { example: ['x'] })),
      ['components[1].buttons[0].url'],
    ],
    [
      'a link’s variable without example',
      buttons(url('https://a.example/{{1}}')),
      ['components[1].buttons[0].example'],
    ],
    ['no address', buttons(url('shop')), ['components[1].buttons[0].url']],
    [
      'all faults at once',
      [
        { ...body, text: '' },
        { type: 'FOOTER', text: 'x'.repeat(61) },
      ],
      ['components[0].text', 'components[1].text'],
    ],
  ])('%s', (_what, components, paths) => {
    expect(pathsOf(components)).toEqual(paths);
  });
});

it('several faults of one place are told together', () => {
  const text = '{{1}} hi {{3}}';
  const [fault] = draftFaults(
    { category: 'UTILITY', parameterFormat: 'positional', components: [{ type: 'BODY', text }] },
    files,
  );
  expect(fault?.path).toBe('components[0].text');
  expect(fault?.message).toMatch(/begin or end with a variable; .*without a gap/);
});

it('a sample goes to the platform by its handle, without our id', () => {
  const part = { type: 'HEADER', format: 'IMAGE', mediaId: 'png' };
  expect(sampleIdOf(part)).toBe('png');
  expect(sampleIdOf({ ...part, format: 'TEXT' })).toBeUndefined();
  expect(withHandle(part, '4::a')).toEqual({
    type: 'HEADER',
    format: 'IMAGE',
    example: { header_handle: ['4::a'] },
  });
});
