// The platform's reports of messages to ours: many callbacks in one transaction, forward only, each stage told once.
import type { Clock } from '../../base/clock.ts';
import { isUuid } from '../../base/ids.ts';
import type { StatusReport } from '../../ports/platform.ts';
import { type LeasedDelivery, type PublishDeps, publish } from '../../webhooks/publish.ts';
import { batch } from '../../work/batch.ts';
import type { CompletionWaiters } from './completion-waiters.ts';
import { foldReports, overtakenFailure } from './message.ts';
import {
  applyMoves,
  existingMessages,
  findByWamid,
  type MessageKey,
  type MovedMessage,
} from './messages-moves-store.ts';
import { type ReactDeps, reactToFailures } from './react-to-failures.ts';
import { statusEvents } from './status-events.ts';

export interface ApplyDeps extends PublishDeps, ReactDeps {
  clock: Clock;
  completions: CompletionWaiters;
}

/** The reports of one callback, each with the accounts that its number may belong to. */
export interface ReportsOfCallback {
  reports: { accountIds: string[]; report: StatusReport }[];
}

export interface Applied {
  /** Messages that moved. */
  moved: number;
  /** Reports of messages that are not ours. */
  unknown: number;
}

/** A lane that takes one callback's reports and resolves when they are committed; concurrent callbacks share commits. */
export type ApplyReports = (callback: ReportsOfCallback) => Promise<Applied>;

/** Opens the lane. */
export function openApplyReports(deps: ApplyDeps): ApplyReports {
  return batch<ReportsOfCallback, Applied>((callbacks) => applyBatch(deps, callbacks), {
    gapMs: 8,
    max: 200,
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
  const results = callbacks.map((): Applied => ({ moved: 0, unknown: 0 }));
  const messages = byMessage(await address(deps, callbacks, results));
  const movesOf = (fold: typeof foldReports | typeof overtakenFailure) =>
    messages.flatMap((message) => {
      const move = fold(message.accountId, message.id, message.reports);
      return move ? [{ message, move }] : [];
    });
  // a failure that gives way in the same batch is told first, as if the reports had come one by one
  const steps = [movesOf(overtakenFailure), movesOf(foldReports)].filter((step) => step.length > 0);
  if (steps.length === 0) return results;
  const { moved, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    const done: { moved: MovedMessage[]; leasedDeliveries: LeasedDelivery[] } = {
      moved: [],
      leasedDeliveries: [],
    };
    for (const step of steps) {
      const moved = await applyMoves(
        tx,
        step.map(({ move }) => move),
      );
      for (const { no } of moved) (step[no - 1] as (typeof step)[number]).message.hasMoved = true;
      done.moved.push(...moved);
      done.leasedDeliveries.push(...(await publish(deps, tx, statusEvents(moved, deps.clock.now()))));
    }
    return done;
  });
  deps.deliveries.offer(leasedDeliveries);
  await reactToFailures(deps, moved);
  for (const message of moved) deps.completions.completed(message);
  await countResults(deps, messages, results);
  return results;
}

/** The reports by message, in the order of the messages' ids: the order in which every statement locks them. */
function byMessage(addressed: Addressed[]): Reported[] {
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const messages: Reported[] = [];
  for (const { accountId, id, report, callback } of addressed.sort(
    (a, b) => compare(a.id, b.id) || compare(a.accountId, b.accountId),
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
 * Whose message each report is about. The platform echoes our id with every status; a number may be a sender of more
 * than one account, so an id is tried under each of them. Reports without an id of ours are met by the platform's.
 */
async function address(
  deps: ApplyDeps,
  callbacks: ReportsOfCallback[],
  results: Applied[],
): Promise<Addressed[]> {
  const all = callbacks.flatMap(({ reports }, callback) => reports.map((one) => ({ ...one, callback })));
  const addressed: Addressed[] = [];
  const strangers: typeof all = [];
  for (const one of all) {
    const { correlationId } = one.report;
    if (correlationId === null || !isUuid(correlationId)) strangers.push(one);
    else {
      const id = correlationId.toLowerCase();
      for (const accountId of one.accountIds)
        addressed.push({ accountId, id, report: one.report, callback: one.callback });
    }
  }
  if (strangers.length === 0) return addressed;
  const rows = await findByWamid(
    deps.hot,
    [...new Set(strangers.flatMap(({ accountIds }) => accountIds))],
    strangers.map(({ report }) => report.messageRef),
  );
  for (const { accountIds, report, callback } of strangers) {
    const row = rows.find(
      ({ wamid, account_id }) => wamid === report.messageRef && accountIds.includes(account_id),
    );
    if (row) addressed.push({ accountId: row.account_id, id: row.id, report, callback });
    else (results[callback] as Applied).unknown += 1;
  }
  return addressed;
}

/** Counts for each callback the messages that moved, and those that no account of its number has. */
async function countResults(deps: ApplyDeps, messages: Reported[], results: Applied[]): Promise<void> {
  const unmoved = messages.filter(({ hasMoved }) => !hasMoved);
  const existing = unmoved.length > 0 ? await existingMessages(deps.hot, unmoved) : new Set<string>();
  // neighbours with one id: it was tried under each account of its number, and what was found under one of them counts
  let tried: Reported[] = [];
  for (const [index, message] of messages.entries()) {
    tried.push(message);
    if (messages[index + 1]?.id === message.id) continue;
    const hasMoved = tried.some((one) => one.hasMoved);
    const callbacks = hasMoved || !existing.has(message.id) ? tried.flatMap((one) => one.callbacks) : [];
    for (const callback of new Set(callbacks))
      (results[callback] as Applied)[hasMoved ? 'moved' : 'unknown'] += 1;
    tried = [];
  }
}
