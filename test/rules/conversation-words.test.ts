// Words of contacts, and what a search for them looks for.
import { expect, test } from 'vitest';
import { searchOf, wordsOf } from '../../src/messaging/conversations/words.ts';

const found = (text: string, name: string | null, identities: string[] = []): boolean => {
  const words = wordsOf({ name, identities });
  const { prefixes, others } = searchOf(text);
  const has = (prefix: string) => words.some((word) => word.startsWith(prefix));
  return prefixes.some(has) && others.every(has);
};

test.each([
  ['ada', 'Ada Lovelace'],
  ['lov ad', 'Ada Lovelace'],
  ['JOSE', 'José'],
  ['josé', 'Jose'],
  ['jose\u0301', 'JOSÉ'],
  ['अनि', 'अनिता राव'],
  ['ﷺ', 'ﷺ'],
  ['o’br', 'Sean O’Brien'],
  ['007', 'Agent 007'],
  ['李', '李小龙'],
])('%s finds %s', (text, name) => {
  expect(found(text, name)).toBe(true);
});

test.each([
  ['da', 'Ada Lovelace'],
  ['ada x', 'Ada Lovelace'],
  ['अन', 'अक्ष'],
  ['😀', 'Ada 😀'],
  [' ', 'Ada'],
])('%s does not find %s', (text, name) => {
  expect(found(text, name)).toBe(false);
});

test('a number is found from its beginning, to its end, and as it is dialled at home, but not by two digits', () => {
  const identities = ['491701234567', 'u:DE.49170'];
  for (const text of ['491', '+49 (170) 123', '0049170', '0170 1234567', '567'])
    expect(found(text, null, identities), text).toBe(true);
  for (const text of ['49', '67', '000', '1701', 'u:DE'])
    expect(found(text, null, identities), text).toBe(false);
});

test('a name of any length has a bounded number of bounded words', () => {
  const words = wordsOf({
    name: `${'𝒳'.repeat(500)} ${'w '.repeat(500)} ${'a b c d e f g h i j k l'}`,
    identities: [],
  });
  expect(words.length).toBeLessThanOrEqual(10);
  for (const word of words) expect([...word].length).toBeLessThanOrEqual(66);
});
