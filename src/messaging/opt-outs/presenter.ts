// Opt-outs as the API returns them. Pure.
import { uuidTime } from '../../base/uuid-time.ts';
import { type OptOutState, scopeNames, sourceNames } from './opt-out.ts';
import type { ListedOptOut } from './store.ts';

/** The item of lists (`contract/opt-outs.ts`). */
export function optOutItem(row: ListedOptOut) {
  return {
    _id: row.id,
    phone: row.phone,
    userId: row.user_id,
    scope: scopeNames[row.scope] ?? 'all',
    source: sourceNames[row.source],
    reason: row.reason,
    createdAt: uuidTime(row.id).toISOString(),
  };
}

/** The data of `contacts.opted_out` and `contacts.opted_in`. */
export function changeData({
  contact,
  phones,
  before,
  after,
  atMs,
}: {
  contact: { contactId: string; phone: string | null; userId: string | null };
  /** Every number of the contact. */
  phones: string[];
  before: Pick<OptOutState, 'scope'> | undefined;
  after: OptOutState;
  atMs: number;
}) {
  return {
    contactId: contact.contactId,
    phone: contact.phone,
    phones,
    userId: contact.userId,
    scope: scopeNames[after.scope],
    previousScope: scopeNames[before?.scope ?? 0],
    source: sourceNames[after.source],
    reason: after.reason,
    timestamp: Math.floor(atMs / 1000),
  };
}
