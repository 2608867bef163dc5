// Contacts as the API returns them. Pure.
import type { ContactRow } from './contacts-store.ts';

/** How long after their last message a person can be answered without a template. */
export const windowMs = 24 * 3_600_000;

const optOutNames = [null, 'marketing', 'all'] as const;

/** The item of lists (`contract/received.ts`); windows that have closed are left out. */
export function contactItem(row: ContactRow, nowMs: number) {
  const windows = row.windows.map(({ senderId, lastReceivedAt }) => ({
    senderId,
    closesAtMs: Date.parse(lastReceivedAt) + windowMs,
  }));
  return {
    _id: row.id,
    phone: row.phone,
    userId: row.user_id,
    name: row.name,
    lastReceivedAt: row.last_received_at?.toISOString() ?? null,
    windows: windows
      .filter(({ closesAtMs }) => closesAtMs > nowMs)
      .map(({ senderId, closesAtMs }) => ({ senderId, closesAt: new Date(closesAtMs).toISOString() })),
    optOut: optOutNames[row.opt_out] ?? null,
  };
}
