// Import of opt-outs from CSV: each row is a decision of the API, at its own time if it has one.
import { AppError, invalidRequest, type Problem } from '../../base/errors.ts';
import { phoneProblem } from '../../base/phone.ts';
import { csvRecords } from '../../http/csv-records.ts';
import { unstorableParts } from '../../http/storable.ts';
import { type ChangeDeps, changeOptOuts, type PersonAct } from './change.ts';
import { reasonMaxLength, scope, source } from './opt-out.ts';

export interface ImportDeps extends ChangeDeps {
  /** Stores opt-outs of erased people again whose numbers are among these. */
  restoreErased: (accountId: string, phones: readonly string[]) => Promise<void>;
}

/** The columns of an export; an import needs `phone` or `userId`. */
export const columns = ['phone', 'otherPhones', 'userId', 'scope', 'source', 'reason', 'createdAt'] as const;
type Column = (typeof columns)[number];

export interface Imported {
  /** Rows that changed what a person receives. */
  changed: number;
  /** Rows of people who had opted out already, or for whom a newer decision counts. */
  unchanged: number;
  rejected: number;
  /** Of the first 1,000 problems. */
  errors: (Problem & { row: number })[];
}

const batchRows = 1_000;
const listedMax = 1_000;
const userIdMaxLength = 200;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** A number as spreadsheets shorten it. */
const shortened = /^[0-9]+([.,][0-9]+)?[eE]\+?[0-9]+$/;

/** Imports the file's rows in order, 1,000 in a transaction; what was imported before an error stays. Throws 400 for a bad file. */
export async function importOptOuts(
  deps: ImportDeps,
  accountId: string,
  text: AsyncIterable<string>,
): Promise<Imported> {
  const result: Imported = { changed: 0, unchanged: 0, rejected: 0, errors: [] };
  let batch: PersonAct[] = [];
  const write = async () => {
    await deps.restoreErased(
      accountId,
      batch.flatMap(({ person }) => person.phone ?? []),
    );
    const results = await changeOptOuts(deps, batch);
    const changed = results.filter(({ isChanged }) => isChanged).length;
    result.changed += changed;
    result.unchanged += results.length - changed;
    batch = [];
  };
  for await (const { row, fields, cells, problem } of csvRecords(text, columnsOf)) {
    const read = problem ? { problems: [problem] } : actOf(fields, cells, deps.clock.now());
    if ('problems' in read) {
      result.rejected += 1;
      const room = listedMax - result.errors.length;
      result.errors.push(...read.problems.slice(0, room).map((one) => ({ row, ...one })));
    } else batch.push({ accountId, ...read });
    if (batch.length === batchRows) await write();
  }
  if (batch.length > 0) await write();
  return result;
}

function columnsOf(header: readonly string[]): Column[] {
  const problems: Problem[] = [];
  header.forEach((name, index) => {
    const path = name || `column ${index + 1}`;
    if (!columns.includes(name as Column))
      problems.push({ path, message: `is none of ${columns.join(', ')}` });
    else if (header.indexOf(name) !== index) problems.push({ path, message: 'is there twice' });
  });
  if (!header.includes('phone') && !header.includes('userId'))
    problems.push({ path: 'phone', message: 'there is no column phone or userId' });
  if (problems.length > 0) throw invalidRequest(problems);
  return [...header] as Column[];
}

/** Reads one row: what it decides, or its problems. `source` is not imported: the import itself decides. */
function actOf(
  fields: readonly Column[],
  cells: readonly string[],
  nowMs: number,
): Omit<PersonAct, 'accountId'> | { problems: Problem[] } {
  const cell = (column: Column) => (cells[fields.indexOf(column)] ?? '').trim();
  const [phone, userId, reason, at] = [cell('phone'), cell('userId'), cell('reason'), cell('createdAt')];
  const name = cell('scope') || 'marketing';
  const otherPhones = cell('otherPhones').split(/\s+/).filter(Boolean);
  const problems: Problem[] = [];
  const add = (path: Column, message: string | undefined) => {
    if (message !== undefined) problems.push({ path, message });
  };
  if (phone === '' && userId === '') add('phone', 'this field is required, or userId');
  for (const one of phone === '' ? otherPhones : [phone, ...otherPhones])
    add(one === phone ? 'phone' : 'otherPhones', problemOf(one));
  if (userId.length > userIdMaxLength) add('userId', `must have at most ${userIdMaxLength} characters`);
  if (name !== 'marketing' && name !== 'all') add('scope', 'must be marketing or all');
  if (reason.length > reasonMaxLength) add('reason', `must have at most ${reasonMaxLength} characters`);
  for (const column of fields) add(column, unstorableParts(cell(column))[0]?.message);
  const atMs = at === '' ? null : instantOf(at);
  if (atMs !== null && !(atMs <= nowMs))
    add('createdAt', 'must be an RFC 3339 date-time in the past, for example 2026-11-22T00:00:00Z');
  if (problems.length > 0) return { problems };
  return {
    person: {
      ...(phone === '' ? {} : { phone }),
      ...(userId === '' ? {} : { userId }),
      otherPhones,
    },
    act: {
      scope: name === 'all' ? scope.all : scope.marketing,
      source: source.api,
      reason: reason || null,
      atMs,
    },
  };
}

/** The instant in ms; NaN if the text is none, as on the 30th of February. */
function instantOf(text: string): number {
  if (!instant.test(text)) return Number.NaN;
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return Number.NaN;
  }
}

function problemOf(phone: string): string | undefined {
  if (!shortened.test(phone)) return phoneProblem(phone);
  return 'was shortened by a spreadsheet; format the column as text, enter the numbers again, and export the file again';
}

/** The 415 for a body that is not CSV. */
export const notCsv = () => new AppError('unsupported_media_type', 'Send the opt-outs as text/csv.');
