// A template as the API shows it. Pure.
import type { SenderLabel } from '../senders/store.ts';
import type { TemplateRow } from './store.ts';

/** The item of lists and details; `senders` are the candidates for its business account. */
export function templateItem(row: TemplateRow, senders: readonly SenderLabel[]) {
  return {
    _id: row.id,
    providerTemplateName: row.name,
    status: row.status,
    language: row.language,
    category: row.category,
    components: row.components,
    businessAccountId: row.business_account_id,
    senders: sendersOf(row, senders),
    providerTemplateId: row.provider_template_id,
    providerStatus: row.provider_status,
    qualityScore: row.quality_score,
    rejectedReason: row.rejected_reason,
    messageTtlSeconds: row.message_ttl_seconds,
    nextCategory:
      row.next_category === null
        ? null
        : { category: row.next_category, at: row.next_category_at?.toISOString() ?? null },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The senders that can send the template: those of its business account, in the given order. */
function sendersOf(row: TemplateRow, senders: readonly SenderLabel[]) {
  return senders
    .filter(
      (sender) =>
        sender.account_id === row.account_id && sender.business_account_id === row.business_account_id,
    )
    .map((sender) => ({
      _id: sender.id,
      name: sender.name,
      displayPhone: sender.display_phone,
      isDefault: sender.is_default,
    }));
}

/** A template before and after a change, and the platform's reason. */
export interface TemplateChange {
  before: TemplateRow;
  after: TemplateRow;
  reason: string | null;
}

/** True if the change needs a `templates.status` event. */
export function isReportable({ before, after }: Pick<TemplateChange, 'before' | 'after'>): boolean {
  return (
    before.status !== after.status ||
    before.provider_status !== after.provider_status ||
    before.category !== after.category ||
    before.quality_score !== after.quality_score
  );
}

/** The `data` of a `templates.status` event. */
export function templateChangeData(change: TemplateChange, senders: readonly SenderLabel[]) {
  const { before, after, reason } = change;
  return {
    ...templateItem(after, senders),
    previous: {
      status: before.status,
      providerStatus: before.provider_status,
      category: before.category,
      qualityScore: before.quality_score,
    },
    reason,
  };
}
