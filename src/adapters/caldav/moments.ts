// Dates and times of iCalendar properties: as written, and as instants. Pure.
import ICAL from 'ical.js';
import { unreadableMark } from './tidy.ts';
import { guessedZoneId } from './zone-names.ts';
import { namedZone, utc, type Zone, zoneOf } from './zones.ts';

/** Why it is not sure when an event blocks. */
export interface Doubt {
  problem: 'time_zone_unknown' | 'event_unreadable';
  /** What stands in the way, in words for the owner of the calendar. */
  message: string;
  /** True if the event may block at times that nobody knows; else only the times that are known are not sure. */
  anywhere: boolean;
}

/** What is needed to read the times of an object. */
export interface Surroundings {
  object: ICAL.Component;
  /** Where dates, and times without a zone, are read. */
  calendarZone: Zone;
  /**
   * Takes what cannot be read, so that the rest of the event still counts; times in an unknown zone are read in
   * `staffZone`. Without it, they throw UnreadableEvent.
   */
  doubts?: { staffZone: string; add(doubt: Doubt): void } | undefined;
}

/** A date or a time as it stands in a property. */
export interface Moment {
  local: Temporal.PlainDateTime;
  isDate: boolean;
  zone: Zone;
}

/** Thrown where an event cannot be read; the message says what stands in the way. */
export class UnreadableEvent extends Error {
  override name = 'UnreadableEvent';
}

export const earliest = (moment: Moment): number => moment.zone.readings(moment.local)[0];

/** One value of a property with dates or times. */
export function momentOf(value: unknown, property: ICAL.Property, around: Surroundings): Moment {
  if (!(value instanceof ICAL.Time)) {
    throw new UnreadableEvent(`${property.name.toUpperCase()} is no time`);
  }
  const { year, month, day, hour, minute, second, isDate } = value;
  const local = isDate
    ? new Temporal.PlainDateTime(year, month, day)
    : new Temporal.PlainDateTime(year, month, day, hour, minute, Math.min(second, 59));
  if (isDate) return { local, isDate, zone: around.calendarZone };
  if (value.zone?.tzid === 'UTC' && property.getFirstParameter('tzid') === undefined)
    return { local, isDate, zone: utc };
  const tzid = property.getFirstParameter('tzid');
  if (tzid === undefined || tzid === '') return { local, isDate, zone: around.calendarZone };
  return { local, isDate, zone: zoneOf(tzid, around.object) ?? unknownZone(tzid, around) };
}

function unknownZone(tzid: string, { doubts }: Surroundings): Zone {
  const guess = doubts && guessedZoneId(tzid, doubts.staffZone);
  const zone = guess === undefined ? null : namedZone(guess);
  if (!zone) throw new UnreadableEvent(`nobody says what the time zone "${tzid}" is`);
  const message = `The time zone "${tzid}" is not known and not defined. Its times are read in ${guess}.`;
  doubts?.add({ problem: 'time_zone_unknown', message, anywhere: false });
  return zone;
}

/**
 * Reads a part of an event; what cannot be read is a doubt and undefined. Throws UnreadableEvent where doubts are not taken.
 */
export function attempt<T>(around: Surroundings, anywhere: boolean, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    if (!around.doubts) throw error instanceof UnreadableEvent ? error : new UnreadableEvent(message);
    around.doubts.add({ problem: 'event_unreadable', message, anywhere });
    return undefined;
  }
}

/** All values of a property that may stand several times with several values each (RDATE, EXDATE). */
export function momentsOf(
  event: ICAL.Component,
  name: string,
  around: Surroundings,
  anywhere: boolean,
): Moment[] {
  return event
    .getAllProperties(name)
    .flatMap(
      (property) =>
        attempt(around, anywhere, () =>
          property.getValues().map((value) => momentOf(value, property, around)),
        ) ?? [],
    );
}

/** The first value of a property; null if the event does not have it. Throws an Error if it cannot be read. */
export function momentOfFirst(event: ICAL.Component, name: string, around: Surroundings): Moment | null {
  const property = event.getFirstProperty(name);
  return property === null || property === undefined
    ? null
    : momentOf(property.getFirstValue(), property, around);
}

/** How long an event lasts, from any start of it. */
export interface Length {
  /** The end of an occurrence that starts at `start`, which is the reading of `local`. */
  endOf(local: Temporal.PlainDateTime, start: number): number;
  /** No occurrence lasts longer. */
  longestMs: number;
}

const dayMs = 86_400_000;

/**
 * The length of an event that starts at `start` (RFC 5545 section 3.6.1): by DTEND, by DURATION, a day for a date, else
 * none. Where DTEND gives it and clocks change during an occurrence, programs disagree whether the time elapsed or
 * the wall clock is kept: the later end is taken.
 */
export function lengthOf(event: ICAL.Component, start: Moment, around: Surroundings): Length {
  const stated = attempt(around, false, () => {
    const lost = event.getAllProperties(unreadableMark).map((mark) => String(mark.getFirstValue()));
    const [end] = lost.filter((name) => name === 'DTEND' || name === 'DURATION');
    if (end !== undefined) throw new UnreadableEvent(`its ${end} cannot be read`);
    return statedLength(event, start, around);
  });
  return stated ?? restOfDay(start);
}

/** An end that cannot be read: no other day is closed by it. */
function restOfDay({ zone }: Moment): Length {
  const endOf = (local: Temporal.PlainDateTime) =>
    zone.readings(local.toPlainDate().add({ days: 1 }).toPlainDateTime())[0];
  return { endOf, longestMs: dayMs };
}

function statedLength(event: ICAL.Component, start: Moment, around: Surroundings): Length {
  const end = momentOfFirst(event, 'dtend', around);
  if (end !== null && start.isDate) return daysLong(Math.max(1, daysBetween(start, end)), start.zone);
  if (end !== null) {
    const elapsedMs = Math.max(0, earliest(end) - earliest(start));
    if (end.zone !== start.zone) return { endOf: (_local, at) => at + elapsedMs, longestMs: elapsedMs };
    const wall = start.local.until(end.local, { largestUnit: 'hours' });
    const endOf = (local: Temporal.PlainDateTime, at: number) =>
      elapsedMs === 0 ? at : Math.max(at + elapsedMs, start.zone.readings(local.add(wall))[0]);
    return { endOf, longestMs: elapsedMs + dayMs };
  }
  const duration = event.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration && !duration.isNegative) {
    const days = duration.weeks * 7 + duration.days;
    const restMs = ((duration.hours * 60 + duration.minutes) * 60 + duration.seconds) * 1000;
    if (start.isDate) return daysLong(Math.max(1, days + Math.ceil(restMs / dayMs)), start.zone);
    const endOf = (local: Temporal.PlainDateTime, at: number) =>
      (days === 0 ? at : start.zone.readings(local.add({ days }))[1]) + restMs;
    return { endOf, longestMs: (days + 1) * dayMs + restMs };
  }
  return start.isDate ? daysLong(1, start.zone) : { endOf: (_local, at) => at, longestMs: 0 };
}

function daysBetween(start: Moment, end: Moment): number {
  return start.local.toPlainDate().until(end.local.toPlainDate()).days;
}

function daysLong(days: number, zone: Zone): Length {
  return { endOf: (local) => zone.readings(local.add({ days }))[0], longestMs: (days + 1) * dayMs };
}
