// What slots and bookings of staff on dates depend on, read live: concurrent reads share one statement.
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { batch } from '../../work/batch.ts';
import type { InFlight } from '../../work/in-flight.ts';
import { staffNotFound } from '../directory/staff.ts';
import type { Terms } from './engine.ts';
import { termsOf } from './schedule.ts';
import { type DayQuery, readStaffDays, type StoredStaffDay } from './staff-days-store.ts';
import { dayMs, dayOfDate } from './wall-time.ts';

/** A staff member on a date. All concurrent readers share it, so never change it. */
export type StaffDay = StoredStaffDay & { terms: Terms };

/** Reads a staff member on a date, by a statement that begins after the call; undefined if the account has no such one. */
export type ReadStaffDay = (query: DayQuery) => Promise<StaffDay | undefined>;

const maxDaysPerRead = 200;
/** The minimum time between two reads while other requests are in progress: fewer and larger statements. */
const gapMs = 2;

/** The day to read for `date`. The caller checks whether the date is valid. */
export function dayQuery(accountId: string, staffId: string, date: string): DayQuery {
  return { accountId, staffId: staffId.toLowerCase(), dayMs: (dayOfDate(date) ?? 0) * dayMs };
}

export const dayKey = ({ accountId, staffId, dayMs: day }: DayQuery): string =>
  `${staffId}/${day}/${accountId}`;

/** Opens the batched read for one process. */
export function openReadStaffDay(deps: { hot: Db; appointmentsInFlight: InFlight }): ReadStaffDay {
  const { hot, appointmentsInFlight: inFlight } = deps;
  const run = async (queries: DayQuery[]): Promise<(StaffDay | undefined)[]> => {
    const distinct = new Map(queries.map((query) => [dayKey(query), query]));
    const stored = await readStaffDays(hot, [...distinct.values()]);
    const days = new Map([...distinct.keys()].map((key, index) => [key, withTerms(stored[index])]));
    return queries.map((query) => days.get(dayKey(query)));
  };
  const readBatched = batch(run, { gapMs, max: maxDaysPerRead, inFlight, key: dayKey });
  return async (query) => (isUuid(query.staffId) ? readBatched(query) : undefined);
}

function withTerms(day: StoredStaffDay | undefined): StaffDay | undefined {
  return day && { ...day, terms: termsOf(day.staff) };
}

/** The day of an active staff member; throws 404 otherwise. */
export function requireActive(day: StaffDay | undefined): StaffDay {
  if (!day?.staff.active) throw staffNotFound();
  return day;
}
