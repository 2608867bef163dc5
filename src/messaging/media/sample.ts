// Stored files as samples of media headers, uploaded when a draft is submitted.
import { AppError, VendorError } from '../../base/errors.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import { uploadTimeoutMs } from './register.ts';
import { findMedia } from './store.ts';
import { type StoredFileDeps, sendContent } from './stored-file.ts';

export interface SampleDeps extends StoredFileDeps {
  platform: Pick<MessagingPlatform, 'uploadSample'>;
}

/** Finds the account's files with these public ids, for the checks of drafts. */
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
 * Uploads a stored file as a sample and returns its handle. Throws AppError `media_not_found` or `media_damaged`, or
 * VendorError `rejected` or `not_sent`: an upload of unknown outcome may be repeated.
 */
export async function uploadSample(
  deps: SampleDeps,
  of: { accountId: string; mediaId: string },
  sender: SenderAccess,
): Promise<string> {
  const row = await findMedia(deps.db, of.accountId, of.mediaId);
  if (!row)
    throw new AppError(
      'media_not_found',
      `The file ${of.mediaId}, a sample of this template, was removed. Upload another one, and PATCH the template with components that name it.`,
    );
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
