// The staff member that a request names.
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { staffNotFound } from './staff.ts';
import { findStaff, type StaffRow } from './store.ts';

/** Finds the account's staff member. Throws 404 `appointment_user_not_found`, also for a malformed id and a removed staff member. */
export async function requireStaff(db: Db, accountId: string, id: string): Promise<StaffRow> {
  const staff = isUuid(id) ? await findStaff(db, accountId, id) : undefined;
  if (!staff) throw staffNotFound();
  return staff;
}
