// What other operations may do with a draft while its submission is leased. Pure.
import { AppError } from '../../base/errors.ts';
import { templateStatus } from './status.ts';

/** How long an expired lease waits for a reading of the platform's list; then the draft is as if it was never submitted. */
const waitForReadingMs = 600_000;

export interface LeasedDraft {
  status: string;
  /** Until when its submission may take; a past time: the submission ended without a known result. */
  deleting_until?: Date | null;
}

/**
 * Whether a draft is being submitted. `unknown`: the process died, or the platform's response was lost, so only a reading
 * of the platform's list shows whether the platform has it.
 */
export function submissionOf(row: LeasedDraft, nowMs: number): 'none' | 'in_progress' | 'unknown' {
  if (row.status !== templateStatus.draft || !row.deleting_until) return 'none';
  const sinceMs = nowMs - row.deleting_until.getTime();
  if (sinceMs < 0) return 'in_progress';
  return sinceMs < waitForReadingMs ? 'unknown' : 'none';
}

/** Throws 409 `conflict` while a draft is being submitted, or while it is unknown whether the platform has it. */
export function requireNoSubmission(row: LeasedDraft, nowMs: number): void {
  const state = submissionOf(row, nowMs);
  if (state === 'in_progress')
    throw new AppError(
      'conflict',
      'The draft is being submitted, or was a moment ago without a response. Try again in a few seconds.',
      {
        retryAfterSeconds: 5,
      },
    );
  if (state === 'unknown')
    throw new AppError(
      'conflict',
      'It is unknown whether the platform received the last submission of this draft. The gateway is reading its templates. Try again in a minute.',
      { retryAfterSeconds: 60 },
    );
}
