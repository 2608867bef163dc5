// One template with everything that is shown of it alone: variables, inputs, and when it can be edited.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { listSenderLabels } from '../senders/store.ts';
import { inputsOf } from '../template-content/inputs.ts';
import { planOfRow } from '../template-content/placeholders.ts';
import { variablesOf } from '../template-content/variables.ts';
import { editability, type ReadsUnapproved } from './edit-rules.ts';
import { templateItem } from './presenter.ts';
import type { TemplateRow } from './store.ts';

/** The senders of the business accounts of these templates. */
export async function sendersFor(deps: { db: Db }, rows: TemplateRow[]) {
  return listSenderLabels(deps.db, {
    accountIds: [...new Set(rows.map((row) => row.account_id))],
    businessAccountIds: [...new Set(rows.flatMap((row) => row.business_account_id ?? []))],
  });
}

/** The template as its own operations return it. */
export async function templateDetail(
  deps: { db: Db; clock: Clock; platform: ReadsUnapproved },
  row: TemplateRow,
) {
  const plan = planOfRow(row);
  const { isEditable, at } = editability(deps.platform, row, deps.clock.now());
  return {
    ...templateItem(row, await sendersFor(deps, [row])),
    variables: variablesOf(plan),
    inputs: inputsOf(plan),
    isEditable,
    editableAt: at?.toISOString() ?? null,
    unsendableReason: plan.unsupported,
  };
}
