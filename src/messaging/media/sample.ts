// Stored files as samples of media headers: found for a draft, and sent to the platform with its submission.
import { VendorError } from '../../base/errors.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import { uploadTimeoutMs } from './register.ts';
import { findMedia } from './store.ts';
import { mediaNotFound, type StoredFileDeps, sendContent } from './stored-file.ts';

export interface SampleDeps extends StoredFileDeps {
  platform: Pick<MessagingPlatform, 'uploadSample'>;
}

/** The account's files of those public ids, as far as drafts need to know them. */
export async function findSamples(
  deps: Pick<StoredFileDeps, 'db'>,
  accountId: string,
  mediaIds: string[],
): Promise<Map<string, { kind: string; mimeType: string }>> {
  const samples = new Map<string, { kind: string; mimeType: string }>();
  for (const id of mediaIds) {
    const row = await findMedia(deps.db, accountId, id);
    if (row) samples.set(id, { kind: row.kind, mimeType: row.mime_type });
  }
  return samples;
}

/**
 * Sends a stored file to the platform's reviewers; answers the handle that a draft names it by. Throws AppError
 * `media_not_found` and `media_damaged`, and VendorError `refused` or `not_sent`: a sample may be sent again.
 */
export async function uploadSample(
  deps: SampleDeps,
  of: { accountId: string; mediaId: string },
  sender: SenderAccess,
): Promise<string> {
  const row = await findMedia(deps.db, of.accountId, of.mediaId);
  if (!row) throw mediaNotFound();
  try {
    const { handle } = await sendContent(deps, row, (file) =>
      deps.platform.uploadSample(sender, file, uploadTimeoutMs(row.size)),
    );
    return handle;
  } catch (error) {
    if (!(error instanceof VendorError) || error.outcome !== 'unknown') throw error;
    throw new VendorError('not_sent', error.message, { cause: error });
  }
}
