// The schedule of reading the platform's templates: at start, by a timer, after callbacks, and on request.
import { AppError, externalError, VendorError } from '../../base/errors.ts';
import { listReaders, type SenderRow } from '../senders/store.ts';
import {
  claimDueReadings,
  claimReading,
  findReading,
  listReadings,
  type ReadingKey,
  type ReadingRow,
  recordReading,
  recordReadingFailure,
  requestReading,
} from '../senders/template-readings-store.ts';
import { claimTemplatesToRead, clearSingleReads, type DueTemplate } from './readings-store.ts';
import { type SyncDeps, syncTemplate, syncTemplates } from './sync.ts';

/** Callbacks report changes immediately, so the timer is slow. */
const dueInSeconds = 3600;
/**
 * A list may be read again this long after each call of its last reading: at most 60 calls an hour, of the 200 that the
 * platform allows for an app and business account (Graph API, "Rate limits").
 */
const pauseSecondsPerCall = 60;
const retrySecondsMax = 900;
/** Changed templates are read one by one up to this number; more are read with the whole list. */
const readSinglyMax = 20;

const keyOf = (row: ReadingRow): ReadingKey => ({
  accountId: row.account_id,
  businessAccountId: row.business_account_id,
});

/** One of the business account's senders; after a failure another one, whose credential may be valid. */
async function readerOf(deps: SyncDeps, reading: ReadingRow): Promise<SenderRow> {
  const readers = await listReaders(deps.db, keyOf(reading));
  const reader = readers[reading.attempts % Math.max(1, readers.length)];
  if (reader) return reader;
  throw new AppError('sender_not_configured', 'The account no longer has a sender for these templates.');
}

/** Reads a claimed list and records the result. Throws the error of a failed reading. */
async function readList(deps: SyncDeps, claimed: ReadingRow): Promise<ReadingRow | undefined> {
  const of = keyOf(claimed);
  try {
    const sender = await readerOf(deps, claimed);
    const { count, calls } = await syncTemplates(deps, sender);
    deps.log.info({ senderId: sender.id, count, calls }, 'templates.synced');
    const notBeforeSeconds = calls * pauseSecondsPerCall;
    return await recordReading(deps.db, of, {
      count,
      notBeforeSeconds,
      dueInSeconds: Math.max(dueInSeconds, notBeforeSeconds),
    });
  } catch (error) {
    const known = error instanceof VendorError || error instanceof AppError ? error : undefined;
    const retryAfterSeconds = error instanceof VendorError ? error.retryAfterSeconds : undefined;
    const retryInSeconds = retryAfterSeconds ?? Math.min(retrySecondsMax, 10 * 2 ** claimed.attempts);
    const failure = known?.message ?? 'The templates could not be stored; see the log.';
    await recordReadingFailure(deps.db, of, { failure, retryInSeconds });
    deps.log.warn({ ...of, err: error, retryInSeconds }, 'templates.sync_failed');
    throw error;
  }
}

/** The worker's round: reads due lists and single templates. Returns how many it claimed. */
export async function syncDue(deps: SyncDeps, limit = 4): Promise<number> {
  const readings = await claimDueReadings(deps.db, limit);
  // the failure was logged and recorded; continue with the other claimed lists
  for (const reading of readings) await readList(deps, reading).catch(() => undefined);
  const templates = await claimTemplatesToRead(deps.db, readSinglyMax);
  for (const template of templates) await readOne(deps, template);
  return readings.length + templates.length;
}

/** Reads one template. Its lease retries an unreachable platform in a minute; after a rejection, the whole list is read. */
async function readOne(deps: SyncDeps, template: DueTemplate): Promise<void> {
  const of = { accountId: template.account_id, businessAccountId: template.business_account_id };
  try {
    const [sender] = template.due_in_account > readSinglyMax ? [] : await listReaders(deps.db, of);
    if (!sender) return await leaveToList(deps, of);
    await syncTemplate(deps, sender, template);
    deps.log.info({ templateId: template.id }, 'template.synced');
  } catch (error) {
    deps.log.warn({ templateId: template.id, err: error }, 'template.sync_failed');
    if (error instanceof VendorError && error.outcome === 'rejected') await leaveToList(deps, of);
  }
}

/** Both or nothing: a crash in between would leave the changes until the list is read by the timer. */
const leaveToList = (deps: SyncDeps, of: ReadingKey): Promise<void> =>
  deps.db.transaction().execute(async (tx) => {
    await clearSingleReads(tx, of);
    await requestReading(tx, of);
  });

/** A reading for a caller: a new one, or a recent one. */
export interface SharedReading {
  businessAccountId: string;
  count: number;
  readAt: Date;
  reused: boolean;
  nextReadAt: Date;
}

const waitMs = 20_000;
const pollMs = 150;

/**
 * Reads the templates of all the account's business accounts, or returns recent readings: concurrent and frequent calls
 * share one, and a list requested too early is read as soon as it is allowed. Throws AppError 409
 * `sender_not_configured`, or 502 or 503 if a list could not be read.
 */
export async function syncNow(deps: SyncDeps, accountId: string): Promise<SharedReading[]> {
  const readings = await listReadings(deps.db, accountId);
  if (readings.length === 0) {
    throw new AppError('sender_not_configured', 'The account has no sender. Add one first.');
  }
  const shared: SharedReading[] = [];
  for (const reading of readings) shared.push(await readOrShare(deps, keyOf(reading)));
  return shared;
}

async function readOrShare(deps: SyncDeps, of: ReadingKey): Promise<SharedReading> {
  const claimed = await claimReading(deps.db, of);
  if (claimed) {
    const done = await readList(deps, claimed).catch((error: unknown) => {
      throw externalError(error, 'The messaging platform');
    });
    if (done) return sharedOf(done, false);
  }
  await requestReading(deps.db, of);
  const last = await endedReading(deps, of);
  if (last?.read_at && last.failure === null) return sharedOf(last, true);
  const why = last?.failure ?? 'Another reading is in progress.';
  const retryAfterSeconds = last
    ? Math.max(1, Math.ceil((last.not_before.getTime() - Date.now()) / 1000))
    : 5;
  throw new AppError(
    'provider_unavailable',
    `The last reading of the templates failed, and it is too early to repeat it: ${why}`,
    { retryAfterSeconds },
  );
}

/** Waits for the reading in progress to end and returns it; undefined if it takes too long. */
async function endedReading(deps: SyncDeps, of: ReadingKey): Promise<ReadingRow | undefined> {
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
    const reading = await findReading(deps.db, of);
    if (!reading?.under_way) return reading;
    await deps.clock.sleep(pollMs);
  }
  return undefined;
}

function sharedOf(row: ReadingRow, reused: boolean): SharedReading {
  return {
    businessAccountId: row.business_account_id,
    count: row.template_count ?? 0,
    readAt: row.read_at as Date,
    reused,
    nextReadAt: row.not_before,
  };
}
