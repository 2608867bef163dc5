// The platform's rate limits: a number's throughput (130429) and, if enabled, the pair rate (131056).
import { rejection } from './errors.ts';

export interface RateLimits {
  /** Counts one call of this number; throws above `perSecond` (0: unlimited). */
  throughput(phoneNumberId: string, perSecond: number): void;
  /** Counts one message of this pair; throws above 1 per 6 s with a burst of 45. */
  pair(phoneNumberId: string, waId: string): void;
}

/** The limits of all numbers; `nowMs` is a monotonic clock. */
export function rateLimits(nowMs: () => number = () => performance.now()): RateLimits {
  const buckets = new Map<string, { left: number; at: number }>();
  const pairs = new Map<string, number>();
  return {
    throughput(id, perSecond) {
      if (perSecond === 0) return;
      const now = nowMs();
      // The bucket holds one second's worth, so that jitter does not reject a caller who keeps the rate.
      const bucket = buckets.get(id) ?? { left: perSecond, at: now };
      buckets.set(id, bucket);
      bucket.left = Math.min(perSecond, bucket.left + ((now - bucket.at) * perSecond) / 1000);
      bucket.at = now;
      if (bucket.left < 1) {
        const why =
          'Message failed to send because there were too many messages sent from this phone number in a short period of time';
        throw rejection(130429, why);
      }
      bucket.left--;
    },
    pair(id, waId) {
      const now = nowMs();
      const key = `${id} ${waId}`;
      const dueAt = Math.max(now, pairs.get(key) ?? 0);
      if (dueAt - now > 44 * 6000)
        throw rejection(
          131056,
          'Too many messages were sent from this phone number to this recipient in a short period of time',
        );
      pairs.set(key, dueAt + 6000);
      if (pairs.size > 100_000) for (const [k, at] of pairs) if (at < now) pairs.delete(k);
    },
  };
}
