// Inputs and previews of templates: what can be filled, and the filled text of every part.
import { describe, expect, it, test } from 'vitest';
import { percentEncoded } from '../../src/base/url-value.ts';
import { type Filling, fillForPreview } from '../../src/messaging/template-content/fill.ts';
import { inputsOf } from '../../src/messaging/template-content/inputs.ts';
import { planTemplate } from '../../src/messaging/template-content/placeholders.ts';
import { renderTemplate } from '../../src/messaging/template-content/render.ts';
import type { TemplateComponent } from '../../src/ports/platform.ts';

const planOf = (components: TemplateComponent[], of = {}) =>
  planTemplate({ category: 'UTILITY', parameterFormat: 'positional', ...of, components });
const preview = (components: TemplateComponent[], filling: Partial<Filling>, of = {}) => {
  const plan = planOf(components, of);
  const { filled, problems } = fillForPreview(plan, { variables: {}, ...filling });
  return { ...renderTemplate(plan, filled), problems };
};

const order: TemplateComponent[] = [
  { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['A-1'] } },
  { type: 'BODY', text: 'Hi {{1}}, it is {{2}}.', example: { body_text: [['Ada', 'here']] } },
  { type: 'FOOTER', text: 'Thank you' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Stop' },
      { type: 'URL', text: 'Track', url: 'https://shop.example/{{1}}', example: ['a-1'] },
      { type: 'COPY_CODE', example: '250FF' },
    ],
  },
];

describe('the inputs of a template', () => {
  it('name every value that a recipient can fill, with example and length', () => {
    const text = { kind: 'text', required: true, media: null };
    expect(inputsOf(planOf(order))).toEqual([
      { key: 'header.1', part: 'header', ...text, example: 'A-1', maxLength: 60 },
      { key: 'body.1', part: 'body', ...text, example: 'Ada', maxLength: 1024 },
      { key: 'body.2', part: 'body', ...text, example: 'here', maxLength: 1024 },
      {
        ...{ key: 'buttons.0.payload', part: 'buttons.0', kind: 'payload', required: false },
        ...{ example: 'Stop', maxLength: 128, media: null },
      },
      { key: 'buttons.1.1', part: 'buttons.1', ...text, example: 'a-1', maxLength: 2000 },
      { key: 'buttons.2.1', part: 'buttons.2', ...text, kind: 'code', example: '250FF', maxLength: 20 },
    ]);
  });

  it.each([
    ['IMAGE', { key: 'mediaId', kind: 'media', media: 'image' }],
    ['DOCUMENT', { key: 'mediaId', kind: 'media', media: 'document' }],
    ['LOCATION', { key: 'location', kind: 'location', media: null }],
  ])('have one for a header of the format %s', (format, input) => {
    const components = [
      { type: 'HEADER', format },
      { type: 'BODY', text: 'Hello.' },
    ];
    expect(inputsOf(planOf(components))).toEqual([
      { part: 'header', required: true, example: null, maxLength: null, ...input },
    ]);
  });

  it('are one code in an authentication template', () => {
    const components = [
      { type: 'BODY', text: '{{1}} is your code.' },
      { type: 'BUTTONS', buttons: [{ type: 'OTP' }] },
    ];
    expect(inputsOf(planOf(components, { category: 'AUTHENTICATION' }))).toEqual([
      { key: '1', part: 'body', kind: 'code', required: true, example: null, maxLength: 15, media: null },
    ]);
  });
});

describe('a preview', () => {
  it('has the filled text of every part', () => {
    const variables = {
      'header.1': 'A-7',
      '1': 'Ada',
      '2': 'here',
      'buttons.1.1': 'a 7',
      'buttons.2.1': '7FF',
    };
    const none = { url: null, phone: null, code: null, payload: null };
    expect(preview(order, { variables })).toEqual({
      header: { type: 'text', text: 'Order A-7', url: null, fileName: null, location: null, product: null },
      body: 'Hi Ada, it is here.',
      footer: 'Thank you',
      buttons: [
        { ...none, index: 0, type: 'QUICK_REPLY', text: 'Stop' },
        { ...none, index: 1, type: 'URL', text: 'Track', url: 'https://shop.example/a%207' },
        { ...none, index: 2, type: 'COPY_CODE', text: null, code: '7FF' },
      ],
      offer: null,
      cards: [],
      problems: [],
    });
  });

  it('keeps the braces of what is missing, and lists it', () => {
    const { header, body, buttons, problems } = preview(order, { variables: { '1': 'Ada' } });
    expect(header?.text).toBe('Order {{1}}');
    expect(body).toBe('Hi Ada, it is {{2}}.');
    expect(buttons[1]?.url).toBe('https://shop.example/{{1}}');
    expect(problems.map(({ path }) => path)).toEqual([
      'variables.header.1',
      'variables.2',
      'variables.buttons.1.1',
      'variables.buttons.2.1',
    ]);
  });

  it('fills named placeholders by their names', () => {
    const components = [{ type: 'BODY', text: '{{day}}: {{first_name}}' }];
    const variables = { first_name: 'Ada', day: 'Friday' };
    expect(preview(components, { variables }, { parameterFormat: 'named' }).body).toBe('Friday: Ada');
  });
});

test('a value in an address is encoded where an address needs it, and only once', () => {
  const cases = {
    'a b': 'a%20b',
    'a:b|c': 'a%3Ab%7Cc',
    é: '%C3%A9',
    '100%': '100%25',
    'a%20b': 'a%20b',
    'x/y?z=1&w=2': 'x/y?z=1&w=2',
    '😀': '%F0%9F%98%80',
  };
  for (const [value, encoded] of Object.entries(cases)) {
    expect(percentEncoded(value)).toBe(encoded);
    expect(percentEncoded(encoded)).toBe(encoded);
  }
});
