// The feeder: starts scheduled sends, moves recipients into the queue in portions, and returns those of paused sends.
import type { Db } from '../../db/db.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { publish } from '../../webhooks/publish.ts';
import type { FailDeps } from '../messages/fail.ts';
import { expiredError, ownErrors, sortById, state } from '../messages/message.ts';
import { failMessages } from '../messages/moves-store.ts';
import { sendStage } from '../messages/send-stage.ts';
import { findSend, type SendKey, type SendRow } from '../messages/sends-store.ts';
import { statusEvents } from '../messages/status-events.ts';
import { traceFeed } from '../messages/traced-steps.ts';
import { findTemplate } from '../templates/store.ts';
import { feedChecked } from './feed-changed.ts';
import {
  claimFeed,
  delayFeed,
  endFeed,
  endRecipients,
  type Feed,
  feedRecipients,
  findRoom,
  hasKept,
  hasQueued,
  type QueueLimit,
  returnMessages,
  startScheduled,
} from './feeds-store.ts';
import { wasDraft } from './state.ts';

export interface FeedDeps extends FailDeps {
  db: Db;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
  /** Where spans are recorded, if traces are on. */
  tracing?: Tracing | undefined;
  /** Wakes the worker: messages are due now. */
  nudgeDispatch: () => void;
  /** What the queue may have of one send; tests set less. */
  queueLimit?: QueueLimit;
}

/** Single sends and replies of the same urgency go after what is due of a campaign, so that is little more than one turn needs. */
const limitOfSend: QueueLimit = { messages: 20_000, dueSeconds: 3 };
/** Rows of one transaction. */
const fedPerStep = 2_000;
const returnedPerStep = 2_000;
const endedPerStep = 1_000;
/** The steps of one turn, after which another send has its turn. */
const stepsPerTurn = 5;
/** Longer than a turn of slow steps. After a crash, the end of the process's session releases it, within seconds, or else its time. */
const leaseSeconds = 30;
/** Until the queue has room again, or the last calls have ended. */
const recheckSeconds = 1;

/** When a send's next step is due. */
type Next = { seconds: number } | { at: Date } | 'ended';

/** The worker's round: one turn of the send that is due for the longest time. Returns 0 if none is due. */
export async function feedSends(deps: FeedDeps): Promise<number> {
  const feed = await claimFeed(deps.db, { leaseSeconds, processId: deps.processId });
  if (!feed) return 0;
  await startScheduled(deps.hot, feed);
  const send = await findSend(deps.db, feed.accountId, feed.sendId);
  const next = send ? await turn(deps, feed, send) : { seconds: leaseSeconds };
  if (next !== 'ended') await delayFeed(deps.db, feed, next);
  return 1;
}

async function turn(deps: FeedDeps, feed: Feed, send: SendRow): Promise<Next> {
  const isExpired = send.expires_at !== null && send.expires_at.getTime() <= deps.clock.now();
  if (send.cancelled_at || isExpired) return endKept(deps, feed);
  if (send.paused_at) return returnQueued(deps, feed, send);
  if (send.stage !== sendStage.started) {
    // it was under way, was paused, and resumes at its time
    const left = await returnLeft(deps, feed, send);
    if (left) return left;
    // its time has come, but its recipients are being checked
    const isLate = (send.send_at?.getTime() ?? 0) <= deps.clock.now();
    return isLate || !send.send_at ? { seconds: recheckSeconds } : { at: send.send_at };
  }
  return feedQueue(deps, feed, send);
}

/** Repeats a step until it finds less than `limit`, or the turn is over; returns whether more is left. */
async function inSteps(limit: number, step: () => Promise<number>): Promise<boolean> {
  for (let taken = 0; taken < stepsPerTurn; taken++) if ((await step()) < limit) return false;
  return true;
}

