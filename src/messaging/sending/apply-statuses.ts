// The platform's reports of messages to ours: many callbacks in one transaction, forward only, each stage told once.
import type { Clock } from '../../base/clock.ts';
import { isUuid } from '../../base/ids.ts';
import type { StatusReport } from '../../ports/platform.ts';
import { type PublishDeps, publish, type StartableDelivery } from '../../webhooks/publish.ts';
import { batch } from '../../work/batch.ts';
import { eventsOf } from './events.ts';
import { type HeedDeps, heedReports } from './heed-reports.ts';
import { foldReports, type Move, overtakenFailure } from './message.ts';
import type { Outcomes } from './outcomes.ts';
import { applyMoves, existingMessages, findByWamid, type MovedMessage } from './store.ts';

export interface ApplyDeps extends PublishDeps, HeedDeps {
  clock: Clock;
  outcomes: Outcomes;
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
    key: ({ reports }) => reports[0]?.report.opaqueId ?? '',
  });
}

interface Addressed {
  accountId: string;
  id: string;
  report: StatusReport;
  callback: number;
}

async function applyBatch(deps: ApplyDeps, callbacks: ReportsOfCallback[]): Promise<Applied[]> {
  const results = callbacks.map((): Applied => ({ moved: 0, unknown: 0 }));
  const addressed = await address(deps, callbacks, results);
  const byMessage = Map.groupBy(addressed, ({ accountId, id }) => `${id} ${accountId}`);
  const foldsOf = (fold: typeof foldReports | typeof overtakenFailure): Move[] =>
    [...byMessage.values()]
      .map((group) => {
        const { accountId, id } = group[0] as Addressed;
        return fold(
          accountId,
          id,
          group.map(({ report }) => report),
        );
      })
      .filter((move) => move !== null)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  // a failure that gives way in the same batch is told first, as if the reports had come one by one
  const steps = [foldsOf(overtakenFailure), foldsOf(foldReports)].filter((moves) => moves.length > 0);
  if (steps.length === 0) return results;
  const { moved, startable } = await deps.hot.transaction().execute(async (tx) => {
    const done: { moved: MovedMessage[]; startable: StartableDelivery[] } = { moved: [], startable: [] };
    for (const moves of steps) {
      const moved = await applyMoves(tx, moves);
      done.moved.push(...moved);
      done.startable.push(...(await publish(deps, tx, eventsOf(moved, deps.clock.now()))));
    }
    return done;
  });
  deps.deliveries.offer(startable);
  await heedReports(deps, moved);
  for (const message of moved) deps.outcomes.settled(message);
  await countResults(deps, addressed, new Set(moved.map((message) => message.id)), results);
  return results;
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
    const { opaqueId } = one.report;
    if (opaqueId === null || !isUuid(opaqueId)) strangers.push(one);
    else {
      const id = opaqueId.toLowerCase();
      for (const accountId of one.accountIds)
        addressed.push({ accountId, id, report: one.report, callback: one.callback });
    }
  }
  if (strangers.length === 0) return addressed;
  const rows = await findByWamid(
    deps.hot,
    [...new Set(strangers.flatMap(({ accountIds }) => accountIds))],
    strangers.map(({ report }) => report.wamid),
  );
  for (const { accountIds, report, callback } of strangers) {
    const row = rows.find(
      ({ wamid, account_id }) => wamid === report.wamid && accountIds.includes(account_id),
    );
    if (row) addressed.push({ accountId: row.account_id, id: row.id, report, callback });
    else (results[callback] as Applied).unknown += 1;
  }
  return addressed;
}

async function countResults(
  deps: ApplyDeps,
  addressed: Addressed[],
  moved: Set<string>,
  results: Applied[],
): Promise<void> {
  const unmoved = addressed.filter(({ id }) => !moved.has(id));
  const existing = unmoved.length > 0 ? await existingMessages(deps.hot, unmoved) : new Set<string>();
  const counted = new Set<string>();
  for (const { id, callback } of addressed) {
    const once = `${callback} ${id}`;
    if (counted.has(once)) continue;
    counted.add(once);
    const result = results[callback] as Applied;
    if (moved.has(id)) result.moved += 1;
    else if (!existing.has(id)) result.unknown += 1;
  }
}
