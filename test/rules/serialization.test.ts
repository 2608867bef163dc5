// Response serialization: formats of the contract are known to it, and do not decide what is returned.
import { Type } from 'typebox';
import { expect, test, vi } from 'vitest';
import { filled, nullable } from '../../src/contract/envelope.ts';
import { responseSerializer } from '../../src/http/serialization.ts';

test('returns a stored text that its format would reject, and prints no warning', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const schema = Type.Object({ place: nullable(Type.Object({ name: filled(9, 'A name.') })) });
  const serialize = responseSerializer()({ schema, method: 'GET', url: '/', httpStatus: '200' });
  for (const data of [{ place: { name: '\u200b' } }, { place: null }])
    expect(JSON.parse(serialize(data))).toEqual(data);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
