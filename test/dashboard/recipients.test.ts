// Recipients from files, as the dashboard reads them: CSV like the import of the API, columns, numbers, and fixes of rows.
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { TemplateInput } from '../../client/src/generated.ts';
import { lineOf, openCsv, separatorOf } from '../../dashboard/src/sends/csv.ts';
import { faultsOf, fixed, fixesOf } from '../../dashboard/src/sends/faults.ts';
import { guessTargets, phoneOf, recipientOf } from '../../dashboard/src/sends/mapping.ts';
import { pastedBlob, readSource, rowsOf } from '../../dashboard/src/sends/source.ts';
import { cellText } from '../../src/http/csv-cells.ts';
import { fc } from '../harness/property.ts';

const read = (pieces: string[], separator = ',') => {
  const csv = openCsv(separator);
  return [...pieces.flatMap(csv.push), ...csv.end()];
};
const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', ';', '\n', '\r\n', ' ', '=', "'") });
const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 5 });

test('reads what it writes, wherever the pieces are cut', () => {
  fc.assert(
    fc.property(table, fc.nat(40), (rows, cut) => {
      const text = rows.map(lineOf).join('');
      expect(read([text.slice(0, cut), text.slice(cut)])).toEqual(rows);
    }),
  );
});

test('reads quoted files as the API does', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')).join('\n');
      const expected: string[][] = parse(text, { relax_column_count: true });
      const unescaped = expected.map((row) => row.map((one) => cellText(one)));
      expect(read([text])).toEqual(unescaped);
    }),
  );
});

test('chooses the separator that the header has', () => {
  expect(['a,b;c,d', 'a;b;c', 'a\tb', 'a'].map(separatorOf)).toEqual([',', ';', '\t', ',']);
});

const input = (key: string, more: Partial<TemplateInput> = {}): TemplateInput => ({
  ...{ key, part: 'body', kind: 'text', required: true, example: null, maxLength: null, media: null },
  ...more,
});
const inputs = [input('body.1'), input('body.2')];

describe('a source', () => {
  test('counts its rows and keeps the first, with a name for each column', async () => {
    const source = await readSource('x.csv', new Blob(['﻿Mobile;;Mobile\n1;2;3\n\n4;5;6\n']));
    expect(source).toMatchObject({ columns: ['Mobile', '2', 'Mobile (3)'], rowCount: 2, separator: ';' });
    const rows = [];
    for await (const piece of rowsOf(source)) rows.push(...piece);
    expect(rows).toEqual([
      { number: 2, cells: ['1', '2', '3'] },
      { number: 4, cells: ['4', '5', '6'] },
    ]);
  });

  test('is separated as its first line says, which is no row', async () => {
    for (const [line, sign] of [
      ['sep=;', ';'],
      ['SEP=,', ','],
      ['"sep=\t"', '\t'],
    ] as const) {
      const text = `\ufeff${line}\r\nphone${sign}a\r\n1${sign}2\r\n`;
      const source = await readSource('x.csv', new Blob([text]));
      expect(source).toMatchObject({ rowCount: 1, separator: sign, columns: ['phone', 'a'] });
      const rows = [];
      for await (const piece of rowsOf(source)) rows.push(...piece);
      expect(rows).toEqual([{ number: 2, cells: ['1', '2'] }]);
    }
  });

  test('in UTF-16, as Excel saves "Unicode text", is read', async () => {
    const bytes = new Uint8Array([0xff, 0xfe, ...Buffer.from('phone\tname\n1\té\n', 'utf16le')]);
    expect(await readSource('x.txt', new Blob([bytes]))).toMatchObject({
      columns: ['phone', 'name'],
      sample: [['1', 'é']],
    });
  });

  test('in another encoding says in which line', async () => {
    const bytes = new Blob(['phone,name\n1,a\n', new Uint8Array([0xe9, 0x0a])]);
    await expect(readSource('x.csv', bytes)).rejects.toMatchObject({ reason: 'encoding' });
    await expect(readSource('x.csv', new Blob(['phone\n']))).rejects.toMatchObject({ reason: 'empty' });
  });

  test('of pasted numbers without a header gets one', async () => {
    expect(await readSource('x', pastedBlob('+1 555 123 0001, Ada\n15551230002,Bob'))).toMatchObject({
      columns: ['phone', '1'],
      rowCount: 2,
    });
  });
});

