// Notices about business accounts and their numbers (Cloud API, "Webhooks": the fields of `whatsapp_business_account`). Pure.
import type { AccountNotice } from '../../ports/platform-number.ts';
import { isObject, type Json, storableText, textOf } from './json.ts';

/** The fields that say what may send, how much, and who changed that. */
const kinds = new Set([
  ...['account_update', 'account_alerts', 'account_review_update', 'business_capability_update'],
  ...['phone_number_quality_update', 'phone_number_name_update', 'security'],
]);

/**
 * Reads a notice; undefined for another field. Notices of partners name the business account in `waba_info`: the entry has the id
 * of a portfolio.
 */
export function noticeIn(field: string, value: Json, entry: Json): AccountNotice | undefined {
  if (!kinds.has(field)) return undefined;
  const named = isObject(value.waba_info) ? textOf(value.waba_info.waba_id) : undefined;
  return {
    businessAccountId: named ?? textOf(entry.id) ?? '',
    kind: field,
    content: storableText(JSON.stringify(value)) ?? '',
  };
}
