// Form answers: matched to questions by id or text, and checked by question type.
import { describe, expect, test } from 'vitest';
import { checkAnswers } from '../../src/appointments/booking/form-answers.ts';
import type { QuestionFields } from '../../src/appointments/directory/staff.ts';

const question = (question_type: string, more: Partial<QuestionFields> = {}): QuestionFields => ({
  id: '019a0b5e-7c00-7000-8000-000000000001',
  question: 'Question?',
  question_type,
  is_required: true,
  options: [],
  placeholder: null,
  ...more,
});

const check = (question: QuestionFields, answer: string | number | boolean | string[] | null) => {
  const { answers, problems } = checkAnswers([question], [{ question: 'Question?', answer }]);
  return problems.length === 0 ? answers[0]?.answer : problems[0]?.message;
};

describe('an answer to a question of type', () => {
  test.each([
    ['phone', ['15551234567', '+49 (30) 123-4567'], ['12345', 'call me', '1234567890123456', '030 1234567']],
    [
      'email',
      ['a@b.example', 'first.last+tag@mail.example.org', 'ada@müller.example'],
      ['a@b', 'a b@c.example', '@c.example'],
    ],
    ['number', ['42', '-1.5', '.5', '1e3'], ['forty', '1,5', 'NaN', 'Infinity', '0x10']],
    ['date', ['2026-02-28', '2028-02-29'], ['2026-02-30', '28.02.2026', 'tomorrow']],
    ['checkbox', ['true'], ['yes', '1', 'True']],
    [
      'url',
      ['https://example.com/a?b=c', 'http://x.example', 'HTTPS://EXAMPLE.COM'],
      ['example.com', 'javascript:alert(1)', 'https:example.com', 'https://example.com/\nx'],
    ],
    ['text', ['anything', '0'], ['x'.repeat(1_001)]],
    ['textarea', ['line\nline', 'x'.repeat(10_000)], ['x'.repeat(10_001)]],
  ])('%s', (kind, good, bad) => {
    for (const answer of good) expect(check(question(kind), answer)).toBe(answer);
    for (const answer of bad)
      expect(check(question(kind), answer)).toMatch(/^"Question\?" (needs|takes|must)/);
  });

  test.each(['text', 'textarea', 'select', 'url'])(
    '%s must have something visible if it is required',
    (kind) => {
      for (const blank of ['', ' ', '\u200b', ' \u2060\u00ad\n', '\u3164']) {
        expect(check(question(kind), blank)).toBe('"Question?" must be answered');
        expect(check(question(kind, { is_required: false }), blank)).toBeUndefined();
      }
    },
  );

  test('checkbox must be true if required, and may be false otherwise', () => {
    const checkbox = question('checkbox');
    for (const answer of ['false', false, ' false '] as const)
      expect(check(checkbox, answer)).toBe('"Question?" must be true');
    expect(check(checkbox, true)).toBe('true');
    expect(check({ ...checkbox, is_required: false }, false)).toBe('false');
  });

  test('select and multiselect accepts only the options', () => {
    const options = ['Mon', 'Tue', 'Wed'];
    expect(check(question('select', { options }), 'Tue')).toBe('Tue');
    expect(check(question('select', { options }), 'Sun')).toMatch(/must be one of: Mon, Tue, Wed/);
    expect(check(question('multiselect', { options }), '["Mon","Wed"]')).toBe('["Mon","Wed"]');
    expect(check(question('multiselect', { options }), ['Mon'])).toBe('["Mon"]');
    for (const answer of ['Mon', '["Mon","Sun"]', '["Mon","Mon"]', '[1]']) {
      expect(check(question('multiselect', { options }), answer)).toMatch(/^"Question\?" must/);
    }
  });
});

test('an option with spaces around it can be chosen as it was listed', () => {
  const options = [' Mon', 'Tue '];
  for (const option of options) {
    expect(check(question('select', { options }), option)).toBe(option.trim());
    expect(check(question('multiselect', { options }), [option])).toBe(JSON.stringify([option]));
  }
});

test('the longest text is the one that the problem names', () => {
  expect(check(question('text'), 'x'.repeat(10_001))).toBe('"Question?" must be at most 1000 characters');
});

test('a blank answer is a problem if required, and dropped otherwise', () => {
  for (const answer of ['', '   ', null]) {
    expect(check(question('text'), answer)).toBe('"Question?" must be answered');
    expect(check(question('text', { is_required: false }), answer)).toBeUndefined();
  }
  expect(check(question('multiselect', { options: ['A'] }), '[ ]')).toBe('"Question?" must be answered');
  expect(checkAnswers([question('text')], []).problems).toHaveLength(1);
});

test('answers are matched by id before text, and the text is trimmed', () => {
  const first = question('text');
  const second = question('text', { id: '019a0b5e-7c00-7000-8000-000000000002', question: 'Other?' });
  const { answers, problems } = checkAnswers(
    [first, second],
    [
      { _id: second.id.toUpperCase(), question: 'Question?', answer: 'two' },
      { question: ' Question?  ', answer: ' one ' },
    ],
  );
  expect(problems).toEqual([]);
  expect(answers.map(({ question, answer }) => [question, answer])).toEqual([
    ['Question?', 'one'],
    ['Other?', 'two'],
  ]);
});

test('unknown questions, answers without a question, and second answers are problems with their path', () => {
  const { problems } = checkAnswers(
    [question('text')],
    [
      { question: 'Question?', answer: 'one' },
      { question: 'Question?', answer: 'two' },
      { question: 'Never asked', answer: 'x' },
      { answer: 'x' },
    ],
  );
  expect(problems.map(({ path }) => path)).toEqual([
    'staticQuestionAnswers[1].question',
    'staticQuestionAnswers[2].question',
    'staticQuestionAnswers[3].question',
  ]);
});
