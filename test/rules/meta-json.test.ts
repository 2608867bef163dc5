// Numbers in the platform's JSON: every digit of an id is kept, and ids that are text cost nothing.
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';
import { readJson } from '../../src/adapters/meta/json.ts';
import { fc } from '../harness/property.ts';

describe('numbers', () => {
  const json = (text: string) => readJson(Buffer.from(text));

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['122097329108006499', '122097329108006499'],
    ['1'.repeat(40), '1'.repeat(40)],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1e300', 1e300],
    ['1234567890123456789.5', Number('1234567890123456789.5')],
  ])('%s is read as %j at any position', (written, value) => {
    for (let before = 0; before < 40; before += 1) {
      const pad = 'x'.repeat(before);
      expect(json(`{"${pad}":${written}}`)).toEqual({ [pad]: value });
      expect(json(`["${pad}", ${written} ,0]`)).toEqual([pad, value, 0]);
    }
  });

  it('in strings stay unchanged', () => {
    const text = `["122097329108006499","x 122097329108006499","","\\"122097329108006499"]`;
    expect(json(text)).toEqual(JSON.parse(text));
    const id = '122097329108006499';
    for (let between = 0; between < 40; between += 1)
      expect(json(`["${id}",${' '.repeat(between)}${id}]`)).toEqual([id, id]);
  });

  it('of people and messages are text, which the parser reads without looking at each value', () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    for (const id of [
      'US.13491208655302741918',
      '122097329108006499',
      'wamid.HBgL12209732910800649',
      'a-122097329108006499',
    ])
      for (let before = 0; before < 16; before += 1) json(`{"${'x'.repeat(before)}":"${id}"}`);
    expect(parse.mock.calls.filter(([, reviver]) => reviver !== undefined)).toEqual([]);
    json('{"id": 122097329108006499}');
    expect(parse.mock.lastCall?.[1]).toBeDefined();
  });

  test('integers keep all digits, and other values are read as by JSON.parse', () => {
    const leaf = fc.oneof(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.string({ unit: 'grapheme' }).map((one) => one.replaceAll('\0', '')),
      fc.stringMatching(/^[0-9 ]{0,40}$/),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Number.isInteger(one) ? 0.5 : one)),
      fc.boolean(),
      fc.constant(null),
    );
    const write = (value: unknown): string => {
      if (typeof value === 'bigint') return String(value);
      if (Array.isArray(value)) return `[${value.map(write).join(', ')}]`;
      return JSON.stringify(value);
    };
    const expected = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(expected);
      if (typeof value !== 'bigint') return value;
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    };
    fc.assert(
      fc.property(fc.array(fc.oneof(leaf, fc.array(leaf))), (value) => {
        expect(json(write(value))).toEqual(expected(value));
      }),
    );
  });

  it('beyond 2^53 are read as template ids without loss', () => {
    const id = '122097329108006499';
    const of = { message_template_id: 0, event: 'PAUSED' };
    const body = JSON.stringify({
      entry: [{ id: '1', changes: [{ field: 'message_template_status_update', value: of }] }],
    }).replace(':0,', `:${id},`);
    expect(readCallback(Buffer.from(body)).templates).toMatchObject([{ providerTemplateId: id }]);
  });
});
