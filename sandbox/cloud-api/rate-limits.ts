// The platform's rate limits: a number's throughput (130429), the pair rate (131056), and calls about templates (80008).
import { rejection, rejectionWith } from './errors.ts';

export interface RateLimits {
  /** Counts one call of this number; throws above `perSecond` (0: unlimited). */
  throughput(phoneNumberId: string, perSecond: number): void;
  /** Counts messages to this number: its throughput is that of both directions. */
  received(phoneNumberId: string, perSecond: number, count: number): void;
  /** Counts one message of this pair; throws above 1 per 6 s with a burst of 45. */
  pair(phoneNumberId: string, waId: string): void;
  /** Counts one call about the templates of a business account; throws above `perHour`. */
  templates(wabaId: string, perHour: number): void;
}

const hourMs = 3_600_000;

/** The limits of all numbers; `nowMs` is a monotonic clock. */
export function rateLimits(nowMs: () => number = () => performance.now()): RateLimits {
  const buckets = new Map<string, { left: number; at: number }>();
  const pairs = new Map<string, number>();
  const hours = new Map<string, { calls: number; endsAt: number }>();
  /** The bucket of a number, refilled. It holds one second's worth, so that jitter does not reject a caller who keeps the rate. */
  const bucketOf = (id: string, perSecond: number) => {
    const now = nowMs();
    const bucket = buckets.get(id) ?? { left: perSecond, at: now };
    buckets.set(id, bucket);
    bucket.left = Math.min(perSecond, bucket.left + ((now - bucket.at) * perSecond) / 1000);
    bucket.at = now;
    return bucket;
  };
  return {
    received(id, perSecond, count) {
      if (perSecond === 0) return;
      const bucket = bucketOf(id, perSecond);
      bucket.left = Math.max(0, bucket.left - count);
    },
    templates(id, perHour) {
      const now = nowMs();
      const known = hours.get(id);
      const hour = known && known.endsAt > now ? known : { calls: 0, endsAt: now + hourMs };
      hours.set(id, hour);
      hour.calls++;
      if (hour.calls <= perHour) return;
      const estimated_time_to_regain_access = Math.ceil((hour.endsAt - now) / 60_000);
      const usage = { [id]: [{ type: 'whatsapp', call_count: 100, estimated_time_to_regain_access }] };
      throw rejectionWith(80008, {
        headers: { 'x-business-use-case-usage': JSON.stringify(usage) },
        details:
          'There have been too many calls to this WhatsApp Business account. Wait a bit and try again.',
      });
    },
    throughput(id, perSecond) {
      if (perSecond === 0) return;
      const bucket = bucketOf(id, perSecond);
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
