// Application of the platform's status reports: many callbacks in one transaction, forward only, each stage published once.
import type { Clock } from '../../base/clock.ts';
import { compareTexts } from '../../base/compare-texts.ts';
import { isUuid } from '../../base/ids.ts';
import type { Metrics } from '../../base/metrics.ts';
import { minimumDays } from '../../base/retention-days.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import type { StatusReport } from '../../ports/platform.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { type LeasedDelivery, type PublishDeps, publish } from '../../webhooks/publish.ts';
import { batch } from '../../work/batch.ts';
import type { CompletionWaiters } from '../messages/completion-waiters.ts';
import { foldReports, type MessageKey, type Move, overtakenFailure } from '../messages/message.ts';
import { applyMoves, type ReportedMove, recordPrices } from '../messages/moves-store.ts';
import { statusEvents } from '../messages/status-events.ts';
import { existingMessages, findByMessageRef } from '../messages/store.ts';
import { traceCallback } from '../messages/traced-steps.ts';
import { type PersonAct, recordPersonActs } from '../opt-outs/change.ts';
import { movedChanges } from './moved-counts.ts';
import { type ReactDeps, reactToFailures, reportedOptOuts } from './react-to-failures.ts';

export interface ApplyDeps extends PublishDeps, ReactDeps {
  /** Where spans are recorded, if traces are on. */
  tracing?: Tracing | undefined;
  clock: Clock;
  metrics: Pick<Metrics, 'batchItems'>;
  completions: CompletionWaiters;
}

/** The reports of one callback, each with the accounts whose sender has its phone number. */
export interface ReportsOfCallback {
  /** When it arrived, in milliseconds of `machineMs`. */
  arrivedAtMs: number;
  reports: { accountIds: string[]; report: StatusReport }[];
}

export interface Applied {
  /** Messages that moved. */
  moved: number;
  /** Reports about unknown messages. */
  unknown: number;
  /** Reports about messages that are not there, and old enough to have been removed. */
  removed: number;
}

/** Applies one callback's reports and resolves after their commit; concurrent callbacks share a commit. */
export type ApplyReports = (callback: ReportsOfCallback) => Promise<Applied>;

/** Opens the batch of this process. */
export function openApplyReports(deps: ApplyDeps): ApplyReports {
  return batch<ReportsOfCallback, Applied>((callbacks) => applyBatch(deps, callbacks), {
    gapMs: 8,
    gapPerItemMs: 1,
    turns: 2,
    max: 200,
    onRun: (items) => deps.metrics.batchItems.observe({ batch: 'statuses' }, items),
    key: ({ reports }) => reports[0]?.report.correlationId ?? '',
  });
}

interface Addressed {
  accountId: string;
  id: string;
  report: StatusReport;
  callback: number;
}

/** All reports of one message of one account. */
interface Reported extends MessageKey {
  reports: StatusReport[];
  callbacks: number[];
  hasMoved: boolean;
}

async function applyBatch(deps: ApplyDeps, callbacks: ReportsOfCallback[]): Promise<Applied[]> {
  const results = callbacks.map((): Applied => ({ moved: 0, unknown: 0, removed: 0 }));
  const messages = byMessage(await findMessages(deps, callbacks, results));
  const movesOf = (fold: typeof foldReports | typeof overtakenFailure) =>
    messages.flatMap((message) => {
      const move = fold(message.accountId, message.id, message.reports);
      return move ? [{ message, move }] : [];
    });
  const moves = movesOf(foldReports);
  // publishes an overtaken failure first, as if the reports had come one by one
  const steps = [movesOf(overtakenFailure), moves].filter((step) => step.length > 0);
  if (steps.length === 0) return results;
  const { moved, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    const done: { moved: ReportedMove[]; leasedDeliveries: LeasedDelivery[] } = {
      moved: [],
      leasedDeliveries: [],
    };
    let optOuts: PersonAct[] = [];
    for (const step of steps) {
      const moved = await applyMoves(
        tx,
        step.map(({ move }) => move),
      );
      for (const { no } of moved) (step[no - 1] as (typeof step)[number]).message.hasMoved = true;
      done.moved.push(...moved);
      const events = statusEvents(moved, deps.clock.now());
      optOuts = reportedOptOuts(deps, done.moved);
      const isLast = step === steps.at(-1) && optOuts.length === 0;
      done.leasedDeliveries.push(...(await publish(deps, tx, events, movedChanges(moved), isLast)));
    }
    if (optOuts.length === 0) return done;
    const { events } = await recordPersonActs(tx, optOuts, deps.clock.now());
    done.leasedDeliveries.push(...(await publish(deps, tx, events)));
    return done;
  });
  noteArrivals(leasedDeliveries, messages, callbacks);
  for (const { id, hasMoved, reports, callbacks: of } of deps.tracing ? messages : [])
    if (deps.tracing && hasMoved) traceCallback(deps.tracing, id, reports, arrivalOf(of, callbacks));
  deps.deliveries.offer(leasedDeliveries);
  await reactToFailures(deps, moved);
  for (const message of moved) deps.completions.completed(message);
  const late = moves.flatMap(({ message, move }) => (!message.hasMoved && hasPrice(move) ? [move] : []));
  if (late.length > 0) await recordPrices(deps.hot, late);
  await countResults(deps, messages, results);
  return results;
}

