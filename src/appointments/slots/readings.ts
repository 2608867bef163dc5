// What slots and bookings of staff on dates rest on, as it is now: who asks at the same time is read by one statement.
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { batch } from '../../work/batch.ts';
import { staffNotFound } from '../directory/staff.ts';
import type { Terms } from './engine.ts';
import { type AskedDay, readStaffDays, type StaffDay } from './reading-store.ts';
import { termsOf } from './schedule.ts';
import { dayMs, dayOfDate } from './wall-time.ts';

/** Shared by everybody who asked for it: to be read, never changed. */
export type Reading = StaffDay & { terms: Terms };

/** Reads what there is of staff on dates; it never rests on a statement begun before it was asked for. */
export type ReadDay = (asked: AskedDay) => Promise<Reading | undefined>;

const daysAtOnce = 200;

/** The day to read for `date`. The caller checks whether the date is valid. */
export function askedDay(accountId: string, staffId: string, date: string): AskedDay {
  return { accountId, staffId: staffId.toLowerCase(), dayMs: (dayOfDate(date) ?? 0) * dayMs };
}

export const dayKey = ({ accountId, staffId, dayMs: day }: AskedDay): string =>
  `${staffId}/${day}/${accountId}`;

/** Opens the reading for one process. */
export function openReadDay({ hot }: { hot: Db }): ReadDay {
  const run = async (asked: AskedDay[]): Promise<(Reading | undefined)[]> => {
    const distinct = new Map(asked.map((one) => [dayKey(one), one]));
    const days = await readStaffDays(hot, [...distinct.values()]);
    const readings = new Map([...distinct.keys()].map((key, index) => [key, withTerms(days[index])]));
    return asked.map((one) => readings.get(dayKey(one)));
  };
  const readBatched = batch(run, { gapMs: 0, max: daysAtOnce, key: dayKey });
  return async (asked) => (isUuid(asked.staffId) ? readBatched(asked) : undefined);
}

function withTerms(day: StaffDay | undefined): Reading | undefined {
  return day && { ...day, terms: termsOf(day.staff) };
}

/** The active staff member of a reading; 404 otherwise. */
export function activeReading(reading: Reading | undefined): Reading {
  if (!reading?.staff.active) throw staffNotFound();
  return reading;
}
