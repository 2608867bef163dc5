// Registration of stored files with the platform: at upload, and again for each number after 30 days.
import { type Cache, openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, externalError, VendorError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { extendKeysOf, freeKeysOf } from '../../db/idempotency-keys.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import { batch } from '../../work/batch.ts';
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
  findRegistrations,
  type MediaRow,
  markReady,
  type ReadyMedia,
  type RegistrationAsked,
  saveRegistration,
} from './store.ts';
import { mediaNotFound, type StoredFileDeps, sendContent } from './stored-file.ts';

export interface RegisterDeps extends RemoveDeps, StoredFileDeps {
  knownRegistrations: Cache<string>;
  platform: Pick<MessagingPlatform, 'uploadMedia' | 'deleteMedia'>;
}

/**
 * Opens a process's cache of the registrations that `findRegistered` found lately. If the platform has lost one in the meantime, it
 * rejects the message; the registration is forgotten, and the message registers the file again.
 */
export const openKnownRegistrations = (clock: Clock): Cache<string> =>
  openCache({ max: 10_000, lifetime: { ms: 10_000, clock } });

/** The name of a registration in that memory. */
const registrationName = (of: { mediaId: string; senderId: string }) => `${of.mediaId} ${of.senderId}`;

const dayMs = 86_400_000;
/** The platform keeps uploaded media this long (Cloud API, "Media": 30 days). */
const keptMs = 30 * dayMs;
/** Renew a registration this long before its end: the message may wait in the platform's queue. */
const marginMs = 3_600_000;
const mebibyte = 1024 * 1024;

/** The time-out for uploading a file of `size` bytes: 30 seconds plus 1 second per MiB. */
export function uploadTimeoutMs(size: number): number {
  return 30_000 + Math.ceil(size / mebibyte) * 1000;
}

/** The lease of an upload during its registration: the call's time-out and a minute to record the result. */
export function registerLeaseSeconds(size: number): number {
  return uploadTimeoutMs(size) / 1000 + 60;
}

/**
 * Registers a stored file with the first available number, and makes it visible under the platform's id. If the
 * platform rejects it, the file is removed: 502 `provider_rejected`. If it cannot be reached or its response is unclear,
 * the worker removes the file: 503 `provider_unavailable`. If an upload of the same file finished first, its record is
 * returned and this file removed; `same` is the earlier record found before. The keys of the upload get their response
 * in the same transaction.
 */
