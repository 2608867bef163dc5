// Filling a template: each value in its component, and every problem with its path.
import { describe, expect, it, test } from 'vitest';
import { type Filling, fillTemplate, priorityOf } from '../../src/messaging/template-content/fill.ts';
import { planTemplate } from '../../src/messaging/template-content/placeholders.ts';
import type { TemplateComponent } from '../../src/ports/platform.ts';
import { fc } from '../harness/property.ts';

const planOf = (components: TemplateComponent[], of = {}) =>
  planTemplate({ category: 'UTILITY', parameterFormat: 'positional', ...of, components });

const body: TemplateComponent = { type: 'BODY', text: 'Hi {{1}}, order {{2}}.' };
const header: TemplateComponent = { type: 'HEADER', format: 'TEXT', text: 'About {{1}}' };
const withButtons = (...buttons: { type: string; url?: string }[]): TemplateComponent => ({
  type: 'BUTTONS',
  buttons,
});
const link = { type: 'URL', url: 'https://shop.example/{{1}}' };
const plain: TemplateComponent = { type: 'BODY', text: 'Hello.' };
const media = (format: string): TemplateComponent[] => [{ type: 'HEADER', format }, plain];

const fill = (components: TemplateComponent[], variables: Record<string, unknown>, of = {}) =>
  fillTemplate(planOf(components, of), { variables }, 'recipients[3]');
const problemsOf = (components: TemplateComponent[], variables: Record<string, unknown>, of = {}) =>
  fill(components, variables, of).problems.map(
    ({ path, message }) => `${path.slice('recipients[3].variables.'.length)} ${message}`,
  );
const headerProblems = (components: TemplateComponent[], filling: Partial<Filling>) =>
  fillTemplate(planOf(components), { variables: {}, ...filling }, 'r').problems;

describe('valid variables fill', () => {
  test('header, body and buttons, with qualified and bare keys', () => {
    const components = [header, body, withButtons({ type: 'QUICK_REPLY' }, link, { type: 'COPY_CODE' })];
    const { filled, problems } = fill(components, {
      '1': 'Ada',
      '2': 'A-1',
      'header.1': 'June',
      'buttons.1.1': 'a-1',
      'buttons.2.1': '250FF',
    });
    expect(problems).toEqual([]);
    expect(filled).toEqual({
      header: { kind: 'text', values: [{ text: 'June' }] },
      body: [{ text: 'Ada' }, { text: 'A-1' }],
      buttons: [
        { index: 1, subType: 'url', value: 'a-1' },
        { index: 2, subType: 'copy_code', value: '250FF' },
      ],
    });
  });

  test('the code of an authentication template, in the body and on the button', () => {
    const components = [{ type: 'BODY', text: '{{1}} is your code.' }, withButtons({ type: 'OTP' })];
    expect(fill(components, { '1': '123456' }, { category: 'AUTHENTICATION' }).filled).toEqual({
      body: [{ text: '123456' }],
      buttons: [{ index: 0, subType: 'otp', value: '123456' }],
    });
  });

  test('named parameters, with their names', () => {
    const components = [{ type: 'BODY', text: '{{first_name}}, {{day}}' }];
    expect(
      fill(components, { day: 'Friday', first_name: 'Ada' }, { parameterFormat: 'named' }).filled.body,
    ).toEqual([
      { name: 'first_name', text: 'Ada' },
      { name: 'day', text: 'Friday' },
    ]);
  });

  test('a file or a location in the header', () => {
    const file = { kind: 'document', mimeType: 'application/pdf', fileName: 'bill.pdf' };
    const filled = fillTemplate(planOf(media('DOCUMENT')), { variables: {}, mediaId: '7', media: file }, 'r');
    expect(filled).toMatchObject({
      problems: [],
      filled: { header: { kind: 'media', media: 'document', fileName: 'bill.pdf' } },
    });
    const location = { latitude: 1.5, longitude: -2, name: 'Shop', address: 'Street 1' };
    expect(fillTemplate(planOf(media('LOCATION')), { variables: {}, location }, 'r').filled.header).toEqual({
      kind: 'location',
      ...location,
    });
  });
});

