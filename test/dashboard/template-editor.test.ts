// The editor of templates: its rules are those of the API, and what the form makes is read back as it was.
import { describe, expect, test } from 'vitest';
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
import { draftProblems } from '../../src/messaging/templates/draft.ts';
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

test('a preview has the examples in their places, and keeps what has none', () => {
  const draft = { ...emptyForm, body: { text: 'Hi {{1}}, see you {{2}}.', examples: { 1: 'Ada' } } };
  expect(draftParts(componentsOf(draft)).body).toBe('Hi Ada, see you {{2}}.');
});
