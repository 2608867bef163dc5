// Cases for the slots engine in short form: zone, date, opening hours and busy times in, clock times of slots out.
import { candidateStarts, freeStarts, slotsAt, type Terms } from '../../src/appointments/slots/engine.ts';
import { type ClockWindow, hoursOf, weekdays } from '../../src/appointments/slots/opening-hours.ts';
import { dayOfDate } from '../../src/appointments/slots/wall-time.ts';

export interface Case {
  zone: string;
  date: string;
  /** Windows of every day of the week, as `09:00-12:00`; empty: closed. */
  weekly: string[];
  overrides?: { date: string; windows: string[] }[];
  minutes: number;
  step?: number;
  before?: number;
  after?: number;
  notice?: number;
  now?: string;
  windowDays?: number;
  limit?: number;
  /** RFC 3339 intervals `from/to`. */
  busy?: string[];
  booked?: string[];
  requestedZone?: string;
}

const windowOf = (text: string): ClockWindow => ({ from: text.slice(0, 5), to: text.slice(6) });

/** The opening hours of a case's staff member. */
export function termsOf(given: Case): Terms {
  return {
    timezone: given.zone,
    slotMinutes: given.minutes,
    slotStepMinutes: given.step ?? given.minutes,
    bufferBeforeMinutes: given.before ?? 0,
    bufferAfterMinutes: given.after ?? 0,
    minimumNoticeMinutes: given.notice ?? 0,
    bookingWindowDays: given.windowDays ?? 60,
    dailyLimit: given.limit ?? null,
    hours: hoursOf(
      weekdays.flatMap((weekday) => given.weekly.map((text) => ({ weekday, ...windowOf(text) }))),
      (given.overrides ?? []).map(({ date, windows }) => ({ date, windows: windows.map(windowOf) })),
    ),
  };
}

/** The free slots of a case; without `now`, three days before its date. */
export function slots(given: Case) {
  const terms = termsOf(given);
  const day = dayOfDate(given.date) ?? Number.NaN;
  const now = Date.parse(given.now ?? `${given.date}T00:00:00Z`) - (given.now ? 0 : 3 * 86_400_000);
  const timezone = given.requestedZone ?? given.zone;
  const starts = freeStarts(terms, candidateStarts(terms, { day, timezone, now }), {
    busy: (given.busy ?? []).map((text) => {
      const [from, to] = text.split('/').map((part) => Date.parse(part));
      return { from: from ?? Number.NaN, to: to ?? Number.NaN };
    }),
    bookedStarts: (given.booked ?? []).map((text) => Date.parse(text)),
  });
  return slotsAt(terms, starts, timezone);
}

/** The starts of the slots in the requested zone. */
export const local = (given: Case) => slots(given).map(({ from }) => from);
/** The starts of the slots in UTC. */
export const utc = (given: Case) => slots(given).map(({ startsAt }) => startsAt.slice(11, 16));

export const kolkata: Case = {
  zone: 'Asia/Kolkata',
  date: '2026-06-10',
  weekly: ['09:00-12:00'],
  minutes: 60,
};
export const berlin: Case = {
  zone: 'Europe/Berlin',
  date: '2026-07-01',
  weekly: ['09:00-12:00'],
  minutes: 60,
};
export const newYork: Case = {
  zone: 'America/New_York',
  date: '2026-06-10',
  weekly: ['22:00-02:00'],
  minutes: 60,
};
