// Where recipients come from: a file or pasted text, read in pieces, so that a large file needs little memory.
import { openCsv, separatorOf } from './csv.ts';

/** A file or pasted text, as it was found when it was first read. */
export interface Source {
  name: string;
  blob: Blob;
  /** The names of the columns, each once. */
  columns: string[];
  /** The first rows, for the choice of columns and the preview. */
  sample: string[][];
  /** Rows below the header, without empty ones. */
  rowCount: number;
  separator: string;
}

export interface Row {
  /** As a spreadsheet counts: the header is row 1. */
  number: number;
  cells: string[];
}

/** Why a file cannot be read: `line` is where, from 1. */
export class UnreadableFile extends Error {
  readonly reason: 'encoding' | 'empty' | 'columns';
  readonly line: number;

  constructor(reason: 'encoding' | 'empty' | 'columns', line: number) {
    super(reason);
    this.reason = reason;
    this.line = line;
  }
}

const sampleRows = 200;
const columnsMax = 200;
const headBytes = 65_536;

/** The encoding by the first bytes: Excel's "Unicode text" is UTF-16, everything else has to be UTF-8. */
async function encodingOf(blob: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
}

async function* textOf(blob: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOf(blob), { fatal: true });
  const reader = blob.stream().getReader();
  let line = 1;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const piece = decoder.decode(value, { stream: !done });
      line += piece.split('\n').length - 1;
      yield piece;
      if (done) return;
    }
  } catch (error) {
    throw error instanceof TypeError ? new UnreadableFile('encoding', line) : error;
  } finally {
    await reader.cancel();
  }
}

const isEmpty = (cells: string[]): boolean => cells.every((cell) => cell.trim() === '');

/** The separator that a first line names, which Excel reads and does not show as a row. */
const namedSeparator = /^"?sep=([,;\t])"?$/i;

/** The records without a first line that names the separator. */
const withoutSeparatorLine = (records: string[][]): string[][] =>
  /^sep=[,;\t]?$/i.test(records[0]?.join('') ?? '') ? records.slice(1) : records;

/** The rows below the header, in pieces of the file. Empty ones are left out. */
export async function* rowsOf({
  blob,
  separator,
}: Pick<Source, 'blob' | 'separator'>): AsyncGenerator<Row[]> {
  const csv = openCsv(separator);
  let number = 0;
  const numbered = (records: string[][]): Row[] =>
    (number === 0 ? withoutSeparatorLine(records) : records)
      .map((cells) => ({ number: ++number, cells }))
      .filter((row) => row.number > 1 && !isEmpty(row.cells));
  for await (const piece of textOf(blob)) yield numbered(csv.push(piece));
  yield numbered(csv.end());
}

/** A name for each column: an empty one is its position, a second one of the same name has its position too. */
const namesOf = (header: readonly string[]): string[] =>
  header
    .map((cell) => cell.trim())
    .map((name, index, names) => {
      if (name === '') return String(index + 1);
      return names.indexOf(name) === index ? name : `${name} (${index + 1})`;
    });

/** Reads the header and the first rows, and counts the others. Throws `UnreadableFile`. */
export async function readSource(name: string, blob: Blob): Promise<Source> {
  const head = new TextDecoder(await encodingOf(blob)).decode(await blob.slice(0, headBytes).arrayBuffer());
  const [firstLine = ''] = head.split(/\r?\n/, 1);
  const separator = namedSeparator.exec(firstLine)?.[1] ?? separatorOf(firstLine);
  const first = openCsv(separator);
  const [header] = withoutSeparatorLine([...first.push(head), ...first.end()]);
  if (!header || isEmpty(header)) throw new UnreadableFile('empty', 1);
  if (header.length > columnsMax) throw new UnreadableFile('columns', 1);
  const sample: string[][] = [];
  let rowCount = 0;
  for await (const rows of rowsOf({ blob, separator })) {
    rowCount += rows.length;
    sample.push(...rows.slice(0, sampleRows - sample.length).map(({ cells }) => cells));
  }
  if (rowCount === 0) throw new UnreadableFile('empty', 2);
  return { name, blob, columns: namesOf(header), sample, rowCount, separator };
}

/** Pasted text as a source. Text without a header, such as a list of phone numbers, gets one. */
export function pastedBlob(text: string): Blob {
  const [firstLine = ''] = text.trim().split(/\r?\n/, 1);
  const first = firstLine.split(separatorOf(firstLine));
  const hasHeader = !first.some((cell) => /^[\s+\d().-]{7,}$/.test(cell));
  const header = first
    .map((_cell, index) => (index === 0 ? 'phone' : String(index)))
    .join(separatorOf(firstLine));
  return new Blob([hasHeader ? text.trim() : `${header}\n${text.trim()}`]);
}
