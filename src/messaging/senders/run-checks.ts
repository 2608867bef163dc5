// Runs the checks of senders: asks the platform, stores what it said, and reports what changed.
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { CheckName } from '../../contract/senders.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import type { PlatformApp } from '../../ports/platform-number.ts';
import { type AccessDeps, openSecret, senderAccess } from './access.ts';
import { type CheckResult, judgeSender } from './checks.ts';
import { hasHaltEnded } from './ended-halts.ts';
import type { Fact, SenderFacts } from './facts.ts';
import { callbackBaseOf, callbackUrlOf } from './presenter.ts';
import {
  claimDueChecks,
  type FoundState,
  findUnreported,
  followThroughput,
  listStates,
  lockState,
  updateState,
} from './states-store.ts';
import { publishSenderChange, type SenderEventDeps, statusChange } from './status-events.ts';
import {
  findSenderById,
  findSendersOfApp,
  lockSenderById,
  recordAppId,
  type SenderRow,
  updateSender,
} from './store.ts';
import { isNews, isOvertaken, mergeChecks, type StatusChange, type StoredCheck } from './stored-checks.ts';
import { findReading } from './template-readings-store.ts';

export interface CheckDeps extends AccessDeps, SenderEventDeps {
  db: Db;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'senderChecks'>;
  platform: Pick<
    MessagingPlatform,
    | 'advice'
    | 'isTemporary'
    | 'readAppId'
    | 'inspectCredential'
    | 'readNumber'
    | 'readSubscription'
    | 'readAppCallback'
  >;
}

const everySeconds = 3_600;
/** Sooner where the platform could not be asked, where a change is to be confirmed, and where something is expected: the first callback, or the templates. */
const againSeconds = 300;
const leaseSeconds = 120;
const senderPerRound = 4;

/** Why a step failed that the named check looks at, in the platform's words, and what fixes that in particular. */
export type FailedSteps = Partial<Record<CheckName, { why: string; fix?: string | undefined }>>;

/** Runs the checks of a sender now, and returns them; undefined if it was removed. Checks of failed steps say why. */
export async function checkSender(
  deps: CheckDeps,
  senderId: string,
  failedSteps: FailedSteps = {},
): Promise<StoredCheck[] | undefined> {
  const row = await findSenderById(deps.db, senderId);
  if (!row) return undefined;
  const facts = await gather(deps, row);
  const results = withFailedSteps(judgeSender(facts), failedSteps);
  // failed steps are known to this run alone
  const mayBeOvertaken = Object.keys(failedSteps).length === 0;
  const stored = await deps.db
    .transaction()
    .execute((tx) => storeChecks(deps, tx, senderId, { facts, results, mayBeOvertaken }));
  if (!stored) return undefined;
  deps.deliveries.offer(stored.leased);
  if (stored.isResumed) deps.log.info({ senderId }, 'sender.resumed');
  for (const { name, from, to } of stored.changed) {
    const level = to === 'ok' ? 'info' : 'warn';
    const detail = results.find((result) => result.name === name)?.detail;
    deps.log[level]({ senderId, check: name, from, to, detail }, 'sender.check_changed');
    deps.metrics.senderChecks.inc({ name, status: to });
  }
  return stored.checks;
}

function withFailedSteps(results: readonly CheckResult[], failedSteps: FailedSteps): CheckResult[] {
  return results.map((result) => {
    const step = failedSteps[result.name];
    if (step === undefined || result.status === 'ok') return result;
    const detail = `${result.detail} The platform said: ${step.why}`;
    return { ...result, detail, fix: step.fix ?? result.fix };
  });
}

/** What a run found, and what follows from it. */
interface Run {
  facts: SenderFacts;
  results: readonly CheckResult[];
  /** Its results do not count if a later run has stored its own. */
  mayBeOvertaken: boolean;
}

/** What is stored after a run, and the deliveries of its events. */
interface StoredRun {
  checks: StoredCheck[];
  changed: StatusChange[];
  isResumed: boolean;
  leased: Awaited<ReturnType<typeof publishSenderChange>>;
}

/** Stores the results of a run, resumes the sender if its halt has ended, and publishes what changed; undefined if it was removed. */
async function storeChecks(
  deps: CheckDeps,
  tx: Tx,
  senderId: string,
  { facts, results, mayBeOvertaken }: Run,
): Promise<StoredRun | undefined> {
  // first, as removals do
  const current = await lockSenderById(tx, senderId);
  const state = current && (await lockState(tx, senderId));
  if (!state) return undefined;
  if (mayBeOvertaken && isOvertaken(state.checks, facts.now, leaseSeconds * 1_000))
    return { checks: state.checks, changed: [], isResumed: false, leased: [] };
  const { checks, changed } = mergeChecks(state.checks, results, facts.now);
  const isIncomplete =
    state.checks.length === 0 || facts.templates.readAt === null || hasFailure(facts) || checks.some(isNews);
  const dueInSeconds = isIncomplete ? againSeconds : everySeconds;
  await updateState(tx, senderId, { ...foundStateOf(facts), checks }, dueInSeconds);
  const number = numberOf(facts);
  if (number?.throughput) await followThroughput(tx, senderId, number.throughput);
  const isResumed = hasHaltEnded(deps.platform, current, number, facts.now);
  const after = isResumed ? await updateSender(tx, senderId, {}) : current;
  const news = isResumed ? [...changed, statusChange('active')] : changed;
  return { checks, changed, isResumed, leased: await publishSenderChange(deps, tx, after, news) };
}

