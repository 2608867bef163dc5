// When the platform allows a template to be edited. Pure.
import type { MessagingPlatform } from '../../ports/platform.ts';
import { ownProviderStatus, templateStatus } from './status.ts';
import { type LeasedDraft, submissionOf } from './submission.ts';

const dayMs = 86_400_000;
/** WhatsApp's limits on edits of an approved template (Cloud API, "Template management"). */
export const editLimits = { perDay: 1, per30Days: 10 };

export interface EditState extends LeasedDraft {
  provider_status: string | null;
  /** When it was edited while approved. */
  edited_at: Date[];
}

/** Reads the platform's words for templates that are not approved. */
export type ReadsUnapproved = Pick<MessagingPlatform, 'unapprovedTemplate'>;

/** True if the platform's review rejected the template, so that it can be submitted again. */
export function isRejected(platform: ReadsUnapproved, row: Omit<EditState, 'edited_at'>): boolean {
  if (row.status !== templateStatus.submitted) return false;
  return platform.unapprovedTemplate(row.provider_status ?? '').isRejected;
}

/** Whether the template can be edited now, and if not, when; `at` is null if no time is known. */
export function editability(
  platform: ReadsUnapproved,
  row: EditState,
  nowMs: number,
): { isEditable: boolean; at: Date | null } {
  if (row.status === templateStatus.draft)
    return { isEditable: submissionOf(row, nowMs) === 'none', at: null };
  const word = row.provider_status ?? '';
  if (word === ownProviderStatus.pendingDeletion) return { isEditable: false, at: null };
  if (row.status !== templateStatus.approved)
    return { isEditable: platform.unapprovedTemplate(word).isEditable, at: null };
  const edits = recentEdits(row.edited_at, nowMs);
  const nth = (count: number) => edits.at(-count);
  const ends = [
    (nth(editLimits.perDay) ?? Number.NEGATIVE_INFINITY) + dayMs,
    (nth(editLimits.per30Days) ?? Number.NEGATIVE_INFINITY) + 30 * dayMs,
  ];
  const at = Math.max(...ends);
  return at > nowMs ? { isEditable: false, at: new Date(at) } : { isEditable: true, at: null };
}

/** The edits that still count, in order. */
export const recentEdits = (edits: readonly Date[], nowMs: number): number[] =>
  edits
    .map((edit) => edit.getTime())
    .filter((time) => time > nowMs - 30 * dayMs)
    .sort((a, b) => a - b);
