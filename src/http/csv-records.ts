// CSV files (RFC 4180) as streams of records: the header line decides the fields and, unless a first line names it, the separator.
import { pipeline } from 'node:stream/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { counted } from '../base/counted.ts';
import { invalidRequest, type Problem } from '../base/errors.ts';
import { cellText } from './csv-cells.ts';
import { rowMaxBytes, rowTooLarge } from './upload-stream.ts';

/** A record: its cells in the order of the fields, without the escapes of spreadsheets, or what is wrong with it. */
export interface CsvRecord<F> {
  /** As a spreadsheet counts: the header is row 1. */
  row: number;
  fields: readonly F[];
  cells: string[];
  problem?: Problem;
}

/** Yields the records. `fieldsOf` reads the trimmed header and throws 400 for one that does not fit. Throws 400 for broken CSV. */
export async function* csvRecords<F>(
  text: AsyncIterable<string>,
  fieldsOf: (header: readonly string[]) => readonly F[],
): AsyncGenerator<CsvRecord<F>> {
  const { separator, rest } = await separated(text);
  const parser = parse({
    delimiter: separator,
    bom: true,
    // without these, the parser takes the end of the first line for the only one: a file put together of others has several
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: rowMaxBytes,
  });
  const piped = pipeline(withEnds(rest, parser), parser);
  piped.catch(() => undefined);
  let fields: readonly F[] | undefined;
  let row = 0;
  try {
    for await (const record of parser) {
      row += 1;
      const cells = record as string[];
      // an empty line is a row of a spreadsheet too, which writes it with its separators
      if (cells.every((cell) => cell === '')) continue;
      if (!fields) {
        fields = fieldsOf(cells.map((cell) => cell.trim()));
        continue;
      }
      const message = `has ${counted(cells.length, 'cell')}, but the header has ${fields.length}`;
      if (cells.length !== fields.length) yield { row, fields, cells: [], problem: { path: '', message } };
      else yield { row, fields, cells: cells.map(cellText) };
    }
  } catch (error) {
    throw readable(error, row);
  }
  if (!fields)
    throw invalidRequest([{ path: '', message: 'the file is empty; its first line must name the columns' }]);
}

/** Characters without the end of a record: far more than one of `rowMaxBytes` takes with its quotation marks. */
const recordMaxCharacters = 1024 * 1024;

/** Passes the text on while records end: the parser limits their texts, but not the number of empty cells, each of which it keeps. */
async function* withEnds(text: AsyncIterable<string>, parser: Parser): AsyncGenerator<string> {
  let records = 0;
  let characters = 0;
  for await (const part of text) {
    yield part;
    characters = parser.info.records === records ? characters + part.length : part.length;
    records = parser.info.records;
    if (characters > recordMaxCharacters) throw rowTooLarge(records + 1);
  }
}

const blankLines = /^[\ufeff\r\n]+/;
/** The line in which a file names its separator. Excel reads it and shows no row for it. */
const separatorLine = /^\ufeff?"?sep=([,;])"?(?:\r\n|\r|\n|$)/i;

/** The separator, and the text without the line that may name it. */
async function separated(
  text: AsyncIterable<string>,
): Promise<{ separator: ',' | ';'; rest: AsyncIterable<string> }> {
  const source = text[Symbol.asyncIterator]();
  let head = '';
  // with the character after the end of the line: the end may have two
  while (!/[\r\n]./s.test(head.replace(blankLines, '')) && head.length <= rowMaxBytes) {
    const next = await source.next();
    if (next.done) break;
    head += next.value;
  }
  const [line = '', named] = separatorLine.exec(head) ?? [];
  async function* rest() {
    yield head.slice(line.length);
    for (;;) {
      const next = await source.next();
      if (next.done) return;
      yield next.value;
    }
  }
  const header = /^[^\r\n]*/.exec(head.replace(blankLines, ''))?.[0] ?? '';
  return { separator: (named as ',' | ';' | undefined) ?? separatorOf(header), rest: rest() };
}

/** The separator that occurs more often outside quotation marks in the header. */
function separatorOf(head: string): ',' | ';' {
  const bare = head.replace(/"[^"]*"/g, '');
  const count = (sign: string) => bare.split(sign).length;
  return count(';') > count(',') ? ';' : ',';
}

/** The 400 or 413 for an error of the parser, which may be some records ahead of the `row` that was read last. */
function readable(error: unknown, lastRow: number): unknown {
  // some codes of the parser begin with CSV_, some do not
  if (!(error instanceof CsvError)) return error;
  const { code, records } = error as CsvError & { records?: unknown };
  const row = (typeof records === 'number' ? records : lastRow) + 1;
  if (code === 'CSV_MAX_RECORD_SIZE') return rowTooLarge(row);
  return invalidRequest([{ path: `row ${row}`, message: 'is not valid CSV; check its quotation marks' }]);
}
