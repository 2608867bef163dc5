// Opening of the media of an inbound message: fetched from the platform for each download, and stored nowhere.
import type { Readable } from 'node:stream';
import { AppError, externalError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform } from '../../ports/platform.ts';
import { cleanFileName } from '../media/file-kind.ts';
import { readHead } from '../media/read-head.ts';
import { servedHeadBytes, servedHeaders } from '../media/served-file.ts';
import { type AccessDeps, senderAccess } from '../senders/access.ts';
import { findSenderById } from '../senders/store.ts';
import type { ReceivedRow } from './presenter.ts';

export interface ReceivedMediaDeps extends AccessDeps {
  db: Db;
  platform: Pick<MessagingPlatform, 'openReceivedMedia'>;
}

/** The platform's largest file, and the time in which it must be downloaded. */
const maxBytes = 100 * 1024 * 1024;
const timeoutMs = 10 * 60_000;

const gone = () =>
  new AppError('media_gone', 'The platform no longer has this file: it keeps received media for seven days.');

/** Opens the file with the headers of its response. Throws 404 without a file, 410 `media_gone`, 413, 502 or 503. */
export async function openReceivedMedia(
  deps: ReceivedMediaDeps,
  row: ReceivedRow,
): Promise<{ headers: Record<string, string>; content: Readable }> {
  if (row.media_ref === null) throw new AppError('media_not_found', 'This message has no file.');
  const sender = await findSenderById(deps.db, row.sender_id);
  // without its number there is no token to fetch it with
  if (!sender) throw gone();
  const access = senderAccess(deps, sender);
  const opened = await deps.platform
    .openReceivedMedia({ sender: access, mediaRef: row.media_ref, maxBytes, timeoutMs })
    .catch((error: unknown) => {
      throw externalError(error, 'The messaging platform');
    });
  if (opened.outcome === 'gone') throw gone();
  if (opened.outcome === 'too_large')
    throw new AppError(
      'media_too_large',
      'The file is larger than 100 MB, the most that the gateway passes on.',
    );
  const { head, whole } = await readHead(opened.content, servedHeadBytes).catch((error: unknown) => {
    opened.content.destroy();
    throw new AppError('provider_unavailable', 'The platform stopped sending the file. Retry later.', {
      retryAfterSeconds: 5,
      cause: error,
    });
  });
  const mimeType = row.content.media?.mimeType ?? opened.mimeType;
  const fileName = cleanFileName(row.content.media?.fileName ?? '') || row.id;
  const headers = servedHeaders({ mimeType, fileName, head });
  if (opened.size !== null) headers['Content-Length'] = String(opened.size);
  return { headers, content: whole };
}
