// The editor of templates: its rules are those of the API, and what the form makes is read back as it was.
import { describe, expect, test } from 'vitest';
import { fixOf } from '../../dashboard/src/templates/editor/draft-fixes.ts';
import {
  buttonTypes,
  componentsOf,
  type DraftForm,
  emptyForm,
  formOf,
  headerKinds,
  variablesOf,
} from '../../dashboard/src/templates/editor/draft-form.ts';
import { draftParts } from '../../dashboard/src/templates/editor/draft-parts.ts';
import { problemsOf } from '../../dashboard/src/templates/editor/draft-rules.ts';
import { starterKinds, starters } from '../../dashboard/src/templates/editor/starters.ts';
import { draftProblems } from '../../src/messaging/template-editing/draft.ts';
import type { TemplateComponent } from '../../src/ports/platform.ts';
import { files } from '../harness/drafts.ts';
import { fc } from '../harness/property.ts';

const words = fc.constantFrom(
  'Hi',
  ' your visit ',
  '.',
  '{{1}}',
  '{{2}}',
  '{{name}}',
  '{{Bad}}',
  '{{',
  '\n',
  '😀',
  '*',
);
const text = fc.array(words, { maxLength: 12 }).map((list) => list.join(''));
const some = fc.constantFrom('', 'Confirm', 'Another time', 'x'.repeat(26), '{{1}}');
const button = fc.record({
  key: fc.uuid(),
  type: fc.constantFrom(...buttonTypes),
  text: some,
  value: fc.constantFrom(
    '',
    'https://example.com/',
    'https://example.com/{{1}}',
    'ftp://x',
    'https://wa.me/1',
    '+15551230001',
    '12',
    'CODE',
  ),
  example: fc.constantFrom('', 'https://example.com/a'),
});
const mediaIds = { IMAGE: 'png', VIDEO: 'mp4', DOCUMENT: 'pdf' } as Record<string, string>;
const form: fc.Arbitrary<DraftForm> = fc.record({
  header: fc
    .record({ kind: fc.constantFrom(...headerKinds), text, example: some, has: fc.boolean() })
    .map(({ has, ...header }) => ({ ...header, mediaId: has ? (mediaIds[header.kind] ?? '') : '' })),
  body: fc.record({
    text,
    examples: fc.record({ 1: some, 2: some, name: some }) as fc.Arbitrary<Record<string, string>>,
  }),
  footer: text,
  buttons: fc.array(button, { maxLength: 4 }),
});

const ofApi = (draft: DraftForm, language = 'en_US') => {
  const components = componentsOf(draft) as TemplateComponent[];
  const names = [draft.header.text, draft.body.text].flatMap(variablesOf);
  const parameterFormat = names.every((name) => /^\d+$/.test(name)) ? 'positional' : 'named';
  return draftProblems({ category: 'UTILITY', language, parameterFormat, components }, files);
};

test('shows a problem if and only if the API has one', () => {
  fc.assert(
    fc.property(form, (draft) => {
      // the API reads one format for the whole template, the page one for each text
      const formats = [draft.header.text, draft.body.text]
        .map((one) => variablesOf(one))
        .filter(({ length }) => length > 0);
      fc.pre(new Set(formats.map((names) => names.every((name) => /^\d+$/.test(name)))).size < 2);
      fc.pre(
        draft.header.kind === 'TEXT' || formats.length < 2 || variablesOf(draft.header.text).length === 0,
      );
      const shown = problemsOf(draft, 'en_US');
      const api = ofApi(draft);
      expect([shown.length > 0, draft, shown, api]).toEqual([api.length > 0, draft, shown, api]);
    }),
    { numRuns: 400 },
  );
});

/** Everything that a draft may have, and nothing wrong. */
const good: DraftForm = {
  header: { kind: 'TEXT', text: 'Hello {{1}}', example: 'Ada', mediaId: '' },
  body: { text: 'Hi {{1}}, your next visit to {{2}} is soon.', examples: { 1: 'Ada', 2: 'Pune' } },
  footer: 'Nadi Health',
  buttons: [
    { key: 'a', type: 'QUICK_REPLY', text: 'Confirm', value: '', example: '' },
    { key: 'b', type: 'QUICK_REPLY', text: 'Another time', value: '', example: '' },
    {
      key: 'c',
      type: 'URL',
      text: 'Open',
      value: 'https://example.com/{{1}}',
      example: 'https://example.com/a',
    },
    { key: 'd', type: 'PHONE_NUMBER', text: 'Call', value: '+15551230001', example: '' },
  ],
};
const withBody = (text: string): Partial<DraftForm> => ({ body: { ...good.body, text } });
const withButton = (at: number, more: object): Partial<DraftForm> => ({
  buttons: good.buttons.map((button, index) => (index === at ? { ...button, ...more } : button)),
});
const withHeader = (more: object): Partial<DraftForm> => ({ header: { ...good.header, ...more } });

test('a draft without problems has none, here and at the API', () => {
  expect([problemsOf(good, 'en_US'), ofApi(good)]).toEqual([[], []]);
});

