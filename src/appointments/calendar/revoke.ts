// Revokes the authorization of a connection that was removed or replaced.
import { type CalendarDeps, liveConnection } from './connection.ts';
import { type ConnectionRow, isAccountShared } from './connections-store.ts';

const callLimits = { timeoutMs: 5_000 };

/**
 * Revokes it after the change was committed, unless another connection uses the same account: revoking ends every connection of
 * that account. Never fails: the person can also revoke at the provider.
 */
export async function revokeUnused(deps: CalendarDeps, row: ConnectionRow): Promise<void> {
  try {
    const live = liveConnection(deps, row);
    if (!live || (await isAccountShared(deps.db, row))) return;
    await live.calendar.disconnect(live.credential, callLimits);
  } catch (error) {
    const { staff_id: staffId, id: connectionId } = row;
    deps.log.warn({ err: error, staffId, connectionId }, 'calendar.revoke_failed');
  }
}
