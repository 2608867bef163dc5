// Stored files that recipients name, as templates need them.
import type { Db, Tx } from '../../db/db.ts';
import { type FilesAsked, findMediaById, findReadyFiles } from '../media/store.ts';
import type { MediaFile } from './fill-header.ts';

/** A stored file, as filling a template needs it. */
export const fileOf = (row: {
  id: string;
  kind: string;
  mime_type: string;
  file_name: string;
}): MediaFile => ({
  id: row.id,
  kind: row.kind,
  mimeType: row.mime_type,
  fileName: row.file_name,
});

/** The account's files that exist, by their public ids, found with `find`, which may combine many look-ups. */
export async function findFiles(
  db: Db | Tx,
  accountId: string,
  publicIds: string[],
  find = async (asked: FilesAsked) => (await findReadyFiles(db, [asked])).flat(),
): Promise<Map<string, MediaFile>> {
  if (publicIds.length === 0) return new Map();
  const rows = await find({ accountId, publicIds });
  return new Map(rows.map((row) => [row.public_id, fileOf(row)]));
}

/** The file with our id; undefined if it was removed. */
export async function findFileById(
  db: Db,
  accountId: string,
  id: string,
): Promise<{ publicId: string; file: MediaFile } | undefined> {
  const row = await findMediaById(db, accountId, id);
  if (row?.state !== 'ready' || row.public_id === null) return undefined;
  return { publicId: row.public_id, file: fileOf(row as Parameters<typeof fileOf>[0]) };
}
