// Failover between senders: another one makes the call while the preferred one is unavailable.
import { VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { type AccessDeps, senderAccess } from './access.ts';
import type { SenderRow } from './store.ts';

/** Senders tried for one call, so that its caller does not wait for all senders of an account. */
const attemptsMax = 3;

/** Statuses of rejections that concern the sender's access or its server, not the request. */
const unavailableStatuses = new Set([401, 403, 407, 408, 429]);

/** True if another sender may succeed: this one was not reached, or its token or address does not work. */
function isUnavailable(error: unknown): error is VendorError {
  if (!(error instanceof VendorError)) return false;
  if (error.outcome !== 'rejected') return true;
  return error.status !== undefined && (unavailableStatuses.has(error.status) || error.status >= 500);
}

/**
 * Makes a call with the first available sender. Tries at most three and skips those at an address that was not reached.
 * `isRepeatable`: the call may be repeated after an unknown outcome. If all fail, throws the first sender's error; throws
 * an error that concerns the request itself immediately.
 */
export async function callWithFailover<T>(
  deps: AccessDeps & { log: Log },
  senders: readonly SenderRow[],
  call: (sender: SenderAccess) => Promise<T>,
  { isRepeatable }: { isRepeatable: boolean },
): Promise<{ result: T; sender: SenderAccess }> {
  const unreached = new Set<string>();
  let [attempts, first]: [number, unknown] = [0, undefined];
  for (const row of senders) {
    const sender = senderAccess(deps, row);
    if (attempts === attemptsMax) break;
    if (unreached.has(sender.apiUrl)) continue;
    attempts += 1;
    try {
      return { result: await call(sender), sender };
    } catch (error) {
      first ??= error;
      if (!isUnavailable(error) || (error.outcome === 'unknown' && !isRepeatable)) throw error;
      if (error.outcome !== 'rejected') unreached.add(sender.apiUrl);
      deps.log.warn({ err: error, senderId: row.id }, 'sender.unavailable');
    }
  }
  throw first;
}
