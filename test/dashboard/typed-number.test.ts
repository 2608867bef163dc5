// A number that is typed before a large campaign starts.
import { expect, test } from 'vitest';
import { typedNumber } from '../../dashboard/src/design/typed-number.ts';

test.each(['12101', '12,101', '12.101', ' 12 101 ', '١٢٬١٠١', '۱۲۱۰۱', '१२,१०१'])(
  '%s is the number 12101',
  (typed) => expect(typedNumber(typed)).toBe('12101'),
);

test.each(['', 'yes', '1210', '121010'])('%j is not the number 12101', (typed) =>
  expect(typedNumber(typed)).not.toBe('12101'),
);
