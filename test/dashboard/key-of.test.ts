// Idempotency keys of forms: who comes back to one and presses again sends once.
import { expect, test } from 'vitest';
import { keptKeyOf } from '../../dashboard/src/api/key-of.ts';

test('a form keeps its key after it was left, until its content was sent or changed', () => {
  const answer = { text: 'At nine.' };
  const key = keptKeyOf('ada').keyOf(answer);
  expect(keptKeyOf('ben').keyOf(answer)).not.toBe(key);
  expect(keptKeyOf('ada').keyOf(answer)).toBe(key);
  expect(keptKeyOf('ada').keyOf({ text: 'At ten.' })).not.toBe(key);
  const sent = keptKeyOf('ada').keyOf(answer);
  keptKeyOf('ada').renew();
  expect(keptKeyOf('ada').keyOf(answer)).not.toBe(sent);
});
