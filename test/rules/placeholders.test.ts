// Variable keys and the placeholders that they fill. Each component has its own numbering, so a bare key may be ambiguous.
import { describe, expect, it, test } from 'vitest';
import { inputsOf } from '../../src/messaging/template-content/inputs.ts';
import {
  planTemplate,
  shortKey,
  substitute,
  tokensOf,
} from '../../src/messaging/template-content/placeholders.ts';
import { variablesOf } from '../../src/messaging/template-content/variables.ts';
import type { TemplateComponent } from '../../src/ports/platform.ts';

const planOf = (
  components: TemplateComponent[],
  of: { category?: string; parameterFormat?: 'positional' | 'named' } = {},
) => planTemplate({ category: 'UTILITY', parameterFormat: 'positional', ...of, components });

const keysOf = (components: TemplateComponent[], of = {}) =>
  Object.fromEntries(
    [...planOf(components, of).byKey].map(([key, meant]) => [key, meant.map((one) => one.qualifiedKey)]),
  );

const body = { type: 'BODY', text: 'Hi {{1}}, order {{2}}.' };
const header = { type: 'HEADER', format: 'TEXT', text: 'About {{1}}' };
const url = (text = 'https://shop.example/{{1}}') => ({ type: 'URL', text: 'Open', url: text });
const buttons = (...list: { type: string; url?: string; text?: string }[]) => ({
  type: 'BUTTONS',
  buttons: list,
});

describe('the placeholders of a text', () => {
  it.each([
    ['Hi {{1}} and {{2}}', ['1', '2']],
    ['{{2}} before {{1}}, and {{2}} again', ['1', '2']],
    ['{{10}} {{9}}', ['9', '10']],
    ['{{ first_name }} {{order}}', ['first_name', 'order']],
    ['{1} {{}} {{a b}} {{-}}', []],
    [undefined, []],
  ])('%s', (text, tokens) => expect(tokensOf(text)).toEqual(tokens));

  it('are all replaced; those without a value stay', () => {
    expect(substitute('{{1}} {{ 1 }} {{2}}', new Map([['1', '$&']]))).toBe('$& $& {{2}}');
  });
});