test.each<[rule: string, change: Partial<DraftForm>]>([
  ['edges', withBody('Hi {{1}}, your next visit to us is at {{2}}')],
  ['adjacent', withBody('Hi there {{1}} {{2}}, your next visit is soon.')],
  ['fewWords', withBody('Hi {{1}} at {{2}}.')],
  [
    'numbering',
    { body: { text: 'Hi {{1}}, your next visit to {{3}} is soon.', examples: { 1: 'Ada', 3: 'Pune' } } },
  ],
  ['braces', withBody('Hi {{1}}, your next visit to {{2}} is {{ soon.')],
  ['tooLong', withBody(`Hi {{1}}, your next visit to {{2}} is soon. ${'x'.repeat(1_000)}`)],
  ['missing', { body: { text: ' ', examples: {} } }],
  ['examples', { body: { ...good.body, examples: { 1: 'Ada' } } }],
  ['plain', withHeader({ text: 'Hello {{1}} 😀' })],
  ['formatting', withHeader({ text: '*Hello* {{1}}' })],
  ['oneVariable', withHeader({ text: 'Hello {{1}} {{2}}' })],
  ['examples', withHeader({ example: '' })],
  ['sample', withHeader({ kind: 'IMAGE' })],
  ['noVariables', { footer: 'Nadi {{1}}' }],
  ['plain', { footer: 'Nadi\nHealth' }],
  ['labelTwice', withButton(1, { text: 'Confirm' })],
  ['together', { buttons: [0, 2, 1].flatMap((at) => good.buttons[at] ?? []) }],
  [
    'tooMany',
    {
      buttons: [
        ...good.buttons,
        { key: 'e', type: 'PHONE_NUMBER', text: 'Ring', value: '+15551230002', example: '' },
      ],
    },
  ],
  ['missing', withButton(0, { text: '' })],
  ['tooLong', withButton(0, { text: 'x'.repeat(26) })],
  ['address', withButton(2, { value: 'ftp://example.com/{{1}}' })],
  ['ownAddress', withButton(2, { value: 'https://wa.me/{{1}}' })],
  ['variableAtEnd', withButton(2, { value: 'https://example.com/{{1}}/x' })],
  ['examples', withButton(2, { example: '' })],
  ['phone', withButton(3, { value: '12' })],
])('%s is the only problem of a draft that breaks this rule alone', (rule, change) => {
  const draft = { ...good, ...change };
  expect(problemsOf(draft, 'en_US').map((problem) => problem.rule)).toEqual([rule]);
  expect(ofApi(draft)).not.toEqual([]);
});

test('counts words by the language of the template', () => {
  const body = (words: string): DraftForm => ({ ...emptyForm, body: { text: words, examples: { 1: 'x' } } });
  for (const [language, words] of [
    ['ja', '東京都で{{1}}会いましょう'],
    ['en_US', 'Hi {{1}}.'],
  ] as const)
    expect(problemsOf(body(words), language).length > 0).toBe(ofApi(body(words), language).length > 0);
});

test('reads back what it made', () => {
  fc.assert(
    fc.property(form, (draft) => {
      const components = componentsOf(draft);
      const again = formOf(components);
      expect(again && componentsOf(again)).toEqual(components);
    }),
  );
});

describe('kinds that the form does not have', () => {
  test.each(starterKinds)('%s begins as something that is edited as JSON and shown', (kind) => {
    const { components } = starters[kind];
    expect(formOf(components)).toBeUndefined();
    expect(() => draftParts(components)).not.toThrow();
  });

  test('a carousel shows its cards, an offer its text', () => {
    expect(draftParts(starters.carousel.components).cards.map(({ body }) => body)).toEqual([
      'The first.',
      'The second.',
    ]);
    expect(draftParts(starters.offer.components).offer?.text).toBe('20 % off');
  });
});

test('examples belong to their numbers, in whatever order these stand', () => {
  const body = { text: 'See {{2}} soon, dear {{1}}, as agreed.', examples: { 1: 'Ada', 2: 'us' } };
  const components = componentsOf({ ...emptyForm, body });
  expect(components[0]?.example).toEqual({ body_text: [['Ada', 'us']] });
  expect(draftParts(components).body).toBe('See us soon, dear Ada, as agreed.');
  expect(ofApi({ ...emptyForm, body })).toEqual([]);
});

test('a preview has the examples in their places, and keeps what has none', () => {
  const draft = { ...emptyForm, body: { text: 'Hi {{1}}, see you {{2}}.', examples: { 1: 'Ada' } } };
  expect(draftParts(componentsOf(draft)).body).toBe('Hi Ada, see you {{2}}.');
});

test('a fix of a broken rule ends that problem, whatever the form has', () => {
  fc.assert(
    fc.property(form, (given) => {
      for (const problem of problemsOf(given, 'en_US')) {
        const fix = fixOf(problem, given);
        if (!fix || (problem.rule === 'edges' && /^\s*\{\{/.test(given.body.text))) continue;
        const left = problemsOf(fix.form, 'en_US');
        expect(left).not.toContainEqual(
          expect.objectContaining({ field: problem.field, rule: problem.rule }),
        );
      }
    }),
  );
});

test.each<[string, Partial<DraftForm>, string, Partial<DraftForm>]>([
  [
    'numbering',
    { body: { text: 'Hi {{2}}, on {{5}} at {{2}} here', examples: { 2: 'Ada', 5: 'Friday' } } },
    'renumber',
    { body: { text: 'Hi {{1}}, on {{2}} at {{1}} here', examples: { 1: 'Ada', 2: 'Friday' } } },
  ],
  ['plain', { footer: 'Reply\nSTOP 😀' }, 'removeBreaks', { footer: 'Reply STOP' }],
  [
    'edges',
    { body: { text: 'Hi {{1}} ', examples: {} } },
    'addFullStop',
    { body: { text: 'Hi {{1}}.', examples: {} } },
  ],
])('the fix of %s keeps what was typed', (rule, given, name, fixed) => {
  const draft = { ...emptyForm, body: { text: 'Hello there', examples: {} }, ...given };
  const problem = problemsOf(draft, 'en_US').find((one) => one.rule === rule);
  expect(problem && fixOf(problem, draft)).toEqual({ name, form: { ...draft, ...fixed } });
});