export async function registerUpload(
  deps: RegisterDeps,
  row: MediaRow,
  senders: readonly SenderRow[],
  same: Duplicate,
): Promise<ReadyMedia> {
  const { result, sender } = await callWithFailover(
    deps,
    senders,
    (access) => uploadLeased(deps, row, access),
    {
      // two copies at the platform do no harm: it deletes both after 30 days
      isRepeatable: true,
    },
  ).catch(async (error: unknown) => {
    if (error instanceof VendorError && error.outcome === 'rejected') await discard(deps, row);
    else await leaveToWorker(deps, row);
    deps.log.warn({ err: error, accountId: row.account_id }, 'media.registration_failed');
    throw externalError(error, 'The messaging platform');
  });
  const { publicId, expiresAt } = result;
  const ready = await deps.db.transaction().execute(async (tx) => {
    const duplicate = await findConcurrentDuplicate(tx, row, same);
    const shown = duplicate ?? (await markReady(tx, row.id, publicId));
    if (!shown) return undefined;
    if (!duplicate) {
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
  // The worker took over this upload while this process was suspended; the platform deletes its copy itself.
  if (!ready) throw uploadLost();
  if (ready.id !== row.id) {
    await deps.platform
      .deleteMedia(sender, publicId)
      .catch((error: unknown) => deps.log.info({ err: error, publicId }, 'media.platform_kept_it'));
    await discard(deps, row);
  }
  return ready;
}

/** Uploads within a new lease: earlier attempts with other numbers used up time. */
async function uploadLeased(deps: RegisterDeps, row: MediaRow, sender: SenderAccess) {
  const leaseSeconds = registerLeaseSeconds(row.size ?? 0);
  if (!(await extendRegistering(deps.db, row.id, leaseSeconds))) throw uploadLost();
  await extendKeysOf(deps.db, row.id, leaseSeconds);
  const expiresAt = new Date(deps.clock.now() + keptMs);
  return { publicId: await uploadToPlatform(deps, row, sender), expiresAt };
}

/** Leaves the file to the worker; if even that fails, its lease expires a little later. */
async function leaveToWorker(deps: RegisterDeps, row: MediaRow): Promise<void> {
  const leave = async () => {
    await markRemoving(deps.db, row.id, 0);
    await freeKeysOf(deps.db, row.id);
  };
  await leave().catch((error: unknown) =>
    deps.log.error({ err: error, mediaId: row.id }, 'media.removal_failed'),
  );
}

/** Uploads to the platform. Throws its VendorError, or AppError if the stored file cannot be read. */
async function uploadToPlatform(deps: RegisterDeps, row: MediaRow, sender: SenderAccess): Promise<string> {
  const { platformMediaId } = await sendContent(deps, row, (file) =>
    deps.platform.uploadMedia(sender, file, uploadTimeoutMs(file.size)),
  );
  return platformMediaId;
}

/** Registrations in progress, by database: many messages that need one file share one upload. */
const inFlight = new WeakMap<Db, Map<string, Promise<string>>>();

/**
 * Returns the platform's id of a stored file for a number, and registers the file if it has none that is valid long
 * enough. Concurrent calls register once. `mediaId` is the id of our row. Throws AppError `media_not_found`,
 * `media_damaged` or `sender_not_found` (do not retry), VendorError `rejected` (its class decides) or `not_sent` (retry).
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

/**
 * The platform's ids of stored files for a number, by our ids, if every file has one that is valid long enough; else undefined.
 * Registers nothing.
 */
export async function findRegistered(
  deps: Pick<RegisterDeps, 'db' | 'clock' | 'knownRegistrations'>,
  { mediaIds, senderId }: { mediaIds: readonly string[]; senderId: string },
): Promise<Map<string, string> | undefined> {
  const beyond = new Date(deps.clock.now() + marginMs);
  const find = registrationsOf(deps.db);
  const found = await Promise.all(
    mediaIds.map(async (mediaId) => {
      const name = registrationName({ mediaId, senderId });
      const remembered = deps.knownRegistrations.get(name);
      if (remembered !== undefined) return remembered;
      const platformMediaId = await find({ mediaId, senderId, beyond });
      if (platformMediaId !== undefined) deps.knownRegistrations.set(name, platformMediaId);
      return platformMediaId;
    }),
  );
  const registered = new Map<string, string>();
  for (const [index, platformMediaId] of found.entries()) {
    if (platformMediaId === undefined) return undefined;
    registered.set(mediaIds[index] as string, platformMediaId);
  }
  return registered;
}

/** Reads registrations, by database: messages of many senders share a statement. */
const readings = new WeakMap<Db, (asked: RegistrationAsked) => Promise<string | undefined>>();

function registrationsOf(db: Db) {
  const known = readings.get(db);
  if (known) return known;
  const find = batch((asked: RegistrationAsked[]) => findRegistrations(db, asked), { gapMs: 0, max: 200 });
  readings.set(db, find);
  return find;
}

/** If a registration younger than this is rejected, the platform rejects the file itself. */
const trustedMs = 3_600_000;

/**
 * Deletes a registration that the platform rejected before its 30 days were over, if it is older than an hour or than
 * `registeredBefore`. Returns true if the file may be registered again.
 */
export async function forgetRejectedRegistration(
  deps: Pick<RegisterDeps, 'db' | 'clock' | 'knownRegistrations'>,
  of: { mediaId: string; senderId: string; platformMediaId: string; registeredBefore?: Date },
): Promise<boolean> {
  deps.knownRegistrations.delete(registrationName(of));
  const before = Math.max(deps.clock.now() - trustedMs, of.registeredBefore?.getTime() ?? 0);
  return deleteRegistration(deps.db, { ...of, expiresBefore: new Date(before + keptMs) });
}

/** Deletes the registrations, if older than an hour, of the files for which these messages were reported as failed. */
export async function forgetReportedRegistrations(
  deps: Pick<RegisterDeps, 'db' | 'clock' | 'knownRegistrations'>,
  messages: readonly { accountId: string; id: string }[],
): Promise<void> {
  deps.knownRegistrations.clear();
  await deleteRegistrationsOfMessages(deps.db, messages, new Date(deps.clock.now() - trustedMs + keptMs));
}

async function findOrRegister(
  deps: RegisterDeps,
  of: { accountId: string; mediaId: string; senderId: string },
): Promise<string> {
  const beyond = new Date(deps.clock.now() + marginMs);
  const known = await registrationsOf(deps.db)({ ...of, beyond });
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

/** Uploads may be repeated, so an unknown outcome counts as not sent for the waiting message. */
function asNotSent(error: unknown): unknown {
  const mayPass =
    (error instanceof VendorError && error.outcome === 'unknown') ||
    (error instanceof AppError && error.code === 'storage_unavailable');
  return mayPass ? new VendorError('not_sent', error.message, { cause: error }) : error;
}
