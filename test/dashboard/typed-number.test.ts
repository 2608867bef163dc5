// A number that is typed before a large campaign starts.
import { expect, test } from 'vitest';
import { isTyped } from '../../dashboard/src/design/typed-number.ts';

test.each(['12101', '12,101', '12.101', ' 12 101 ', '١٢٬١٠١', '۱۲۱۰۱', '१२,१०१'])(
  'takes %s as the number 12101',
  (typed) => expect(isTyped(typed, 12_101)).toBe(true),
);

test.each(['', 'yes', '1210', '121010'])('does not take %j as the number 12101', (typed) =>
  expect(isTyped(typed, 12_101)).toBe(false),
);

test('takes anything if no number has to be typed', () => expect(isTyped('', undefined)).toBe(true));
