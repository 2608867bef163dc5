// After a rotation of the encryption keys: stored files are sealed anew with the newest key.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { uuidv7 } from '../../base/ids.ts';
import { announceSpare, clearSpare, listSealedOtherwise, swapSpare } from './removal-store.ts';
import type { ReadyMedia } from './store.ts';
import { clearContent, putSealed, type StoredFileDeps } from './stored-file.ts';
import { VaultError } from './vault.ts';

export interface ResealRound {
  resealed: number;
  /** Our ids of files that could not be sealed anew; the log says why. Their old key must stay in the ring. */
  failed: string[];
  /** Where the next round goes on; undefined when every file has been looked at. */
  afterId: string | undefined;
}

const leaseSeconds = 900;

/**
 * Seals up to `limit` files, in the order of their ids after `afterId`, with the newest key. Safe at any time and to
 * repeat: the new object is announced on the row first, takes the old one's place in one statement, and readers find
 * one of the two. A file that another process seals at this moment, or whose removal began, is passed over.
 */
export async function resealMedia(
  deps: StoredFileDeps,
  { afterId, limit = 20 }: { afterId?: string | undefined; limit?: number },
): Promise<ResealRound> {
  const rows = await listSealedOtherwise(deps.db, { keyId: deps.vault.newestKeyId, afterId, limit });
  const round: ResealRound = {
    resealed: 0,
    failed: [],
    afterId: rows.length < limit ? undefined : rows.at(-1)?.id,
  };
  for (const row of rows) {
    try {
      if (await resealOne(deps, row)) round.resealed += 1;
    } catch (error) {
      deps.log.error({ err: error, mediaId: row.public_id }, 'media.reseal_failed');
      round.failed.push(row.id);
    }
  }
  return round;
}

async function resealOne(deps: StoredFileDeps, row: ReadyMedia): Promise<boolean> {
  const spareObjectKey = `media/${row.account_id}/${row.id}.${uuidv7()}`;
  const spare = { id: row.id, objectKey: row.object_key, spareObjectKey, leaseSeconds };
  if (!(await announceSpare(deps.db, spare))) return false;
  try {
    const owner = { accountId: row.account_id, mediaId: row.id };
    const clear = Readable.from(checked(await clearContent(deps, row), row.sha256), { objectMode: false });
    await putSealed(deps, spareObjectKey, clear, owner);
  } catch (error) {
    await deps.objects.delete(spareObjectKey);
    await clearSpare(deps.db, row.id, spareObjectKey);
    throw error;
  }
  const swap = { id: row.id, spareObjectKey, keyId: deps.vault.newestKeyId };
  if (!(await swapSpare(deps.db, swap))) {
    await deps.objects.delete(spareObjectKey);
    return false;
  }
  await deps.objects.delete(row.object_key);
  await clearSpare(deps.db, row.id, row.object_key);
  return true;
}

/** The bytes as they are; fails at their end if they are not the file that was uploaded. */
async function* checked(clear: Readable, sha256: Buffer): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of clear as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  if (!hash.digest().equals(sha256))
    throw new VaultError('The stored file is not the one that was uploaded.');
}