describe('a bare key', () => {
  it('fills the body, even where header and button have the same number', () => {
    expect(keysOf([header, body, buttons(url())])).toEqual({
      'header.1': ['header.1'],
      'body.1': ['body.1'],
      'body.2': ['body.2'],
      'buttons.0.1': ['buttons.0.1'],
      '1': ['body.1'],
      '2': ['body.2'],
    });
  });

  it('fills the only other component with that number if the body has none', () => {
    expect(keysOf([header, { type: 'BODY', text: 'Hello.' }])).toMatchObject({ '1': ['header.1'] });
    expect(keysOf([{ type: 'BODY', text: 'Hello.' }, buttons({ type: 'QUICK_REPLY' }, url())])).toMatchObject(
      {
        '1': ['buttons.1.1'],
      },
    );
  });

  it('fills nothing if two other components have that number: each needs its qualified key', () => {
    const keys = keysOf([header, { type: 'BODY', text: 'Hello.' }, buttons(url())]);
    expect(Object.keys(keys).sort()).toEqual(['buttons.0.1', 'header.1']);
  });

  it('never fills a copy code, which needs its qualified key', () => {
    const code = buttons({ type: 'COPY_CODE', text: 'Copy' });
    expect(keysOf([{ type: 'BODY', text: 'Hello.' }, code])).toEqual({ 'buttons.0.1': ['buttons.0.1'] });
    expect(keysOf([header, { type: 'BODY', text: 'Hello.' }, code])).toMatchObject({ '1': ['header.1'] });
  });

  it('is the code in body and button of an authentication template', () => {
    const components = [
      { type: 'BODY', text: '{{1}} is your code.' },
      buttons({ type: 'URL', url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}' }),
    ];
    const category = 'AUTHENTICATION';
    expect(keysOf(components, { category })['1']).toEqual(['body.1', 'buttons.0.1']);
    expect(keysOf([{ type: 'BODY' }, buttons({ type: 'OTP' })], { category })['1']).toEqual([
      'body.1',
      'buttons.0.1',
    ]);
  });

  it('is the name in a named template', () => {
    const components = [
      { type: 'HEADER', format: 'TEXT', text: '{{title}}' },
      { type: 'BODY', text: '{{first_name}}, {{title}} is here.' },
    ];
    expect(keysOf(components, { parameterFormat: 'named' })).toEqual({
      'header.title': ['header.title'],
      'body.first_name': ['body.first_name'],
      'body.title': ['body.title'],
      first_name: ['body.first_name'],
      title: ['body.title'],
    });
  });
});

test('a missing value is reported by the shortest key that fills it', () => {
  const plan = planOf([header, body, buttons(url(), { type: 'COPY_CODE' })]);
  expect(plan.placeholders.map((placeholder) => shortKey(plan, placeholder))).toEqual([
    'header.1',
    '1',
    '2',
    'buttons.0.1',
    'buttons.1.1',
  ]);
});

describe('the variables of a template', () => {
  it('list every variable by component, the header’s media, and the examples', () => {
    const shown = variablesOf(
      planOf([
        { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['June'] } },
        { ...body, example: { body_text: [['Ada', 'A-1']] } },
        { type: 'FOOTER', text: 'Bye' },
        buttons(
          { ...url(), example: ['https://shop.example/a-1'] } as never,
          { type: 'COPY_CODE', example: '250FF' } as never,
          { type: 'QUICK_REPLY', text: 'Stop' },
        ),
      ]),
    );
    expect(shown).toEqual({
      format: 'positional',
      header: ['1'],
      body: ['1', '2'],
      buttons: [
        { index: 0, subType: 'url', variables: ['1'] },
        { index: 1, subType: 'copy_code', variables: ['1'] },
      ],
      headerMedia: null,
      examples: {
        'header.1': 'June',
        '1': 'Ada',
        '2': 'A-1',
        'buttons.0.1': 'a-1',
        'buttons.1.1': '250FF',
      },
    });
  });

  it('list the examples of named parameters, and a single one as a text', () => {
    const components = [
      {
        type: 'BODY',
        text: 'Hi {{first_name}}',
        example: { body_text_named_params: [{ param_name: 'first_name', example: 'Ada' }] },
      },
    ];
    expect(variablesOf(planOf(components, { parameterFormat: 'named' }))).toMatchObject({
      format: 'named',
      body: ['first_name'],
      examples: { first_name: 'Ada' },
    });
    const text = [{ type: 'BODY', text: 'Hi {{1}}', example: { body_text: 'Ada' } }];
    expect(variablesOf(planOf(text)).examples).toEqual({ '1': 'Ada' });
  });

  it.each([
    ['https://shop.example/c/{{1}}', 'https://shop.example/c/summer', 'summer'],
    ['https://shop.example/c/{{1}}', 'summer', 'summer'],
    ['https://shop.example/c/{{1}}', 'https://other.example/summer', 'https://other.example/summer'],
    ['https://shop.example/{{1}}?a=b', 'https://shop.example/summer?a=b', 'summer'],
    ['https://shop.example/c/{{1}}', 'https://shop.example/c/', undefined],
    ['{{1}}', 'https://shop.example/', 'https://shop.example/'],
  ])('has the part of an address that the variable of %s fills: %s', (address, example, value) => {
    const button = { ...url(address), example: [example] };
    const { examples } = variablesOf(planOf([{ type: 'BODY', text: 'Hello.' }, buttons(button as never)]));
    expect(examples['1']).toBe(value);
  });

  it('has a code as the example of a code, not the address of its button', () => {
    const address = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456';
    const button = { ...url('https://www.whatsapp.com/otp/code/?code=otp{{1}}'), example: [address] };
    const codeBody = { type: 'BODY', text: '*{{1}}* is your code.' };
    const exampleOf = (text: TemplateComponent) => {
      const plan = planOf([text, buttons(button as never)], { category: 'AUTHENTICATION' });
      return [variablesOf(plan).examples['1'], inputsOf(plan).map(({ example }) => example)];
    };
    expect(exampleOf({ ...codeBody, example: { body_text: [['123456']] } })).toEqual(['123456', ['123456']]);
    expect(exampleOf(codeBody)).toEqual([undefined, [null]]);
  });

  it.each(['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'])('name a %s header', (format) => {
    const shown = variablesOf(
      planOf([
        { type: 'HEADER', format },
        { type: 'BODY', text: 'Hello.' },
      ]),
    );
    expect(shown).toMatchObject({ headerMedia: format.toLowerCase(), header: [] });
  });
});

describe('a template with unsupported parts', () => {
  it.each([
    [[{ type: 'BODY', text: 'x' }, { type: 'CAROUSEL' }], 'carousel'],
    [
      [
        { type: 'HEADER', format: 'GIF' },
        { type: 'BODY', text: 'x' },
      ],
      'GIF',
    ],
    ...['ORDER_DETAILS', 'APP', 'AN_UNKNOWN_KIND'].map((type): [object[], string] => [
      [{ type: 'BODY', text: 'x' }, buttons({ type })],
      type,
    ]),
    [[{ type: 'BODY', text: 'x' }, { type: 'AN_UNKNOWN_PART' }], 'an_unknown_part'],
  ])('has the reason: %j', (components, word) => {
    expect(planOf(components as TemplateComponent[]).unsupported).toContain(word);
  });

  it('is not one with common parts', () => {
    const usual = buttons({ type: 'QUICK_REPLY' }, { type: 'PHONE_NUMBER' }, url(), { type: 'COPY_CODE' });
    expect(planOf([header, body, { type: 'FOOTER', text: 'x' }, usual]).unsupported).toBeNull();
  });
});
