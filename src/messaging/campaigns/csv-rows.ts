// Recipients from CSV: columns are fields of a recipient and variables of the template.
import { invalidRequest, type Problem } from '../../base/errors.ts';
import { csvRecords } from '../../http/csv-records.ts';
import type { TemplatePlan } from '../template-content/placeholders.ts';
import { reportedColumns } from './recipient-columns.ts';

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
  const records = csvRecords(text, (header) => fieldsOf(header, plan, mapping));
  for await (const { row, fields, cells, problem } of records)
    yield problem ? { row, value: undefined, problem } : { row, value: recipientOf(fields, cells) };
}

/** The field of each column; undefined: the column is not read. */
function fieldsOf(
  columns: readonly string[],
  plan: TemplatePlan,
  mapping: Record<string, string> | undefined,
): (string | undefined)[] {
  const problems: Problem[] = [];
  if (columns.length > columnsMax)
    throw invalidRequest([
      { path: '', message: `The file has ${columns.length} columns; at most ${columnsMax} are allowed` },
    ]);
  for (const column of Object.keys(mapping ?? {}))
    if (!columns.includes(column))
      problems.push({ path: `mapping.${column}`, message: 'is not a column of the file' });
  const isReported = (column: string) => reportedColumns.has(column) && !plan.byKey.has(column);
  const fields = columns.map((column) => {
    if (mapping) return own(mapping, column);
    return isReported(column) ? undefined : column;
  });
  fields.forEach((field, index) => {
    if (field === undefined) return;
    const path = columns[index] || `column ${index + 1}`;
    if (!isField(field, plan)) problems.push({ path, message: unknownField(plan, mapping && field) });
    else if (fields.indexOf(field) !== index) problems.push({ path, message: twice(field, path) });
  });
  if (!fields.includes('phone')) {
    const how = mapping ? 'map one to it in `mapping`' : 'name one phone, or pass `mapping`';
    problems.push({ path: 'phone', message: `there is no column for the phone; ${how}` });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return fields;
}

const twice = (field: string, column: string) =>
  field === column ? 'is there twice' : `is a second column for ${field}`;

const own = (mapping: Record<string, string>, column: string) =>
  Object.hasOwn(mapping, column) ? mapping[column] : undefined;

const isField = (field: string, plan: TemplatePlan) =>
  field === 'phone' ||
  field === 'name' ||
  field === 'mediaId' ||
  field === 'metadata' ||
  /^metadata\../.test(field) ||
  plan.byKey.has(field);

/** `mapped`: the field to which `mapping` maps the column. */
function unknownField(plan: TemplatePlan, mapped: string | undefined): string {
  const keys = [...plan.byKey.keys()].slice(0, 20);
  const fields = `phone, name, mediaId, metadata, metadata.<key> nor a variable of the template${keys.length > 0 ? ` (${keys.join(', ')})` : ', which has none'}`;
  return mapped === undefined
    ? `is neither ${fields}; rename it, or pass \`mapping\` without it`
    : `is mapped to ${JSON.stringify(mapped)}, which is neither ${fields}`;
}

function recipientOf(fields: readonly (string | undefined)[], cells: readonly string[]): unknown {
  const recipient: Record<string, unknown> = { phone: '' };
  const variables: Record<string, string> = Object.create(null);
  const metadata: Record<string, string> = Object.create(null);
  let all: unknown;
  fields.forEach((field, index) => {
    const text = cells[index] ?? '';
    if (field === undefined || text === '') return;
    if (field === 'phone' || field === 'name' || field === 'mediaId') recipient[field] = text;
    else if (field === 'metadata') all = parsed(text);
    else if (field.startsWith('metadata.')) metadata[field.slice('metadata.'.length)] = text;
    else variables[field] = text;
  });
  recipient.variables = variables;
  // the check of the recipient reports what is no object
  if (all !== undefined && !isObject(all)) recipient.metadata = all;
  else if (all || Object.keys(metadata).length > 0) recipient.metadata = { ...all, ...metadata };
  return recipient;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; the text itself if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
