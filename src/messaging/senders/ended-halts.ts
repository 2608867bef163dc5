// The end of halts whose reason the platform lifts by itself. Pure.
import type { MessagingPlatform, PlatformRejection } from '../../ports/platform.ts';
import type { PhoneNumber } from '../../ports/platform-number.ts';
import type { SenderRow } from './store.ts';

/** Each attempt costs a rejected call and two events, so a halt lasts at least this long. */
const leastMs = 30 * 60_000;

/** True if a halted sender may be tried again: the reason is temporary, and the number, as it was read at `nowMs`, can send. */
export function hasHaltEnded(
  platform: Pick<MessagingPlatform, 'isTemporary'>,
  { halted_at: at, halted_error: error }: Pick<SenderRow, 'halted_at' | 'halted_error'>,
  number: PhoneNumber | undefined,
  nowMs: number,
): boolean {
  if (at === null || number?.isRegistered !== true || number.health?.canSend === 'blocked') return false;
  const rejection = { code: undefined, ...(error as Partial<PlatformRejection> | null) };
  return nowMs - at.getTime() >= leastMs && platform.isTemporary(rejection);
}
