// What is counted, and the classes of durations. Pure.

/** Values of the column `statistics_changes.measure`. */
export const measure = {
  queued: 0,
  accepted: 1,
  sent: 2,
  delivered: 3,
  read: 4,
  failed: 5,
  /** A part of `failed`. */
  optedOut: 6,
  /** Attempts of deliveries; the class is that of the duration. */
  attemptDelivered: 10,
  attemptFailed: 11,
  deliveryDead: 12,
  booked: 20,
  rescheduled: 21,
  cancelled: 22,
} as const;

/** The last measure of messages, and the last one of deliveries; the others are those of bookings. */
export const lastMeasure = { messages: 9, deliveries: 19 } as const;

/** Each class of durations is this much wider than the one before it, so that no percentile is off by more than 10 %. */
export const classRatio = 1.1;

/** The class of durations of 0 ms. */
export const zeroClass = -1;

/** The whole milliseconds in the middle of a class of durations. */
export function durationOf(durationClass: number): number {
  if (durationClass === zeroClass) return 0;
  const least = Math.ceil(classRatio ** durationClass - 1e-6);
  const most = Math.max(least, Math.ceil(classRatio ** (durationClass + 1) - 1e-6) - 1);
  return Math.round(Math.sqrt(least * most));
}
