// Adding recipients to a draft from a stream of rows, in batches: memory holds two batches, and what was added stays.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, type Problem } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import { Recipient } from '../../contract/recipients.ts';
import { once } from '../../http/once.ts';
import { requestValidator } from '../../http/validation.ts';
import { validationProblem } from '../../http/validation-problem.ts';
import { lockMediaShared } from '../media/store.ts';
import { sendNotFound } from '../messages/find.ts';
import type { SendKey } from '../messages/sends-store.ts';
import type { RequestedRecipient } from '../sending/recipients.ts';
import { sendablePlan } from '../sending/resolve-template.ts';
import type { KeptMessage } from '../sending/scheduled-store.ts';
import type { MediaFile } from '../template-content/fill-header.ts';
import { findFiles } from '../template-content/media-files.ts';
import type { TemplatePlan } from '../template-content/placeholders.ts';
import { mediaIdsOf } from '../template-content/recipient-content.ts';
import { findTemplate } from '../templates/store.ts';
import type { UploadedRow } from './csv-rows.ts';
import type { Defaults } from './drafts-store.ts';
import { fillRow } from './fill-row.ts';
import { type LeaseDeps, withRecipientsLease } from './lease.ts';
import { addRecipients } from './recipients-store.ts';

export interface AddDeps extends LeaseDeps {
  /** Stores opt-outs of erased people again whose numbers are among these. */
  restoreErased: (accountId: string, phones: readonly string[]) => Promise<void>;
  /** Recipients of one send; tests set less. */
  recipientsMax?: number;
}

export interface RowProblem extends Problem {
  row: number;
}

export interface Added {
  added: number;
  /** Rows whose phone the send already had. */
  duplicates: number;
  /** Rows that were added although the person opted out of such messages: they will fail 900005. */
  optedOut: number;
  rejected: number;
  /** Of the first 1,000 problems. */
  errors: RowProblem[];
}

const recipientsMaxDefault = 1_000_000;
/** Rows of one statement: with more, other requests wait longer while its parameters are written. */
const batchRows = 1_000;
/** A batch of large rows is added sooner. */
const batchBytes = 8 * 1024 * 1024;
const listedMax = 1_000;
/** Rows that are checked before other requests can run. */
const rowsPerTurn = 200;

/** What the rows of one upload are checked against. */
interface Upload {
  deps: AddDeps;
  of: SendKey;
  leaseId: string;
  plan: TemplatePlan;
  defaults: Defaults;
  room: number;
  result: Added;
}

/**
 * Adds the rows that `rowsOf` yields to a draft, in order. A row with a problem is not added. Throws 404 `send_not_found`, 409
 * `send_state_conflict` or `upload_in_progress`, and whatever `rowsOf` throws; complete batches before that stay.
 */
export async function addUploaded(
  deps: AddDeps,
  of: SendKey,
  rowsOf: (plan: TemplatePlan) => AsyncIterable<UploadedRow>,
): Promise<Added> {
  const states = ['draft'] as const;
  return withRecipientsLease(deps, of, { states, participle: 'changed' }, async (send, leaseId) => {
    const template = await findTemplate(deps.db, of.accountId, send.template_id);
    if (!template) throw sendNotFound();
    if (!send.fits)
      throw new AppError(
        'template_changed',
        `The template ${template.name} has changed. Call POST /v1/sends/${of.sendId}/check first.`,
      );
    const upload: Upload = {
      ...{ deps, of, leaseId },
      plan: sendablePlan(template),
      defaults: (send.defaults ?? {}) as Defaults,
      room: (deps.recipientsMax ?? recipientsMaxDefault) - send.total,
      result: { added: 0, duplicates: 0, optedOut: 0, rejected: 0, errors: [] },
    };
    let batch: UploadedRow[] = [];
    let bytes = 0;
    // one batch is added while the next one is read
    let adding: Promise<void> = Promise.resolve();
    try {
      for await (const row of rowsOf(upload.plan)) {
        batch.push(row);
        bytes += sizeOf(row.value);
        if (batch.length < batchRows && bytes < batchBytes) continue;
        await adding;
        adding = addBatch(upload, batch);
        adding.catch(() => undefined);
        batch = [];
        bytes = 0;
      }
    } finally {
      // also after a broken row: the lease ends when nothing is being added
      await adding.catch(() => undefined);
    }
    await adding;
    await addBatch(upload, batch);
    return upload.result;
  });
}