test('guesses columns by their names, none twice', () => {
  expect(
    guessTargets(['Mobile', 'Phone', 'Full name', '1', 'body.2', 'metadata.x', 'notes'], inputs),
  ).toEqual([...['phone', undefined, 'name', 'body.1', 'body.2', 'metadata.x', undefined]]);
});

test('without a name that says it, the numbers are the column whose cells all look like some', () => {
  const sample = [
    ['7', 'A-1', '+91 98200-98200'],
    ['8', '', '(0151) 23456789'],
  ];
  expect(guessTargets(['row', 'order', 'Contact'], [], sample)).toEqual([undefined, undefined, 'phone']);
  expect(guessTargets(['row', 'order'], [], [['2026', 'A-1']])).toEqual([undefined, undefined]);
});

test('writes numbers as the API takes them, and leaves what is no number as it is', () => {
  const numbers = ['+91 98200-98200', '0091 98200 98200', '098200 98200', '9.19E+11', ''];
  expect(numbers.map((number) => phoneOf(number, '91'))).toEqual([
    ...['919820098200', '919820098200', '919820098200', '9.19E+11', ''],
  ]);
  expect(phoneOf('(555) 123 0001', '')).toBe('5551230001');
});

const mapping = { targets: ['phone', 'body.1', 'metadata'], shared: { 'body.2': 'same' }, countryCode: '' };

test('makes a recipient of a row, with what is the same for everybody', () => {
  const of = { columns: ['Mobile', 'first', 'branch'], inputs };
  expect(recipientOf(['+1 555 1230001', 'Ada', 'Pune'], mapping, of)).toEqual({
    phone: '15551230001',
    variables: { 'body.1': 'Ada', 'body.2': 'same' },
    metadata: { branch: 'Pune' },
  });
  expect(recipientOf(['1', '', ''], mapping, of)).toEqual({ phone: '1', variables: { 'body.2': 'same' } });
});

test('offers one fix for all rows that are alike, and changes only them', () => {
  const rows = [
    ['098200 98200', 'A', ''],
    ['1555', 'two\nlines', ''],
    ['15551230001', '', ''],
    ['0 982 0098201', 'B', ''],
  ].map((cells, index) => ({ number: index + 2, cells }));
  const problems = [
    { row: 1, path: 'phone', message: 'must start with the country code' },
    { row: 1, path: 'variables.1', message: 'a second problem of the row' },
    { row: 2, path: 'variables.body.1', message: 'must not have line breaks' },
    { row: 3, path: 'variables.1', message: 'is missing' },
    { row: 4, path: 'phone', message: 'must start with the country code' },
  ];
  const faults = faultsOf(rows, problems, mapping);
  expect(faults.map(({ row, column }) => [row.number, column])).toEqual([
    [2, 0],
    [3, 1],
    [4, 1],
    [5, 0],
  ]);
  const fixes = [...new Set(fixesOf(faults, mapping).values())];
  expect(fixes.map(({ kind, count }) => [kind, count])).toEqual([
    ['countryCode', 2],
    ['spaces', 1],
    ['value', 1],
  ]);
  expect(fixes.map((fix) => fixed(fix, '91').map(({ cells }) => cells.slice(0, 2)))).toEqual([
    [
      ['+919820098200', 'A'],
      ['+919820098201', 'B'],
    ],
    [['1555', 'two lines']],
    [['15551230001', '91']],
  ]);
});
