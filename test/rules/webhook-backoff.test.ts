// The retry schedule of deliveries: delays, jitter, and Retry-After.
import { describe, expect, it } from 'vitest';
import { longestRetryAfterMs, retryAfterMs, retryDelayMs, webhookSchedule } from '../../src/work/backoff.ts';
import { fc } from '../harness/property.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('the schedule of webhook deliveries', () => {
  it('is 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h: ten attempts over 75 h 35 m', () => {
    const middle = Array.from({ length: 10 }, (_, index) => retryDelayMs(webhookSchedule, index + 1, 0.5));
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hour);
    expect(middle).toEqual([5_000, 5 * minute, 30 * minute, ...hours, undefined]);
    const total = middle.reduce<number>((sum, delay) => sum + (delay ?? 0), 0);
    expect(total).toBe(75 * hour + 35 * minute + 5_000);
  });

  it('varies each delay by a tenth at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (tries, random) => {
          const delay = webhookSchedule.delaysMs[tries - 1] ?? 0;
          const chosen = retryDelayMs(webhookSchedule, tries, random) ?? 0;
          return chosen >= Math.floor(delay * 0.9) && chosen <= Math.ceil(delay * 1.1);
        },
      ),
    );
  });

  it('is spread by the random number, so that what failed together is not retried together', () => {
    expect([0, 0.5, 1].map((random) => retryDelayMs(webhookSchedule, 1, random))).toEqual([
      4_500, 5_000, 5_500,
    ]);
  });

  it('waits longer if the receiver asks for it, a day at most, and never less', () => {
    expect(retryDelayMs(webhookSchedule, 1, 0.5, 90_000)).toBe(90_000);
    expect(retryDelayMs(webhookSchedule, 1, 0.5, 1_000)).toBe(5_000);
    expect(retryDelayMs(webhookSchedule, 1, 0.5, 90 * hour)).toBe(longestRetryAfterMs);
    expect(retryDelayMs(webhookSchedule, 10, 0.5, 90_000)).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 2, 10, 14, 0, 0);

  it('is parsed as seconds or as a date', () => {
    expect(retryAfterMs('120', now)).toBe(120_000);
    expect(retryAfterMs(['7'], now)).toBe(7_000);
    expect(retryAfterMs('Tue, 10 Mar 2026 14:01:00 GMT', now)).toBe(60_000);
  });

  it('is a day at most', () => {
    expect(retryAfterMs('31536000', now)).toBe(longestRetryAfterMs);
    expect(retryAfterMs('Wed, 10 Mar 2027 14:00:00 GMT', now)).toBe(longestRetryAfterMs);
  });

  it('is ignored when missing, past or malformed', () => {
    for (const header of [undefined, '', '0', '-5', 'soon', 'Tue, 10 Mar 2026 13:00:00 GMT']) {
      expect(retryAfterMs(header, now)).toBeUndefined();
    }
  });
});
