// What slots and bookings of staff on dates depend on, read live: concurrent reads share a statement. The rarely changed rows of
// a staff member are remembered, and used while the version that each read returns is the remembered one.
import { type Cache, openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import { isUuid } from '../../base/ids.ts';
import { zoneName } from '../../base/time-zones.ts';
import type { Db, Tx } from '../../db/db.ts';
import { batch } from '../../work/batch.ts';
import type { InFlight } from '../../work/in-flight.ts';
import { type QuestionFields, staffNotFound } from '../directory/staff.ts';
import { type DayWindow, dayWindow } from './day-window.ts';
import type { Taken, Terms } from './engine.ts';
import { termsOf } from './schedule.ts';
import {
  readStaff,
  readTaken,
  type SlotConnection,
  type SlotStaff,
  type StaffName,
  type StoredStaff,
} from './staff-days-store.ts';
import { dayOfDate } from './wall-time.ts';

/** A date of a staff member. */
export interface DayQuery extends StaffName {
  /** Days since 1970-01-01. */
  day: number;
  /** The zone of the date; default: the staff member's. */
  timezone: string | undefined;
  withQuestions: boolean;
  /** Default: that of the day, by the staff member's present schedule. */
  window?: DayWindow;
}

/** A staff member on a date. All concurrent readers share it, so never change it. */
export interface StaffDay extends Required<Taken> {
  staff: SlotStaff;
  terms: Terms;
  /** The calendar connection, dead or not. */
  connection: (SlotConnection & { use_recorded: boolean }) | undefined;
  /** In order; none unless requested. */
  questions: QuestionFields[];
}

/** Reads a staff member on a date, by a statement that begins after the call; undefined if the account has no such one. */
export type ReadStaffDay = (query: DayQuery) => Promise<StaffDay | undefined>;

/** Reads staff members on dates; `lock`: `readTaken`. The results are in the order of the queries. */
export type ReadStaffDays = (
  db: Db | Tx,
  queries: readonly DayQuery[],
  options?: { lock?: boolean },
) => Promise<(StaffDay | undefined)[]>;

type KnownStaff = StoredStaff & { terms: Terms };

const knownStaffMax = 2_000;
/** Long before transaction ids repeat. */
const knownForMs = 10 * 60_000;
/** How often a read is repeated because a staff member changed in between. */
const readsMax = 10;

const maxDaysPerRead = 200;
/** The minimum time between two reads while other requests are in progress: fewer and larger statements. */
const gapMs = 2;

/** The day to read for `date`. The caller checks whether the date and the zone are valid. */
export function dayQuery(
  of: { accountId: string; staffId: string; date: string; timezone?: string | null | undefined },
  more: { withQuestions?: boolean; window?: DayWindow } = {},
): DayQuery {
  const { accountId, staffId, date, timezone } = of;
  return {
    accountId,
    staffId: staffId.toLowerCase(),
    day: dayOfDate(date) ?? 0,
    timezone: timezone ?? undefined,
    withQuestions: false,
    ...more,
  };
}

/** Queries with the same key have the same result. */
export function dayKey({ accountId, staffId, day, timezone, withQuestions, window }: DayQuery): string {
  const { occupied, counted } = window ?? {};
  const span = `${occupied?.from}/${occupied?.to}/${counted?.from}/${counted?.to}`;
  return `${staffId}/${day}/${timezone}/${withQuestions}/${accountId}/${span}`;
}

/** Opens the reader for one process. */
export function openReadStaffDays({ clock }: { clock: Pick<Clock, 'steady'> }): ReadStaffDays {
  const known = openCache<KnownStaff>({ max: knownStaffMax, lifetime: { ms: knownForMs, clock } });
  return async (db, queries, { lock = false } = {}) => {
    const days = new Map<DayQuery, StaffDay>();
    let open = queries;
    for (let reads = 0; open.length > 0; reads++) {
      if (reads === readsMax) throw new Error('A staff member changed during each of many reads.');
      const staff = await knownStaff(db, known, open);
      const asked = open.flatMap((query) => {
        const of = staff.get(nameOf(query));
        return of ? [{ query, of, window: query.window ?? windowOf(query, of.terms) }] : [];
      });
      if (asked.length === 0) break;
      const windows = asked.map(({ query, window }) => ({ ...query, window }));
      const taken = await readTaken(db, windows, { lock });
      const changed: DayQuery[] = [];
      asked.forEach(({ query, of }, index) => {
        const found = taken[index];
        if (!found) return;
        if (found.version === of.version) days.set(query, staffDay(of, found));
        else {
          known.delete(query.staffId);
          changed.push(query);
        }
      });
      open = changed;
    }
    return queries.map((query) => days.get(query));
  };
}

const nameOf = ({ accountId, staffId }: StaffName) => `${staffId}/${accountId}`;

function windowOf({ day, timezone }: DayQuery, terms: Terms): DayWindow {
  return dayWindow(terms, day, (timezone !== undefined && zoneName(timezone)) || terms.timezone);
}

/** The remembered rows of these staff members; those that are not remembered are read. */
async function knownStaff(
  db: Db | Tx,
  known: Cache<KnownStaff>,
  queries: readonly StaffName[],
): Promise<Map<string, KnownStaff>> {
  const staff = new Map<string, KnownStaff>();
  const unknown = new Map<string, StaffName>();
  for (const query of queries) {
    const of = known.get(query.staffId);
    if (of) staff.set(nameOf(query), of);
    else unknown.set(nameOf(query), query);
  }
  if (unknown.size === 0) return staff;
  const stored = await readStaff(db, [...unknown.values()]);
  [...unknown].forEach(([name, { staffId }], index) => {
    const row = stored[index];
    if (!row) return;
    const of = { ...row, terms: termsOf(row.staff) };
    staff.set(name, of);
    known.set(staffId, of);
  });
  return staff;
}

function staffDay(
  { staff, connection, terms }: KnownStaff,
  taken: Required<Taken> & { questions: QuestionFields[]; isUseRecorded: boolean },
): StaffDay {
  const { questions, busy, bookedStarts, moves, isUseRecorded } = taken;
  const used = connection && { ...connection, use_recorded: isUseRecorded };
  return { staff, terms, connection: used, questions, busy, bookedStarts, moves };
}

/** Opens the batched read for one process. */
export function openReadStaffDay(deps: {
  hot: Db;
  readDays: ReadStaffDays;
  appointmentsInFlight: InFlight;
}): ReadStaffDay {
  const { hot, readDays, appointmentsInFlight: inFlight } = deps;
  const run = async (queries: DayQuery[]): Promise<(StaffDay | undefined)[]> => {
    const distinct = new Map(queries.map((query) => [dayKey(query), query]));
    const read = await readDays(hot, [...distinct.values()]);
    const days = new Map([...distinct.keys()].map((key, index) => [key, read[index]]));
    return queries.map((query) => days.get(dayKey(query)));
  };
  const readBatched = batch(run, { gapMs, max: maxDaysPerRead, inFlight, key: dayKey });
  return async (query) => (isUuid(query.staffId) ? readBatched(query) : undefined);
}

/** The day of an active staff member; throws 404 otherwise. */
export function requireActive(day: StaffDay | undefined): StaffDay {
  if (!day?.staff.active) throw staffNotFound();
  return day;
}