const hasPrice = ({ priceCategory, billable }: Move): boolean => priceCategory !== null || billable !== null;

/** When the first of these callbacks arrived. */
const arrivalOf = (indexes: readonly number[], callbacks: readonly ReportsOfCallback[]): number =>
  Math.min(...indexes.map((index) => (callbacks[index] as ReportsOfCallback).arrivedAtMs));

/** Notes in each delivery when the first callback about its message arrived, for metrics. */
function noteArrivals(
  deliveries: readonly LeasedDelivery[],
  messages: readonly Reported[],
  callbacks: readonly ReportsOfCallback[],
): void {
  const arrivals = new Map(messages.map(({ id, callbacks: of }) => [id, arrivalOf(of, callbacks)]));
  for (const first of deliveries)
    for (const delivery of [first, ...(first.laterStages ?? [])])
      delivery.causedAtMs = arrivals.get(delivery.subjectId);
}

/** Groups the reports by message, sorted by id: the order in which every statement locks its rows. */
function byMessage(addressed: Addressed[]): Reported[] {
  const messages: Reported[] = [];
  for (const { accountId, id, report, callback } of addressed.sort(
    (a, b) => compareTexts(a.id, b.id) || compareTexts(a.accountId, b.accountId),
  )) {
    const last = messages.at(-1);
    if (last && last.id === id && last.accountId === accountId) {
      last.reports.push(report);
      last.callbacks.push(callback);
    } else messages.push({ accountId, id, reports: [report], callbacks: [callback], hasMoved: false });
  }
  return messages;
}

/**
 * Finds the message of each report. The platform returns our id with every status. A phone number may belong to several
 * accounts, so the id is tried under each. Reports without our id are found by the platform's reference.
 */
async function findMessages(
  deps: ApplyDeps,
  callbacks: ReportsOfCallback[],
  results: Applied[],
): Promise<Addressed[]> {
  const all = callbacks.flatMap(({ reports }, callback) => reports.map((one) => ({ ...one, callback })));
  const addressed: Addressed[] = [];
  const withoutId: typeof all = [];
  for (const one of all) {
    const { correlationId } = one.report;
    if (correlationId === null || !isUuid(correlationId)) withoutId.push(one);
    else {
      const id = correlationId.toLowerCase();
      for (const accountId of one.accountIds)
        addressed.push({ accountId, id, report: one.report, callback: one.callback });
    }
  }
  if (withoutId.length === 0) return addressed;
  const rows = await findByMessageRef(
    deps.hot,
    [...new Set(withoutId.flatMap(({ accountIds }) => accountIds))],
    withoutId.map(({ report }) => report.messageRef),
  );
  for (const { accountIds, report, callback } of withoutId) {
    const row = rows.find(
      ({ wamid, account_id }) => wamid === report.messageRef && accountIds.includes(account_id),
    );
    if (row) addressed.push({ accountId: row.account_id, id: row.id, report, callback });
    else (results[callback] as Applied).unknown += 1;
  }
  return addressed;
}

const dayMs = 86_400_000;

/** Counts for each callback the messages that moved, and those that are not there. */
async function countResults(deps: ApplyDeps, messages: Reported[], results: Applied[]): Promise<void> {
  const oldest = deps.clock.now() - minimumDays.messages * dayMs;
  const unmoved = messages.filter(({ hasMoved }) => !hasMoved);
  const existing = unmoved.length > 0 ? await existingMessages(deps.hot, unmoved) : new Set<string>();
  // consecutive entries with the same id are one message, looked up in several accounts; it is known if one has it
  let tried: Reported[] = [];
  for (const [index, message] of messages.entries()) {
    tried.push(message);
    if (messages[index + 1]?.id === message.id) continue;
    const hasMoved = tried.some((one) => one.hasMoved);
    const callbacks = hasMoved || !existing.has(message.id) ? tried.flatMap((one) => one.callbacks) : [];
    const missing = uuidTime(message.id).getTime() < oldest ? 'removed' : 'unknown';
    for (const callback of new Set(callbacks))
      (results[callback] as Applied)[hasMoved ? 'moved' : missing] += 1;
    tried = [];
  }
}
