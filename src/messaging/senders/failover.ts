// Calls that any of several numbers can make: the preferred number first, another one while it is away.
import { VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { type AccessDeps, senderAccess } from './access.ts';
import type { SenderRow } from './store.ts';

/** At most so many numbers are tried for one call, so that its caller does not wait for all of an account's. */
const attemptsMax = 3;

/** Statuses by which a refusal is about the number's access or the server behind its address, not about what was asked. */
const unavailableStatuses = new Set([401, 403, 407, 408, 429]);

/** True if another number may be better off: this one was not reached, or its token or address does not work. */
export function isUnavailable(error: unknown): error is VendorError {
  if (!(error instanceof VendorError)) return false;
  if (error.outcome !== 'refused') return true;
  return error.status !== undefined && (unavailableStatuses.has(error.status) || error.status >= 500);
}

/**
 * Makes a call in the name of the first of these numbers that is not away, three at most; numbers at an address that
 * was not reached are left out. `isRepeatable`: the call may be repeated although its outcome is unknown. Throws what
 * the first number's call threw if none succeeds, and at once what is no number's fault.
 */
export async function callWithFailover<T>(
  deps: AccessDeps & { log: Log },
  senders: readonly SenderRow[],
  call: (sender: SenderAccess) => Promise<T>,
  { isRepeatable }: { isRepeatable: boolean },
): Promise<{ answer: T; sender: SenderAccess }> {
  const unreached = new Set<string>();
  let [tried, first]: [number, unknown] = [0, undefined];
  for (const row of senders) {
    const sender = senderAccess(deps, row);
    if (tried === attemptsMax) break;
    if (unreached.has(sender.apiUrl)) continue;
    tried += 1;
    try {
      return { answer: await call(sender), sender };
    } catch (error) {
      first ??= error;
      if (!isUnavailable(error) || (error.outcome === 'unknown' && !isRepeatable)) throw error;
      if (error.outcome !== 'refused') unreached.add(sender.apiUrl);
      deps.log.warn({ err: error, senderId: row.id }, 'sender.away');
    }
  }
  throw first;
}