const numberOf = ({ number }: SenderFacts) => ('value' in number ? number.value : undefined);

/** What the readings say about the number and its token; null where a reading failed. */
function foundStateOf(facts: SenderFacts): Omit<FoundState, 'checks'> {
  const number = numberOf(facts);
  const credential = 'value' in facts.inspection ? facts.inspection.value : undefined;
  const expiresAtMs = credential?.problem === null ? credential.credential.expiresAtMs : null;
  return {
    verifiedName: number?.verifiedName || null,
    qualityRating: number?.qualityRating ?? null,
    messagingLimit: number?.messagingLimit ?? null,
    throughput: number?.throughput ?? null,
    tokenExpiresAt: expiresAtMs === null ? null : new Date(expiresAtMs),
  };
}

/** Runs the checks that are due. Returns how many senders it checked. */
export async function checkDue(deps: CheckDeps): Promise<number> {
  const ids = await claimDueChecks(deps.db, senderPerRound, leaseSeconds);
  await Promise.all(
    ids.map((id) =>
      checkSender(deps, id).catch((error) =>
        deps.log.error({ err: error, senderId: id }, 'sender.check_failed'),
      ),
    ),
  );
  return ids.length;
}

const hasFailure = ({ inspection, number, subscription, appCallback }: SenderFacts): boolean =>
  [inspection, number, subscription, appCallback].some((fact) => 'failure' in fact && !fact.isRejected);

/** Asks for a fact. A failure of the platform is a fact too. */
async function factOf<T>(reading: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { value: await reading() };
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    return { failure: error.message, isRejected: error.outcome === 'rejected' };
  }
}

async function gather(deps: CheckDeps, row: SenderRow): Promise<SenderFacts> {
  const { platform } = deps;
  const access = senderAccess(deps, row);
  const app = await factOf(() => readApp(deps, row, access));
  const withApp = <T>(reading: (of: PlatformApp) => Promise<T>): Promise<Fact<T>> =>
    'value' in app ? factOf(() => reading(app.value)) : Promise.resolve(app);
  const now = deps.clock.now();
  const [inspection, number, subscription, appCallback, states, reading, unreported] = await Promise.all([
    withApp((of) => platform.inspectCredential(access, of)),
    factOf(() => platform.readNumber(access)),
    withApp((of) => platform.readSubscription(access, of)),
    withApp((of) => platform.readAppCallback(access, of)),
    readStates(deps, row),
    findReading(deps.db, { accountId: row.account_id, businessAccountId: row.business_account_id }),
    findUnreported(deps.db, { accountId: row.account_id, senderId: row.id, now }),
  ]);
  return {
    now,
    inspection,
    number,
    subscription,
    appCallback,
    callbackUrl: callbackUrlOf(deps.publicUrl(), row.id),
    callbackBase: callbackBaseOf(deps.publicUrl()),
    ...states,
    unreportedSince: unreported?.getTime() ?? null,
    templates: {
      readAt: reading?.read_at?.getTime() ?? null,
      failure: reading?.failure ?? null,
      count: reading?.template_count ?? null,
    },
    businessAccountId: row.business_account_id,
    messagesPerSecond: row.messages_per_second,
    followsThroughput: row.follows_throughput,
    advice: platform.advice,
  };
}

/** The sender's app; reads its id once for senders of earlier versions. */
async function readApp(deps: CheckDeps, row: SenderRow, access: SenderAccess): Promise<PlatformApp> {
  const appSecret = openSecret(deps.cipher, row, 'app_secret');
  if (row.app_id !== null) return { appId: row.app_id, appSecret };
  const appId = await deps.platform.readAppId(access);
  await recordAppId(deps.db, row.id, appId);
  return { appId, appSecret };
}

/** The platform posts the callbacks of all numbers of an app to one of their addresses, so one handshake counts for all. */
async function readStates(
  deps: CheckDeps,
  row: SenderRow,
): Promise<Pick<SenderFacts, 'handshakeAt' | 'lastCallbackAt'>> {
  const sharing = await findSendersOfApp(deps.db, [row.app_secret_hash]);
  const states = await listStates(deps.db, [...new Set([row.id, ...sharing.map(({ id }) => id)])]);
  const handshakes = [...states.values()].flatMap(({ handshake_at: at }) => at?.getTime() ?? []);
  return {
    handshakeAt: handshakes.length === 0 ? null : Math.max(...handshakes),
    lastCallbackAt: states.get(row.id)?.last_callback_at?.getTime() ?? null,
  };
}
