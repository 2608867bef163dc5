// A stored file as the API shows it. Pure.
import type { ReadyMedia } from './store.ts';

/** The item of lists and responses (`contract/media.ts`). */
export function mediaItem(row: ReadyMedia) {
  return {
    mediaId: row.public_id,
    kind: row.kind,
    fileName: row.file_name,
    mimeType: row.mime_type,
    size: row.size,
    sha256: row.sha256.toString('hex'),
    createdAt: row.created_at.toISOString(),
  };
}

/** `attachment` with the file's own name. */
export const attachmentHeader = (fileName: string): string => dispositionHeader('attachment', fileName);

/** A disposition with the file's own name (RFC 6266), and an ASCII name for clients that need one. */
export function dispositionHeader(disposition: 'attachment' | 'inline', fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
