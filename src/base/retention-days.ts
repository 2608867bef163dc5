// The settings RETENTION_DAYS_*: what is removed when it ended so many days ago. Pure.

export const retentionKinds = ['messages', 'received', 'deliveries', 'bookings', 'audit'] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** Days by kind; null: kept for ever. */
export type RetentionDays = Record<RetentionKind, number | null>;

/**
 * The fewest days that are allowed. Messages: the platform reports about one for 30 days. Received: it repeats its callbacks for 7
 * days, and a repeat must meet the message. Deliveries: the schedule of retries lasts 75 h.
 */
export const minimumDays: Record<RetentionKind, number> = {
  messages: 31,
  received: 8,
  deliveries: 5,
  bookings: 1,
  audit: 90,
};
const maximumDays = 36_500;

const defaultDays: RetentionDays = {
  messages: null,
  received: 30,
  deliveries: 90,
  bookings: null,
  audit: 400,
};

const what: Record<RetentionKind, string> = {
  messages: 'Days for which messages are kept after their last stage',
  received: 'Days for which received messages are kept',
  deliveries: 'Days for which webhook deliveries are kept after they ended, but no longer than messages',
  bookings: 'Days for which bookings are kept after the appointment',
  audit: 'Days for which the audit log is kept',
};

const nameOf = (kind: RetentionKind) => `RETENTION_DAYS_${kind.toUpperCase()}`;

/** The settings with their descriptions. */
export const retentionSettings: Record<string, string> = Object.fromEntries(
  retentionKinds.map((kind) => [
    nameOf(kind),
    `${what[kind]}, at least ${minimumDays[kind]}; empty: for ever. Default ${defaultDays[kind] ?? 'none'}.`,
  ]),
);

/** The number that decimal digits stand for, else NaN: JavaScript would also read 0x50 and 1e3 as numbers. */
export const wholeNumberIn = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

/** Reads one of these settings. An unset variable has its default, an empty one is for ever. Adds to `problems` what is not allowed. */
export function readDays(name: string, text: string | undefined, problems: string[]): number | null {
  const kind = retentionKinds.find((one) => nameOf(one) === name) as RetentionKind;
  if (text === undefined) return defaultDays[kind];
  if (text === '') return null;
  const days = wholeNumberIn(text);
  if (days >= minimumDays[kind] && days <= maximumDays) return days;
  problems.push(
    `${name} must be a whole number of days from ${minimumDays[kind]} to ${maximumDays}, or empty to keep for ever, not "${text}".`,
  );
  return null;
}

const fewer = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/**
 * The days that apply to an account: its own if they are fewer than the gateway's. Deliveries are kept no longer than messages,
 * because their bodies are made from them.
 */
export function effectiveDays(gateway: RetentionDays, own: RetentionDays): RetentionDays {
  const days = Object.fromEntries(
    retentionKinds.map((kind) => [kind, fewer(gateway[kind], own[kind])]),
  ) as RetentionDays;
  return { ...days, deliveries: fewer(days.deliveries, days.messages) };
}

/** An account without days of its own. */
export const noDays: RetentionDays = {
  messages: null,
  received: null,
  deliveries: null,
  bookings: null,
  audit: null,
};
