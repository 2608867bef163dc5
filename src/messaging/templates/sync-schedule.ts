// When the platform's templates are read: at a start, on a timer, when a callback says so, and for a caller who asks.
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
import { claimTemplatesToRead, clearSingleReads, type DueTemplate } from './single-reads-store.ts';
import { type SyncDeps, syncTemplate, syncTemplates } from './sync.ts';

/** Callbacks bring changes at once, so the timer is slow. */
const dueInSeconds = 3600;
/**
 * A list is read again this much later for each call that its reading took: at most 60 calls an hour, of the 200 that
 * the platform allows an app and business account (its page on rate limits), whoever asks and however often.
 */
const pauseSecondsPerCall = 60;
const retrySecondsMax = 900;
/** Templates whose text changed are read by themselves up to this many; more are left to the whole list. */
const readSinglyMax = 20;

const keyOf = (row: ReadingRow): ReadingKey => ({
  accountId: row.account_id,
  businessAccountId: row.business_account_id,
});

/** One of the business account's numbers; after a failure another one, if there is: its token may be good. */
async function readerOf(deps: SyncDeps, reading: ReadingRow): Promise<SenderRow> {
  const readers = await listReaders(deps.db, keyOf(reading));
  const reader = readers[reading.attempts % Math.max(1, readers.length)];
  if (reader) return reader;
  throw new AppError('sender_not_configured', 'The account has no sender for these templates any more.');
}

/** Reads a claimed list and notes how it went. Throws what stood in the way. */
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
    const told = error instanceof VendorError || error instanceof AppError ? error : undefined;
    const retryAfterSeconds = error instanceof VendorError ? error.retryAfterSeconds : undefined;
    const retryInSeconds = retryAfterSeconds ?? Math.min(retrySecondsMax, 10 * 2 ** claimed.attempts);
    const failure = told?.message ?? 'The templates could not be kept; the log says why.';
    await recordReadingFailure(deps.db, of, { failure, retryInSeconds });
    deps.log.warn({ ...of, err: error, retryInSeconds }, 'templates.sync_failed');
    throw error;
  }
}

/** The worker's loop body: reads lists and single templates that are due; answers how many it claimed. */
export async function syncDue(deps: SyncDeps, limit = 4): Promise<number> {
  const readings = await claimDueReadings(deps.db, limit);
  // whatever one list did, the others that were claimed with it are read all the same; the log and the row say why
  for (const reading of readings) await readList(deps, reading).catch(() => undefined);
  const templates = await claimTemplatesToRead(deps.db, readSinglyMax);
  for (const template of templates) await readOne(deps, template);
  return readings.length + templates.length;
}

/** Tried again in a minute if the platform cannot be reached; what it refuses is left to the list, which tells what is gone. */
async function readOne(deps: SyncDeps, template: DueTemplate): Promise<void> {
  const of = { accountId: template.account_id, businessAccountId: template.business_account_id };
  try {
    const [sender] = template.due_in_account > readSinglyMax ? [] : await listReaders(deps.db, of);
    if (!sender) return await leaveToList(deps, of);
    await syncTemplate(deps, sender, template);
    deps.log.info({ templateId: template.id }, 'template.synced');
  } catch (error) {
    deps.log.warn({ templateId: template.id, err: error }, 'template.sync_failed');
    if (error instanceof VendorError && error.outcome === 'refused') await leaveToList(deps, of);
  }
}

async function leaveToList(deps: SyncDeps, of: ReadingKey): Promise<void> {
  await clearSingleReads(deps.db, of);
  await requestReading(deps.db, of);
}

/** What a caller who asked for a reading gets: made for it, or one of a moment ago. */
export interface SharedReading {
  businessAccountId: string;
  count: number;
  readAt: Date;
  reused: boolean;
  nextReadAt: Date;
}

const waitMs = 20_000;
const lookEveryMs = 150;

/**
 * The templates of all the account's business accounts, as the platform has them now or had them a moment ago: callers
 * who ask at the same time, or soon after one another, share one reading, and what was asked for too soon is read as
 * soon as it may be. Throws AppError 409 `sender_not_configured`, 502 or 503 if a list could not be read.
 */
export async function syncNow(deps: SyncDeps, accountId: string): Promise<SharedReading[]> {
  const readings = await listReadings(deps.db, accountId);
  if (readings.length === 0) {
    throw new AppError('sender_not_configured', 'The account has no sender yet. Add one first.');
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
  const why = last?.failure ?? 'Another reading of them is under way.';
  const retryAfterSeconds = last
    ? Math.max(1, Math.ceil((last.not_before.getTime() - Date.now()) / 1000))
    : 5;
  throw new AppError(
    'provider_unavailable',
    `The templates could not be read a moment ago, and the platform is not asked again so soon: ${why}`,
    { retryAfterSeconds },
  );
}

/** The last reading, once the one under way has ended; undefined if it takes too long. */
async function endedReading(deps: SyncDeps, of: ReadingKey): Promise<ReadingRow | undefined> {
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += lookEveryMs) {
    const reading = await findReading(deps.db, of);
    if (!reading?.under_way) return reading;
    await deps.clock.sleep(lookEveryMs);
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