/** About the memory of a row: its texts. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length * 2;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + sizeOf(one), 32);
}

const validator = once(() => requestValidator()({ schema: Recipient, httpPart: 'body' } as never));

/** The problems of the row's form; empty: it is a recipient. */
function formProblems({ value, problem }: UploadedRow): Problem[] {
  if (problem) return [problem];
  const result = validator()(value) as true | { error?: unknown[] };
  if (result === true || !result.error) return [];
  return result.error.map((issue) => {
    const { path, message } = validationProblem(issue as Parameters<typeof validationProblem>[0], 'body');
    return { path: path === 'body' ? '' : path, message };
  });
}

async function addBatch(upload: Upload, rows: readonly UploadedRow[]): Promise<void> {
  const { result, deps } = upload;
  const rejected: { row: number; problems: Problem[] }[] = [];
  const recipients: { row: number; recipient: RequestedRecipient }[] = [];
  for (const [index, row] of rows.entries()) {
    if (index % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
    const problems = formProblems(row);
    if (problems.length > 0) rejected.push({ row: row.row, problems });
    else recipients.push({ row: row.row, recipient: row.value as RequestedRecipient });
  }
  const media = await mediaOf(upload, recipients);
  const filling = { defaults: upload.defaults, media, nowMs: deps.clock.now() };
  const messages: (KeptMessage & { row: number })[] = [];
  for (const [index, { row, recipient }] of recipients.entries()) {
    if (index % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
    const { content, mediaId, metadata, problems } = fillRow(upload.plan, recipient, filling);
    const { phone, name = null } = recipient;
    if (problems.length > 0) rejected.push({ row, problems });
    else messages.push({ row, id: uuidv7(deps.clock.now()), phone, name, content, mediaId, metadata });
  }
  for (const { row, problems } of rejected.sort((a, b) => a.row - b.row)) reject(result, row, problems);
  await store(upload, messages, [...media.keys()]);
}

function reject(result: Added, row: number, problems: readonly Problem[]): void {
  result.rejected += 1;
  for (const problem of problems)
    if (result.errors.length < listedMax) result.errors.push({ row, ...problem });
}

/** The files that the rows name, by public id. */
async function mediaOf(
  { deps, of, defaults }: Upload,
  recipients: readonly { recipient: RequestedRecipient }[],
): Promise<Map<string, MediaFile>> {
  const ids = new Set([defaults, ...recipients.map(({ recipient }) => recipient)].flatMap(mediaIdsOf));
  return findFiles(deps.db, of.accountId, [...ids]);
}

/** Adds messages while the send has room; the others are rejected. */
async function store(
  upload: Upload,
  messages: readonly (KeptMessage & { row: number })[],
  mediaIds: string[],
): Promise<void> {
  const { deps, of, leaseId, result } = upload;
  await deps.restoreErased(
    of.accountId,
    messages.map(({ phone }) => phone),
  );
  let at = 0;
  while (at < messages.length && upload.room > 0) {
    const part = messages.slice(at, at + upload.room);
    const batch = await deps.db.transaction().execute(async (tx) => {
      const locked = mediaIds.length === 0 ? [] : await lockMediaShared(tx, of.accountId, mediaIds);
      if (locked.length < mediaIds.length)
        throw new AppError('media_not_found', 'A media file was deleted during the upload. Upload it again.');
      return addRecipients(tx, of, leaseId, part);
    });
    if (!batch)
      throw new AppError(
        'send_state_conflict',
        'The send was cancelled, or another upload took over. Rows that were added stay.',
      );
    result.added += batch.added;
    result.optedOut += batch.opted_out;
    result.duplicates += part.length - batch.added;
    upload.room = (deps.recipientsMax ?? recipientsMaxDefault) - batch.total;
    at += part.length;
  }
  const max = (deps.recipientsMax ?? recipientsMaxDefault).toLocaleString('en-US');
  for (const { row } of messages.slice(at))
    reject(result, row, [{ path: '', message: `the send has ${max} recipients, the maximum` }]);
}