async function feedQueue(deps: FeedDeps, feed: Feed, send: SendRow): Promise<Next> {
  const found = await findRoom(deps.hot, feed, deps.queueLimit ?? limitOfSend);
  const changed = found.fits ? undefined : await findTemplate(deps.hot, feed.accountId, send.template_id);
  let { room } = found;
  for (let taken = 0; taken < stepsPerTurn && room > 0; taken++) {
    const wanted = Math.min(room, fedPerStep);
    const fed = changed ? await feedChecked(deps, send, changed, wanted) : await feedStep(deps, send, wanted);
    if (fed > 0) deps.nudgeDispatch();
    if (fed < wanted) return (await endFeed(deps.hot, feed)) ? 'ended' : { seconds: recheckSeconds };
    room -= fed;
  }
  if (room > 0) return { seconds: 0 };
  return (await endFeed(deps.hot, feed)) ? 'ended' : { seconds: recheckSeconds };
}

/** Moves recipients into the queue, and fails those who opted out, with their events, in one transaction. Returns how many moved. */
async function feedStep(deps: FeedDeps, send: SendRow, limit: number): Promise<number> {
  const { account_id: accountId, id: sendId } = send;
  const startMs = Date.now();
  const withIds = deps.tracing !== undefined && wasDraft(send);
  const { count, firstIds, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    const fed = await feedRecipients(tx, { accountId, sendId }, limit, withIds);
    const failures = fed.optedOut.map((id) => ({ accountId, id, error: ownErrors.optedOut }));
    if (failures.length === 0) return { ...fed, leasedDeliveries: [] };
    const moved = await failMessages(tx, sortById(failures), [state.queued]);
    const leasedDeliveries = await publish(deps, tx, statusEvents(moved, deps.clock.now()));
    return { ...fed, leasedDeliveries };
  });
  deps.deliveries.offer(leasedDeliveries);
  if (deps.tracing && count > 0) traceFeed(deps.tracing, sendId, { count, firstIds, startMs });
  return count;
}

/**
 * Returns queued messages of a paused or scheduled send; undefined: none is left. What is being dispatched may come back to the
 * queue, so it is awaited.
 */
async function returnLeft(deps: FeedDeps, feed: Feed, send: SendRow): Promise<Next | undefined> {
  if (await inSteps(returnedPerStep, () => returnMessages(deps.hot, feed, returnedPerStep)))
    return { seconds: 0 };
  return (await hasQueued(deps.db, send)) ? { seconds: recheckSeconds } : undefined;
}

async function returnQueued(deps: FeedDeps, feed: Feed, send: SendRow): Promise<Next> {
  const left = await returnLeft(deps, feed, send);
  if (left) return left;
  if (!(await hasKept(deps.db, send.id)) && (await endFeed(deps.hot, feed))) return 'ended';
  // nothing to do until it expires; a resumed send is due immediately
  return send.expires_at ? { at: send.expires_at } : { seconds: 3_600 };
}

async function endKept(deps: FeedDeps, feed: Feed): Promise<Next> {
  if (await inSteps(endedPerStep, () => endStep(deps, feed))) return { seconds: 0 };
  return (await endFeed(deps.hot, feed)) ? 'ended' : { seconds: recheckSeconds };
}

/** Fails recipients of a cancelled or expired send, with their events, in one transaction. */
async function endStep(deps: FeedDeps, send: SendKey): Promise<number> {
  const { count, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    const ended = await endRecipients(tx, send, endedPerStep);
    const failures = ended.map(({ accountId, id, error, cancelled_at }) => ({
      accountId,
      id,
      error: cancelled_at ? ownErrors.cancelled : expiredError(error),
    }));
    if (failures.length === 0) return { count: 0, leasedDeliveries: [] };
    const moved = await failMessages(tx, failures, [state.queued]);
    const leasedDeliveries = await publish(deps, tx, statusEvents(moved, deps.clock.now()));
    return { count: ended.length, leasedDeliveries };
  });
  deps.deliveries.offer(leasedDeliveries);
  return count;
}
