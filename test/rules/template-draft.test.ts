// Drafts: every problem is found with its path before anything is sent to the platform.
import { describe, expect, it } from 'vitest';
import { draftProblems, sampleIdOf, withHandle } from '../../src/messaging/template-editing/draft.ts';
import type { TemplateComponent } from '../../src/ports/platform.ts';
import {
  app,
  body,
  bodyOf,
  buttons,
  files,
  type More,
  otp,
  pathsOf,
  replies,
  reply,
  url,
} from '../harness/drafts.ts';

describe('a draft that the platform accepts has no problems', () => {
  it.each<[string, TemplateComponent[], More?]>([
    ['a body alone', [body]],
    [
      'texts with variables and examples',
      [
        { type: 'HEADER', format: 'TEXT', text: 'The {{1}} sale', example: { header_text: ['June'] } },
        {
          type: 'BODY',
          text: 'Hi {{1}} and {{2}}, see you in June.',
          example: { body_text: [['Ada', 'Ben']] },
        },
        { type: 'FOOTER', text: 'Reply stop to end' },
      ],
    ],
    [
      'one variable with its example as a text',
      [{ type: 'BODY', text: 'Hi {{1}}, see you in June.', example: { body_text: 'Ada' } }],
    ],
    [
      'named variables',
      [
        {
          type: 'BODY',
          text: 'Hi {{name}}, welcome back.',
          example: { body_text_named_params: [{ param_name: 'name', example: 'Ada' }] },
        },
      ],
      { named: true },
    ],
    ['a picture’s sample', [{ type: 'HEADER', format: 'IMAGE', mediaId: 'png' }, body]],
    ['a video’s sample', [{ type: 'HEADER', format: 'VIDEO', mediaId: 'mp4' }, body]],
    ['a document’s sample', [{ type: 'HEADER', format: 'DOCUMENT', mediaId: 'pdf' }, body]],
    [
      'a handle that the caller already has',
      [{ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::a'] } }, body],
    ],
    ['a place', [{ type: 'HEADER', format: 'LOCATION' }, body]],
    [
      'every kind of button',
      buttons(
        reply,
        { ...reply, text: 'No' },
        url('https://a.example/{{1}}', { example: ['https://a.example/x'] }),
        url('https://b.example/', { text: 'More' }),
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100' },
        { type: 'COPY_CODE', example: '250FF' },
      ),
    ],
    [
      'a one-time password, whose texts the platform generates',
      [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'FOOTER', code_expiration_minutes: 10 },
        otp({ otp_type: 'ONE_TAP', supported_apps: [app] }),
      ],
      { category: 'AUTHENTICATION' },
    ],
    [
      'a one-time password with its app in the button, as earlier examples of the platform have it',
      [{ type: 'BODY' }, otp({ otp_type: 'ONE_TAP', ...app })],
      { category: 'AUTHENTICATION' },
    ],
    [
      'a zero-tap code with accepted terms',
      [{ type: 'BODY' }, otp({ otp_type: 'ZERO_TAP', supported_apps: [app], zero_tap_terms_accepted: true })],
      { category: 'AUTHENTICATION' },
    ],
    [
      'words of a language without spaces',
      [{ type: 'BODY', text: '您的订单{{1}}已经发货了。', example: { body_text: [['A-1']] } }],
      { language: 'zh_CN' },
    ],
  ])('%s', (_what, components, more) => {
    expect(pathsOf(components, more)).toEqual([]);
  });
});

describe('a problem is named by its path', () => {
  it.each<[string, TemplateComponent[], string[]]>([
    ['no body', [{ type: 'FOOTER', text: 'x' }], ['components']],
    ['two components of one type', [body, body], ['components']],
    ['a text too long', [{ ...body, text: 'x'.repeat(1025) }], ['components[0].text']],
    ['a gap in the numbering', [bodyOf('Hi there {{2}} from us.', 'x')], ['components[0].text']],
    ['a variable at the start or end', [bodyOf('{{1}} is here for you.', 'x')], ['components[0].text']],
    ['no example', [bodyOf('Hi there {{1}} from us.')], ['components[0].example.body_text']],
    [
      'too few examples',
      [bodyOf('Hi {{1}} and {{2}} and all others.', 'x')],
      ['components[0].example.body_text'],
    ],
    ['an empty example', [bodyOf('Hi there {{1}} from us.', '')], ['components[0].example.body_text']],
    [
      'two variables without text between',
      [bodyOf('Hi there {{1}}{{2}} from all of us.', 'a', 'b')],
      ['components[0].text'],
    ],
    [
      'two variables with a space between',
      [bodyOf('Hi there {{1}} {{2}} from all of us.', 'a', 'b')],
      ['components[0].text'],
    ],
    [
      'too few words for its variables',
      [bodyOf('Hi {{1}} from {{2}}, bye.', 'a', 'b')],
      ['components[0].text'],
    ],
    ['braces that are not a variable', [bodyOf('Hi {{first name}}, welcome back.')], ['components[0].text']],
    [
      'a line break in a header',
      [{ type: 'HEADER', format: 'TEXT', text: 'a\nb' }, body],
      ['components[0].text'],
    ],
    [
      'formatting in a header',
      [{ type: 'HEADER', format: 'TEXT', text: '*Sale*' }, body],
      ['components[0].text'],
    ],
    ['an emoji in a footer', [body, { type: 'FOOTER', text: 'Bye 👋' }], ['components[1].text']],
    [
      'a header of two variables',
      [{ type: 'HEADER', format: 'TEXT', text: '{{1}} {{2}}', example: { header_text: ['a', 'b'] } }, body],
      ['components[0].text'],
    ],
    ['no sample', [{ type: 'HEADER', format: 'IMAGE' }, body], ['components[0].mediaId']],
    ['a header without a format', [{ type: 'HEADER', text: 'Sale' }, body], ['components[0].format']],
    ['an invisible text', [{ type: 'BODY', text: '\u200b\u2060 \ufeff' }], ['components[0].text']],
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
      'a sample of an unsupported video type',
      [{ type: 'HEADER', format: 'VIDEO', mediaId: '3gp' }, body],
      ['components[0].mediaId'],
    ],
    [
      'a document that is not a PDF',
      [{ type: 'HEADER', format: 'DOCUMENT', mediaId: 'text' }, body],
      ['components[0].mediaId'],
    ],
    ['a sample outside the header', [{ ...body, mediaId: 'png' }], ['components[0].mediaId']],
    ['a footer with a variable', [body, { type: 'FOOTER', text: 'a {{1}}' }], ['components[1].text']],
    ['eleven buttons', buttons(...replies(11)), ['components[1].buttons']],
    [
      'three links',
      buttons(
        url('https://a.example', { text: 'A' }),
        url('https://b.example', { text: 'B' }),
        url('https://c.example', { text: 'C' }),
      ),
      ['components[1].buttons'],
    ],
    [
      'separated quick replies',
      buttons(reply, url('https://a.example'), { ...reply, text: 'No' }),
      ['components[1].buttons'],
    ],
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
    ['two buttons with the same text', buttons(reply, reply), ['components[1].buttons']],
    ['a variable in a label', buttons({ ...reply, text: 'Hi {{1}}' }), ['components[1].buttons[0].text']],
    ['a link to a conversation', buttons(url('https://wa.me/15550100')), ['components[1].buttons[0].url']],
    [
      'a link to the platform',
      buttons(url('https://api.WhatsApp.com/send')),
      ['components[1].buttons[0].url'],
    ],
    [
      'a link without a host',
      buttons(url('https://{{1}}', { example: ['x'] })),
      ['components[1].buttons[0].url'],
    ],
    [
      'a link’s variable with an empty example',
      buttons(url('https://a.example/{{1}}', { example: [''] })),
      ['components[1].buttons[0].example'],
    ],
    [
      'a phone button without a number',
      buttons({ type: 'PHONE_NUMBER', text: 'Call' }),
      ['components[1].buttons[0].phone_number'],
    ],
    ['a coupon without a code', buttons({ type: 'COPY_CODE' }), ['components[1].buttons[0].example']],
    [
      'a coupon too long',
      buttons({ type: 'COPY_CODE', example: 'x'.repeat(21) }),
      ['components[1].buttons[0].example'],
    ],
    [
      'an OTP button in another category',
      buttons({ type: 'OTP', otp_type: 'COPY_CODE' }),
      ['components[1].buttons'],
    ],
    ['no address', buttons(url('shop')), ['components[1].buttons[0].url']],
    [
      'several problems',
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

it('several problems of one path are one entry of errors', () => {
  const text = '{{1}} hi {{3}}';
  const [problem] = draftProblems(
    {
      category: 'UTILITY',
      language: 'en_US',
      parameterFormat: 'positional',
      components: [{ type: 'BODY', text }],
    },
    files,
  );
  expect(problem?.path).toBe('components[0].text');
  expect(problem?.message).toMatch(/start or end with a variable; .*without gaps/);
});

it('one variable is not called variables', () => {
  const components = [{ type: 'BODY', text: 'Hi {{1}}!' }];
  const of = { category: 'UTILITY', language: 'en_US', parameterFormat: 'positional', components } as const;
  expect(draftProblems(of, files).map(({ message }) => message)).toEqual([
    'must have at least 3 words for its 1 variable, but has 1: add text or remove variables',
    'must have an example for its variable',
  ]);
});

it('a sample is sent to the platform by its handle, without our id', () => {
  const part = { type: 'HEADER', format: 'IMAGE', mediaId: 'png' };
  expect(sampleIdOf(part)).toBe('png');
  expect(sampleIdOf({ ...part, format: 'TEXT' })).toBeUndefined();
  expect(withHandle(part, '4::a')).toEqual({
    type: 'HEADER',
    format: 'IMAGE',
    example: { header_handle: ['4::a'] },
  });
});
