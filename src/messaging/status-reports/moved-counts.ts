// The counts that change when reports move messages. Pure.
import type { CountChange } from '../../statistics/count-store.ts';
import { measure } from '../../statistics/measures.ts';
import { newStages } from '../messages/message.ts';
import type { ReportedMove } from '../messages/moves-store.ts';

const quarterSeconds = 15 * 60;

/**
 * The changes by the stages that the messages reached, each at its own time, one for each group and quarter hour. A failure that
 * the report replaced is taken back at the time at which it had been counted.
 */
export function movedChanges(moved: readonly ReportedMove[]): CountChange[] {
  const changes = new Map<string, CountChange>();
  const add = (row: ReportedMove, measure: number, seconds: number, amount: 1 | -1) => {
    const at = Math.floor(seconds / quarterSeconds) * quarterSeconds;
    const key = `${row.sender_id} ${row.template_id} ${row.priority} ${measure} ${at}`;
    const known = changes.get(key);
    if (known) known.amount += amount;
    else
      changes.set(key, {
        ...{ accountId: row.account_id, subjectId: row.sender_id, templateId: row.template_id },
        ...{ at, measure, amount, class: row.template_id === null ? null : row.priority },
      });
  };
  for (const row of moved) {
    for (const { name, at } of newStages({
      ...{ was: row.was, emitted: row.emitted, failedAt: null },
      ...{ sentAt: row.sent_at, deliveredAt: row.delivered_at, readAt: row.read_at },
    }))
      add(row, measure[name], at, 1);
    if (row.failed_at !== null && row.was_failed_at === null) add(row, measure.failed, row.failed_at, 1);
    if (row.failed_at === null && row.was_failed_at !== null) add(row, measure.failed, row.was_failed_at, -1);
  }
  return [...changes.values()];
}
