// Removal of files: on request, after a rejected upload, and after uploads whose process died.
import { audit } from '../../audit/store.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { MessagingPlatform } from '../../ports/platform.ts';
import { type AccessDeps, senderAccess } from '../senders/access.ts';
import { findSenderById } from '../senders/store.ts';
import {
  claimLeftovers,
  deleteMediaRow,
  isMediaInUse,
  type Leftover,
  lockMedia,
  markRemoving,
} from './removal-store.ts';
import { listRegistrations, type MediaRow } from './store.ts';
import { mediaNotFound } from './stored-file.ts';

export interface RemoveDeps extends AccessDeps {
  db: Db;
  clock: Clock;
  log: Log;
  objects: ObjectStore;
  platform: Pick<MessagingPlatform, 'deleteMedia'>;
}

/**
 * An orphaned upload is checked a second time after this: its process may only have been suspended, and store its object
 * after all. With the longest lease (190 s) and the worker's interval, everything is removed within ten minutes.
 */
const secondCheckSeconds = 300;
const retrySeconds = 60;
/**
 * The object of a removed file stays for a day: a backup reads files after its snapshot of the database, which may still
 * name this one. Longer than any backup takes.
 */
export const keptSeconds = 86_400;

/**
 * Removes the account's file: callers no longer see it. The platform's copy is removed now, the object a day later by the
 * worker. Throws 404 `media_not_found`, or 409 `media_in_use` while queued messages need it.
 */
export async function deleteMedia(
  deps: RemoveDeps,
  of: { accountId: string; mediaId: string },
): Promise<void> {
  const row = await deps.db.transaction().execute(async (tx) => {
    const locked = await lockMedia(tx, of.accountId, of.mediaId);
    if (!locked) throw mediaNotFound();
    if (await isMediaInUse(tx, of.accountId, locked.id)) {
      throw new AppError(
        'media_in_use',
        'Queued messages, or a draft, scheduled or paused send, need this media. Wait until they are sent, or cancel the send.',
      );
    }
    await markRemoving(tx, locked.id, keptSeconds);
    await audit(tx, of.accountId, 'media.deleted', locked.id);
    return locked;
  });
  await removeFromPlatform(deps, row).catch((error: unknown) =>
    deps.log.warn({ err: error, mediaId: row.id }, 'media.platform_not_asked'),
  );
  deps.log.info({ accountId: row.account_id, mediaId: row.public_id }, 'media.removed');
}

/**
 * Removes the objects and then the row of an unused file, and frees the idempotency key of an unfinished upload. The
 * worker retries what fails. Never rejects.
 */
export async function discard(deps: RemoveDeps, row: MediaRow): Promise<void> {
  try {
    await removeEverything(deps, row);
    await deleteMediaRow(deps.db, row.id);
    await freeKeysOf(deps.db, row.id);
  } catch (error) {
    deps.log.warn({ err: error, mediaId: row.id }, 'media.removal_postponed');
    await markRemoving(deps.db, row.id, retrySeconds).catch((again: unknown) =>
      deps.log.error({ err: again, mediaId: row.id }, 'media.removal_failed'),
    );
  }
}

async function removeEverything(deps: RemoveDeps, row: MediaRow): Promise<void> {
  await removeFromPlatform(deps, row);
  await deps.objects.delete(row.object_key);
  await deps.objects.abandon(row.object_key).catch((error: unknown) => {
    // a bucket may forbid listing multipart uploads; its lifecycle rule removes them
    if (!(error instanceof VendorError) || error.outcome !== 'rejected') throw error;
    deps.log.warn({ err: error, mediaId: row.id }, 'media.unfinished_put_kept');
  });
}

/** Rejections of the platform are not retried: the platform deletes every file after 30 days. */
async function removeFromPlatform(deps: RemoveDeps, row: MediaRow): Promise<void> {
  for (const { sender_id, platform_media_id } of await listRegistrations(
    deps.db,
    row.id,
    new Date(deps.clock.now()),
  )) {
    const sender = await findSenderById(deps.db, sender_id);
    if (!sender) continue;
    await deps.platform
      .deleteMedia(senderAccess(deps, sender), platform_media_id)
      .catch((error: unknown) => deps.log.info({ err: error, platform_media_id }, 'media.platform_kept_it'));
  }
}

/** The worker's round: removes orphaned uploads and retries failed removals. Returns how many files it claimed. */
export async function removeLeftovers(deps: RemoveDeps, limit = 20): Promise<number> {
  const leftovers = await claimLeftovers(deps.db, limit);
  for (const row of leftovers) {
    try {
      await removeLeftover(deps, row);
      deps.log.info({ mediaId: row.id, state: row.state, orphaned: row.orphaned }, 'media.leftover_removed');
    } catch (error) {
      deps.log.warn({ err: error, mediaId: row.id, attempts: row.attempts }, 'media.leftover_kept');
    }
  }
  return leftovers.length;
}

async function removeLeftover(deps: RemoveDeps, row: Leftover): Promise<void> {
  await freeKeysOf(deps.db, row.id);
  await removeEverything(deps, row);
  if (row.orphaned) await markRemoving(deps.db, row.id, secondCheckSeconds);
  else await deleteMediaRow(deps.db, row.id);
}