describe('reports', () => {
  it.each([
    ['a missing variable', { '1': 'Ada' }, ['2 is missing']],
    ['all missing variables', {}, ['1 is missing', '2 is missing']],
    ['an unknown key', { '1': 'a', '2': 'b', '3': 'c' }, ['3 is not a variable of this template; use 1, 2']],
    ['a number', { '1': 7, '2': 'b' }, ['1 must be a string']],
    ['null', { '1': null, '2': 'b' }, ['1 must be a string']],
    ['empty values', { '1': '', '2': ' ' }, [/^1 must not be empty/, /^2 must not be empty/]],
    ['a newline', { '1': 'a\nb', '2': 'b' }, [/^1 must not contain a newline/]],
    ['a tab', { '1': 'a\tb', '2': 'b' }, [/^1 must not contain a newline/]],
    ['five spaces', { '1': 'a     b', '2': 'b' }, [/^1 must not contain a newline/]],
    [
      'two keys for one placeholder',
      { '1': 'a', 'body.1': 'a', '2': 'b' },
      ['body.1 fills body.1, which another key also fills'],
    ],
  ])('%s', (_what, variables, problems) => {
    const found = problemsOf([body], variables);
    expect(found).toHaveLength(problems.length);
    problems.forEach((problem, index) => {
      expect(found[index]).toMatch(
        typeof problem === 'string' ? new RegExp(`^${RegExp.escape(problem)}$`) : problem,
      );
    });
  });

  test('four consecutive spaces are allowed', () =>
    expect(problemsOf([body], { '1': 'a    b', '2': 'b' })).toEqual([]));

  test('an ambiguous key, with the keys to use instead', () => {
    expect(problemsOf([header, plain, withButtons(link)], { '1': 'x' })).toEqual([
      '1 names several variables; use "header.1" or "buttons.0.1" instead',
      'header.1 is missing',
      'buttons.0.1 is missing',
    ]);
  });

  test('a bare key for a copy code', () => {
    expect(problemsOf([plain, withButtons({ type: 'COPY_CODE' })], { '1': '250FF' })).toEqual([
      '1 must be named "buttons.0.1"',
      'buttons.0.1 is missing',
    ]);
  });

  test('the bare code and a qualified one in an authentication template', () => {
    const components = [{ type: 'BODY', text: '{{1}}' }, withButtons({ type: 'OTP' })];
    const category = 'AUTHENTICATION';
    expect(problemsOf(components, { '1': '1', 'buttons.0.1': '2' }, { category })).toEqual([
      'buttons.0.1 fills buttons.0.1, which another key also fills',
    ]);
    expect(problemsOf(components, {}, { category })).toEqual(['1 is missing']);
  });

  test('any key of a template without variables', () => {
    expect(problemsOf([plain], { '1': 'x' })).toEqual([
      '1 is not a variable of this template, which has none',
    ]);
  });
});

describe('the platform’s limits apply to the filled component, in characters', () => {
  it.each<[string, TemplateComponent[], (size: number) => Record<string, string>, number]>([
    ['body', [{ type: 'BODY', text: 'Hi {{1}}!' }], (n) => ({ '1': '😀'.repeat(n) }), 1020],
    ['header', [header, plain], (n) => ({ '1': 'x'.repeat(n) }), 54],
    ['copy code', [plain, withButtons({ type: 'COPY_CODE' })], (n) => ({ 'buttons.0.1': 'x'.repeat(n) }), 20],
    ['address', [plain, withButtons(link)], (n) => ({ '1': 'x'.repeat(n) }), 1979],
  ])('%s', (_where, components, variables, maxLength) => {
    expect(problemsOf(components, variables(maxLength))).toEqual([]);
    expect(problemsOf(components, variables(maxLength + 1))).toEqual([
      expect.stringMatching(/at most \d+ are allowed$/),
    ]);
  });

  test('a component that is too long is reported together with a missing variable of another', () => {
    expect(problemsOf([header, body], { 'header.1': 'x'.repeat(55), '1': 'a' })).toEqual([
      '2 is missing',
      expect.stringMatching(/^header\.1 makes the header 61 characters long/),
    ]);
  });
});

