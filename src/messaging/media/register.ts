// Registering stored files with the platform: at upload, and again for every number that uses them once 30 days are over.
import { AppError, externalError, VendorError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { extendKeysOf, freeKeysOf } from '../../db/idempotency-keys.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import { senderAccess } from '../senders/access.ts';
import { callWithFailover } from '../senders/failover.ts';
import { findSender, type SenderRow } from '../senders/store.ts';
import { type Duplicate, findConcurrentDuplicate, storeKeyResponse } from './duplicates.ts';
import { uploadLost } from './meter.ts';
import { markRemoving } from './removal-store.ts';
import { discard, type RemoveDeps } from './remove.ts';
import {
  deleteRegistration,
  deleteRegistrationsOfMessages,
  extendRegistering,
  findMediaById,
  findRegistration,
  type MediaRow,
  markReady,
  type ReadyMedia,
  saveRegistration,
} from './store.ts';
import { mediaNotFound, type StoredFileDeps, sendContent } from './stored-file.ts';

export interface RegisterDeps extends RemoveDeps, StoredFileDeps {
  platform: Pick<MessagingPlatform, 'uploadMedia' | 'deleteMedia'>;
}

const dayMs = 86_400_000;
/** The platform's promise for uploaded media (Cloud API, "Media": they persist 30 days). */
const keptMs = 30 * dayMs;
/** A registration this near its end is renewed: the send that asks may wait in a queue of the platform's. */
const marginMs = 3_600_000;
const mebibyte = 1024 * 1024;

/** How long the platform gets for a file of `size` bytes: half a minute, and a second more for each MiB. */
export function uploadTimeoutMs(size: number): number {
  return 30_000 + Math.ceil(size / mebibyte) * 1000;
}

/** How long an upload is leased for its registration: the call's time-out and a minute to write down what came of it. */
export function registerLeaseSeconds(size: number): number {
  return uploadTimeoutMs(size) / 1000 + 60;
}

/**
 * Registers a file that was just stored, by the first of these numbers that is not away, and shows it to callers under
 * the id that the platform gave. Refused by the platform: the file is removed, 502 `provider_rejected`. Not reached, or
 * no clear answer: the worker removes the file, 503 `provider_unavailable`. If a twin of this upload was quicker, its
 * record is returned and this file removed; `same` is what was known of such records before. The keys of the upload get
 * their answer in the transaction that shows the file.
 */
export async function registerUpload(
  deps: RegisterDeps,
  row: MediaRow,
  senders: readonly SenderRow[],
  same: Duplicate,
): Promise<ReadyMedia> {
  const { answer, sender } = await callWithFailover(
    deps,
    senders,
    (access) => uploadLeased(deps, row, access),
    {
      // a file that the platform has twice does no harm: it forgets both
      isRepeatable: true,
    },
  ).catch(async (error: unknown) => {
    if (error instanceof VendorError && error.outcome === 'refused') await discard(deps, row);
    else await leaveToWorker(deps, row);
    deps.log.warn({ err: error, accountId: row.account_id }, 'media.refused');
    throw externalError(error, 'The messaging platform');
  });
  const { publicId, expiresAt } = answer;
  const ready = await deps.db.transaction().execute(async (tx) => {
    const twin = await findConcurrentDuplicate(tx, row, same);
    const shown = twin ?? (await markReady(tx, row.id, publicId));
    if (!shown) return undefined;
    if (!twin) {
      const registration = {
        mediaId: row.id,
        senderId: sender.senderId,
        platformMediaId: publicId,
        expiresAt,
      };
      await saveRegistration(tx, registration);
    }
    await storeKeyResponse(tx, row.id, shown);
    return shown;
  });
  // The worker gave this upload up while this process slept; the platform's copy ends by itself.
  if (!ready) throw uploadLost();
  if (ready.id !== row.id) {
    await deps.platform
      .deleteMedia(sender, publicId)
      .catch((error: unknown) => deps.log.info({ err: error, publicId }, 'media.platform_kept_it'));
    await discard(deps, row);
  }
  return ready;
}

/** One upload, within a lease of its own: the numbers that were tried before took their time. */
async function uploadLeased(deps: RegisterDeps, row: MediaRow, sender: SenderAccess) {
  const leaseSeconds = registerLeaseSeconds(row.size ?? 0);
  if (!(await extendRegistering(deps.db, row.id, leaseSeconds))) throw uploadLost();
  await extendKeysOf(deps.db, row.id, leaseSeconds);
  const expiresAt = new Date(deps.clock.now() + keptMs);
  return { publicId: await uploadToPlatform(deps, row, sender), expiresAt };
}

/** Leaves the file to the worker; should even that fail, its lease does the same a little later. */
async function leaveToWorker(deps: RegisterDeps, row: MediaRow): Promise<void> {
  const leave = async () => {
    await markRemoving(deps.db, row.id, 0);
    await freeKeysOf(deps.db, row.id);
  };
  await leave().catch((error: unknown) =>
    deps.log.error({ err: error, mediaId: row.id }, 'media.removal_failed'),
  );
}

/** One upload to the platform; throws the platform's VendorError, or AppError if the stored file cannot be read. */
async function uploadToPlatform(deps: RegisterDeps, row: MediaRow, sender: SenderAccess): Promise<string> {
  const { platformMediaId } = await sendContent(deps, row, (file) =>
    deps.platform.uploadMedia(sender, file, uploadTimeoutMs(file.size)),
  );
  return platformMediaId;
}

/** Look-ups and registrations under way in this process, by database, so that many messages that need one file wait for one upload. */
const inFlight = new WeakMap<Db, Map<string, Promise<string>>>();

/**
 * The platform's id of a stored file for a sender's number, registered (again) if there is none that lasts; asking
 * many times at once registers once. `mediaId` is our row's id. Nothing is sent by this, so it throws only: AppError
 * `media_not_found`, `media_damaged`, `sender_not_found` (never right by trying again), VendorError `refused` (the
 * platform's code says whether later) and VendorError `not_sent` (try again).
 */
export async function ensureRegistered(
  deps: RegisterDeps,
  of: { accountId: string; mediaId: string; senderId: string },
): Promise<string> {
  const shared = inFlight.get(deps.db) ?? new Map<string, Promise<string>>();
  inFlight.set(deps.db, shared);
  const key = `${of.accountId} ${of.mediaId} ${of.senderId}`;
  const first = shared.get(key);
  if (first) return first;
  const found = findOrRegister(deps, of).finally(() => shared.delete(key));
  shared.set(key, found);
  return found;
}

/** A registration younger than this is not taken for lost: the platform refuses the file itself. */
const trustedMs = 3_600_000;

/**
 * Forgets a registration that the platform refused although its 30 days are not over, if it was made more than an hour
 * ago or before `registeredBefore`; true if the file may be registered again.
 */
export async function forgetRejectedRegistration(
  deps: Pick<RegisterDeps, 'db' | 'clock'>,
  of: { mediaId: string; senderId: string; platformMediaId: string; registeredBefore?: Date },
): Promise<boolean> {
  const before = Math.max(deps.clock.now() - trustedMs, of.registeredBefore?.getTime() ?? 0);
  return deleteRegistration(deps.db, { ...of, expiresBefore: new Date(before + keptMs) });
}

/**
 * Forgets the registrations of files of these messages that were made more than an hour ago: the platform reported that
 * the messages failed for their files.
 */
export async function forgetReportedRegistrations(
  deps: Pick<RegisterDeps, 'db' | 'clock'>,
  messages: readonly { accountId: string; id: string }[],
): Promise<void> {
  await deleteRegistrationsOfMessages(deps.db, messages, new Date(deps.clock.now() - trustedMs + keptMs));
}

async function findOrRegister(
  deps: RegisterDeps,
  of: { accountId: string; mediaId: string; senderId: string },
): Promise<string> {
  const beyond = new Date(deps.clock.now() + marginMs);
  const known = await findRegistration(deps.db, { ...of, beyond });
  if (known !== undefined) return known;
  const row = await findMediaById(deps.db, of.accountId, of.mediaId);
  if (!row || row.size === null) throw mediaNotFound();
  const sender = await findSender(deps.db, of.accountId, of.senderId);
  if (!sender) throw new AppError('sender_not_found', 'There is no such sender in this account.');
  const expiresAt = new Date(deps.clock.now() + keptMs);
  const platformMediaId = await uploadToPlatform(deps, row, senderAccess(deps, sender)).catch(
    (error: unknown) => {
      throw asNotSent(error);
    },
  );
  await saveRegistration(deps.db, { mediaId: row.id, senderId: sender.id, platformMediaId, expiresAt });
  deps.log.info({ mediaId: row.public_id, senderId: sender.id, platformMediaId }, 'media.registered_again');
  return platformMediaId;
}

/** An upload may be repeated, so an unknown outcome of it is, for the message that waits, the same as not sent. */
function asNotSent(error: unknown): unknown {
  const mayPass =
    (error instanceof VendorError && error.outcome === 'unknown') ||
    (error instanceof AppError && error.code === 'storage_unavailable');
  return mayPass ? new VendorError('not_sent', error.message, { cause: error }) : error;
}
