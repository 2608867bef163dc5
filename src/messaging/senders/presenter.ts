// How senders and their checks appear in responses and webhook events. Pure.
import type { SenderCheck, SenderItem } from '../../contract/senders.ts';
import type { ShownPace } from './paces-store.ts';
import type { SenderStateRow } from './states-store.ts';
import type { SenderRow } from './store.ts';
import type { StoredCheck } from './stored-checks.ts';
import type { ReadingRow } from './template-readings-store.ts';

/** A sender's callback address. */
export const callbackUrlOf = (publicUrl: string, senderId: string): string =>
  `${callbackBaseOf(publicUrl)}${senderId}`;

/** Where the callback addresses of all senders start. */
export const callbackBaseOf = (publicUrl: string): string => `${publicUrl}/callbacks/messaging/`;

/** The platform's code of a stored error, if it is a number. */
export function codeOf(error: unknown): number | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' && Number.isInteger(code) ? code : null;
}

/** A sender in responses and events. */
export function senderItem(
  row: SenderRow,
  of: {
    state: SenderStateRow | undefined;
    reading: ReadingRow | undefined;
    pace: ShownPace | undefined;
    publicUrl: string;
  },
): SenderItem {
  const { state, reading, pace } = of;
  return {
    _id: row.id,
    name: row.name,
    phoneNumberId: row.phone_number_id,
    businessAccountId: row.business_account_id,
    displayPhone: row.display_phone,
    verifiedName: state?.verified_name ?? null,
    apiUrl: row.api_url,
    messagesPerSecond: row.follows_throughput ? null : row.messages_per_second,
    effectiveMessagesPerSecond: row.messages_per_second,
    pace: {
      allowed: pace?.allowed ?? row.messages_per_second,
      throttledUntil: pace?.throttledUntil?.toISOString() ?? null,
      code: pace?.code ?? null,
    },
    throughput: state?.throughput ?? null,
    qualityRating: state?.quality_rating ?? null,
    messagingLimit: state?.messaging_limit ?? null,
    isDefault: row.is_default,
    status: row.halted_at ? 'halted' : 'active',
    haltedScope: row.halted_at && (row.halt_spares_replies ? 'templates' : 'all'),
    haltedReason: row.halted_reason,
    haltedCode: codeOf(row.halted_error),
    haltedAt: row.halted_at?.toISOString() ?? null,
    lastCallbackAt: state?.last_callback_at?.toISOString() ?? null,
    callbackUrl: callbackUrlOf(of.publicUrl, row.id),
    templatesSyncedAt: reading?.read_at?.toISOString() ?? null,
    templatesSyncFailure: reading?.failure ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

/** A check in responses. */
export const checkItem = ({ name, status, detail, fix, checkedAt }: StoredCheck): SenderCheck => ({
  name,
  status,
  detail,
  fix,
  checkedAt,
});