describe('the header’s media or location must match the template', () => {
  const pdf = { kind: 'document', mimeType: 'application/pdf', fileName: 'a.pdf' };
  const location = { latitude: 0, longitude: 0, name: 'a', address: 'b' };
  it.each<[string, TemplateComponent[], Partial<Filling>, string, RegExp]>([
    ['no file', media('IMAGE'), {}, 'r.mediaId', /is missing: .* image/],
    ['an unknown file', media('IMAGE'), { mediaId: '1' }, 'r.mediaId', /does not exist in this account/],
    ['another kind', media('IMAGE'), { mediaId: '1', media: pdf }, 'r.mediaId', /is a document, .* image/],
    [
      'a document that is not a PDF',
      media('DOCUMENT'),
      { mediaId: '1', media: { ...pdf, mimeType: 'text/plain' } },
      'r.mediaId',
      /must be a PDF/,
    ],
    ['a file without a media header', [plain], { mediaId: '1', media: pdf }, 'r.mediaId', /no media header/],
    ['no location', media('LOCATION'), {}, 'r.location', /is missing/],
    ['a location without a location header', [plain], { location }, 'r.location', /no location header/],
    ['a file for a location', media('LOCATION'), { location, mediaId: '1' }, 'r.mediaId', /no media header/],
  ])('%s', (_what, components, filling, path, message) => {
    expect(headerProblems(components, filling)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });
});

test('filling with exactly the keys of the template succeeds, with values in the order of the placeholders', () => {
  const value = fc.stringMatching(/^[a-zA-Z0-9é😀.,!-]{1,12}$/u);
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 12 }), value, (values, inHeader) => {
      const text = values
        .map((_, index) => `{{${index + 1}}}`)
        .reverse()
        .join(' ');
      const variables = Object.fromEntries(values.map((one, index) => [String(index + 1), one]));
      const { filled, problems } = fill([header, { type: 'BODY', text }], {
        ...variables,
        'header.1': inHeader,
      });
      expect(problems).toEqual([]);
      expect(filled.body.map((one) => one.text)).toEqual(values);
      expect(filled.header).toEqual({ kind: 'text', values: [{ text: inHeader }] });
    }),
  );
});

test('any missing, additional or invalid variable is reported, and nothing is filled', () => {
  const invalid = fc.constantFrom<unknown>('', ' ', 'a\nb', 'a\tb', 'x     y', 5, null, {}, [], true);
  fc.assert(
    fc.property(
      fc.subarray(['1', '2']),
      fc.dictionary(fc.constantFrom('1', '2', '3', '', '__proto__x'), invalid),
      (missing, added) => {
        const variables: Record<string, unknown> = { '1': 'a', '2': 'b', ...added };
        for (const key of missing) delete variables[key];
        const { filled, problems } = fill([body], variables);
        fc.pre(missing.length > 0 || Object.keys(added).length > 0);
        const wrong = new Set([...missing, ...Object.keys(added)]);
        expect(new Set(problems.map(({ path }) => path.slice('recipients[3].variables.'.length)))).toEqual(
          wrong,
        );
        expect(filled).toEqual({ body: [], buttons: [] });
      },
    ),
  );
});

test('authentication messages precede utility messages, and those precede marketing', () => {
  expect(['AUTHENTICATION', 'UTILITY', 'MARKETING', 'OTHER'].map(priorityOf)).toEqual([0, 1, 2, 2]);
});
