// Records of CSV: how their rows are numbered, and which row an error names.
import { expect, test } from 'vitest';
import { csvRecords } from '../../src/http/csv-records.ts';

async function* pieces(...texts: string[]) {
  yield* texts;
}

async function rowsOf(...texts: string[]) {
  const rows: unknown[] = [];
  for await (const { row, cells } of csvRecords(pieces(...texts), (header) => header))
    rows.push([row, ...cells]);
  return rows;
}

test('rows are numbered as a spreadsheet numbers them, and empty lines are skipped', async () => {
  const text = '\ufeffphone;name\r\n1;a\r\n\r\n\r\n2;"b\r\nb"\r\n3;c\r\n\r\n';
  const rows = [
    [2, '1', 'a'],
    [5, '2', 'b\r\nb'],
    [6, '3', 'c'],
  ];
  expect(await rowsOf(text)).toEqual(rows);
  expect(await rowsOf(...text)).toEqual(rows);
  expect(await rowsOf('phone\n1\n\n2\n')).toEqual([
    [2, '1'],
    [4, '2'],
  ]);
});

test('rows without a value are skipped, as spreadsheets write empty rows with separators', async () => {
  const text = ';;\r\nphone;name;1\r\n1;a;x\r\n;;\r\n;;y\r\n;\r\n2;;z\r\n;;\r\n';
  expect(await rowsOf(text)).toEqual([
    [3, '1', 'a', 'x'],
    [5, '', '', 'y'],
    [7, '2', '', 'z'],
  ]);
});

test('lines may end in different ways within one file', async () => {
  const rows = [
    [2, '1', 'a'],
    [3, '2', 'b'],
    [4, '3', 'c\r\nd'],
    [5, '4', 'e'],
    [7, '5', 'f'],
  ];
  const end = '1,a\n2,b\r\n3,"c\r\nd"\r4,e\r\n\r\n5,f\r\n';
  for (const text of [`phone,name\n${end}`, `phone,name\r\n${end}`, `phone,name\r${end}`]) {
    expect(await rowsOf(text)).toEqual(rows);
    expect(await rowsOf(...text)).toEqual(rows);
  }
});

test('the first line that is not empty decides between comma and semicolon', async () => {
  for (const text of ['\r\n\r\nphone;name\r\n1;a\r\n', '\ufeff\nphone;name\n1;a', '\r\rphone;name\r1;a']) {
    expect((await rowsOf(text))[0]).toEqual([expect.any(Number), '1', 'a']);
    expect((await rowsOf(...text))[0]).toEqual([expect.any(Number), '1', 'a']);
  }
});

test('a first line that names the separator is read as Excel reads it, and is no row', async () => {
  for (const line of ['sep=;', '\ufeffsep=;', '"sep=;"', 'SEP=;'])
    for (const end of ['\n', '\r\n', '\r']) {
      const text = [line, 'phone;1,2,name', '1;"a;b"', ''].join(end);
      for (const parts of [[text], [...text]]) expect(await rowsOf(...parts)).toEqual([[2, '1', 'a;b']]);
    }
  expect(await rowsOf('sep=,\nphone;a;b,name\n1,x\n')).toEqual([[2, '1', 'x']]);
  await expect(rowsOf('sep=;')).rejects.toThrow('the file is empty');
});

test('a quotation mark that is not closed, or not doubled, is reported with its row', async () => {
  await expect(rowsOf('phone,name\n1,a\n\n2,"b\n3,c\n')).rejects.toThrow('row 4: is not valid CSV');
  await expect(rowsOf('phone,name\n1,a\n2,b"c\n')).rejects.toThrow('row 3: is not valid CSV');
});

test('a row without an end is rejected after a megabyte, however many empty cells it has', async () => {
  for (const start of ['', 'phone\n1\n', 'phone\n"\n"']) {
    let read = 0;
    const text = async function* () {
      yield start;
      for (; read < 100; read += 1) yield ','.repeat(64 * 1024);
    };
    const rows = async () => {
      for await (const _ of csvRecords(text(), (header) => header));
    };
    await expect(rows()).rejects.toMatchObject({ code: 'body_too_large' });
    expect(read).toBeLessThan(40);
  }
});

test('many rows with many cells are read, however large the file is', async () => {
  const row = `${','.repeat(50_000)}1\n`;
  const rows = await rowsOf(...Array.from({ length: 60 }, () => row));
  expect(rows).toHaveLength(59);
});
