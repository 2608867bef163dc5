// Recipients from CSV (RFC 4180): the header line decides the separator and the fields.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import { invalidRequest, type Problem } from '../../base/errors.ts';
import type { TemplatePlan } from '../templates/placeholders.ts';
import { cellText } from './cells.ts';
import { rowMaxBytes, rowTooLarge } from './upload-stream.ts';

/** A row of an upload; `value` is what a recipient of a JSON request would be. */
export interface UploadedRow {
  /** In CSV as a spreadsheet counts (the header is row 1), else from 1. */
  row: number;
  value: unknown;
  problem?: Problem;
}

const columnsMax = 200;

/** Yields a row for each record. Throws 400 for a header that does not fit the template, and for broken CSV. */
export async function* csvRows(
  text: AsyncIterable<string>,
  { plan, mapping }: { plan: TemplatePlan; mapping: Record<string, string> | undefined },
): AsyncGenerator<UploadedRow> {
  const { head, rest } = await firstLine(text);
  const parser = parse({
    delimiter: separatorOf(head),
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: rowMaxBytes,
  });
  const piped = pipeline(Readable.from(rest), parser);
  piped.catch(() => undefined);
  let fields: (string | undefined)[] | undefined;
  let row = 0;
  try {
    for await (const record of parser) {
      row += 1;
      const cells = record as string[];
      if (!fields) fields = fieldsOf(cells, plan, mapping);
      else if (cells.length === fields.length) yield { row, value: recipientOf(fields, cells) };
      else {
        const message = `has ${cells.length} cells, but the header has ${fields.length}`;
        yield { row, value: undefined, problem: { path: '', message } };
      }
    }
  } catch (error) {
    throw readable(error, row + 1);
  }
  if (!fields)
    throw invalidRequest([{ path: '', message: 'is empty; the first line must name the columns' }]);
}

/** The text up to the end of its first line, and the whole text again. */
async function firstLine(
  text: AsyncIterable<string>,
): Promise<{ head: string; rest: AsyncIterable<string> }> {
  const source = text[Symbol.asyncIterator]();
  let head = '';
  while (!/[\r\n]/.test(head) && head.length <= rowMaxBytes) {
    const next = await source.next();
    if (next.done) break;
    head += next.value;
  }
  async function* whole() {
    yield head;
    for (;;) {
      const next = await source.next();
      if (next.done) return;
      yield next.value;
    }
  }
  return { head: /^[^\r\n]*/.exec(head)?.[0] ?? '', rest: whole() };
}

/** The separator that occurs more often outside quotation marks in the header. */
function separatorOf(head: string): ',' | ';' {
  const bare = head.replace(/"[^"]*"/g, '');
  const count = (sign: string) => bare.split(sign).length;
  return count(';') > count(',') ? ';' : ',';
}

/** The field of each column; undefined: the column is not read. */
function fieldsOf(
  header: readonly string[],
  plan: TemplatePlan,
  mapping: Record<string, string> | undefined,
): (string | undefined)[] {
  const columns = header.map((cell) => cell.trim());
  const problems: Problem[] = [];
  if (columns.length > columnsMax)
    throw invalidRequest([
      { path: '', message: `has ${columns.length} columns; at most ${columnsMax} are allowed` },
    ]);
  for (const column of Object.keys(mapping ?? {}))
    if (!columns.includes(column))
      problems.push({ path: `mapping.${column}`, message: 'is not a column of the file' });
  const fields = columns.map((column) => (mapping ? own(mapping, column) : column));
  fields.forEach((field, index) => {
    if (field === undefined) return;
    const path = columns[index] || `column ${index + 1}`;
    if (!isField(field, plan)) problems.push({ path, message: unknownField(plan) });
    else if (fields.indexOf(field) !== index) problems.push({ path, message: 'is there twice' });
  });
  if (!fields.includes('phone'))
    problems.push({ path: 'phone', message: 'there is no column for the phone' });
  if (problems.length > 0) throw invalidRequest(problems);
  return fields;
}

const own = (mapping: Record<string, string>, column: string) =>
  Object.hasOwn(mapping, column) ? mapping[column] : undefined;

const isField = (field: string, plan: TemplatePlan) =>
  field === 'phone' ||
  field === 'name' ||
  field === 'mediaId' ||
  /^metadata\../.test(field) ||
  plan.byKey.has(field);

function unknownField(plan: TemplatePlan): string {
  const keys = [...plan.byKey.keys()].slice(0, 20);
  return `is neither phone, name, mediaId, metadata.<key> nor a variable of the template${keys.length > 0 ? ` (${keys.join(', ')})` : ', which has none'}`;
}

function recipientOf(fields: readonly (string | undefined)[], cells: readonly string[]): unknown {
  const recipient: Record<string, unknown> = { phone: '' };
  const variables: Record<string, string> = Object.create(null);
  const metadata: Record<string, string> = Object.create(null);
  fields.forEach((field, index) => {
    const text = cellText(cells[index] ?? '');
    if (field === undefined || text === '') return;
    if (field === 'phone' || field === 'name' || field === 'mediaId') recipient[field] = text;
    else if (field.startsWith('metadata.')) metadata[field.slice('metadata.'.length)] = text;
    else variables[field] = text;
  });
  recipient.variables = variables;
  if (Object.keys(metadata).length > 0) recipient.metadata = metadata;
  return recipient;
}

function readable(error: unknown, row: number): unknown {
  const { code } = error as Partial<CsvError>;
  if (code === 'CSV_MAX_RECORD_SIZE') return rowTooLarge(row);
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error;
  return invalidRequest([{ path: `row ${row}`, message: 'is not valid CSV; check its quotation marks' }]);
}
