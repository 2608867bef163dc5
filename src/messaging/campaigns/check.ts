// Checking the recipients of a send again, against the template as it is now.
import { AppError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { sendNotFound } from '../messages/find.ts';
import { sendStage } from '../messages/send-stage.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { sendablePlan } from '../sending/resolve-template.ts';
import type { MediaFile } from '../template-content/fill-header.ts';
import { findFileById } from '../template-content/media-files.ts';
import { findTemplate } from '../templates/store.ts';
import { stateConflict } from './act.ts';
import type { RowProblem } from './add-recipients.ts';
import { refillRow } from './fill-row.ts';
import { type LeaseDeps, withRecipientsLease } from './lease.ts';
import { nextRecipients, recordNoVersion, recordVersion, replaceContents } from './recipients-store.ts';

const checkedPerStep = 1_000;
const listedMax = 1_000;

export interface Checked {
  checked: number;
  rejected: number;
  /** The first 1,000 problems; `row` counts the recipients in the order in which they were added. */
  errors: (RowProblem & { phone: string })[];
}

/**
 * Fills the template, as it is now, with the values of every recipient. If all fit, the send accepts the new text; else it
 * cannot start. Only for a send that never started. Throws 404 and 409 as an upload does.
 */
export async function checkRecipients(deps: LeaseDeps, of: SendKey): Promise<Checked> {
  const allowed = { states: ['draft', 'scheduled', 'paused'] as const, participle: 'checked' };
  return withRecipientsLease(deps, of, allowed, async (send, leaseId) => {
    if (send.stage === sendStage.started) throw stateConflict('paused', 'checked: it had started');
    const template = await findTemplate(deps.db, of.accountId, send.template_id);
    if (!template) throw sendNotFound();
    const plan = sendablePlan(template);
    const files = openFiles(deps, of);
    const result: Checked = { checked: 0, rejected: 0, errors: [] };
    // no start in the meantime: contents of two texts are mixed until the end
    await recordNoVersion(deps.db, of, leaseId);
    for (let after: string | null = null; ; ) {
      const rows = await nextRecipients(deps.db, of.sendId, after, checkedPerStep);
      const fitting: Contents[number][] = [];
      for (const { id, phone, content, media_id } of rows) {
        result.checked += 1;
        const publicId = media_id === null ? undefined : await files.publicIdOf(media_id);
        const filling = { publicId, media: files.found, nowMs: deps.clock.now() };
        const refilled = refillRow(plan, content, filling);
        if (refilled.problems.length === 0) fitting.push({ id, content: refilled.content });
        else result.rejected += 1;
        for (const problem of refilled.problems)
          if (result.errors.length < listedMax)
            result.errors.push({ row: result.checked, phone, ...problem });
      }
      await replace(deps, of, leaseId, fitting);
      if (rows.length < checkedPerStep) break;
      after = rows.at(-1)?.id ?? null;
    }
    if (result.rejected === 0) await recordVersion(deps.db, of, leaseId, template.components_changed_at);
    return result;
  });
}

type Contents = Parameters<typeof replaceContents>[3];

/** Throws 409 `send_state_conflict` if another process took the lease: it may check against a later text. */
async function replace(deps: LeaseDeps, of: SendKey, leaseId: string, contents: Contents): Promise<void> {
  if (contents.length > 0 && !(await replaceContents(deps.db, of, leaseId, contents)))
    throw new AppError('send_state_conflict', 'Another upload or check took over. Check again.');
}

/** The files of the recipients, each read once. */
function openFiles(deps: { db: Db }, of: SendKey) {
  const found = new Map<string, MediaFile>();
  const publicIds = new Map<string, string>();
  return {
    found,
    /** The public id of a file; a removed one has an id that is not found. */
    async publicIdOf(id: string): Promise<string> {
      const known = publicIds.get(id);
      if (known !== undefined) return known;
      const read = await findFileById(deps.db, of.accountId, id);
      if (read) found.set(read.publicId, read.file);
      publicIds.set(id, read?.publicId ?? id);
      return read?.publicId ?? id;
    },
  };
}
