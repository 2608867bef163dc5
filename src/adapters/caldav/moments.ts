// Dates and times in iCalendar properties: local times, instants, and lengths of events. Pure.
import ICAL from 'ical.js';
import { unreadableProperty } from './normalize.ts';
import { fallbackZoneId, zoneNameMaxLength } from './zone-names.ts';
import { namedZone, utc, type Zone, zoneOf } from './zones.ts';

/** Why the times of an event are uncertain. */
export interface TimeProblem {
  problem: 'time_zone_unknown' | 'event_unreadable';
  /** The problem in words, for the owner of the calendar. */
  message: string;
  /** True if the event may block at further, unknown times. False if only the known times are uncertain. */
  isTimeUnknown: boolean;
}

/** What the times of an object depend on. */
export interface ObjectContext {
  object: ICAL.Component;
  /** The zone of dates and floating times. */
  calendarZone: Zone;
  /**
   * Collects problems, so that the readable parts of the event still block; times in an unknown zone are read in
   * `staffZone`. If absent, problems throw UnreadableEvent.
   */
  problems?: { staffZone: string; add(problem: TimeProblem): void } | undefined;
}

/** A date or time of a property. */
export interface Moment {
  local: Temporal.PlainDateTime;
  isDate: boolean;
  zone: Zone;
}

/** An event cannot be read; the message says why. */
export class UnreadableEvent extends Error {
  override name = 'UnreadableEvent';
}

export const firstInstant = (moment: Moment): number => moment.zone.instantsOf(moment.local)[0];

/** One value of a property with dates or times. */
export function momentOf(value: unknown, property: ICAL.Property, context: ObjectContext): Moment {
  if (!(value instanceof ICAL.Time)) {
    throw new UnreadableEvent(`its ${property.name.toUpperCase()} is not a valid time`);
  }
  const { year, month, day, hour, minute, second, isDate } = value;
  const local = isDate
    ? new Temporal.PlainDateTime(year, month, day)
    : new Temporal.PlainDateTime(year, month, day, hour, minute, Math.min(second, 59));
  if (isDate) return { local, isDate, zone: context.calendarZone };
  if (value.zone?.tzid === 'UTC' && property.getFirstParameter('tzid') === undefined)
    return { local, isDate, zone: utc };
  const tzid = property.getFirstParameter('tzid');
  if (tzid === undefined || tzid === '') return { local, isDate, zone: context.calendarZone };
  return { local, isDate, zone: zoneOf(tzid, context.object) ?? unknownZone(tzid, context) };
}

function unknownZone(name: string, { problems }: ObjectContext): Zone {
  const tzid = name.slice(0, zoneNameMaxLength);
  const guess = problems && fallbackZoneId(tzid, problems.staffZone);
  const zone = guess === undefined ? null : namedZone(guess);
  if (!zone) throw new UnreadableEvent(`its time zone "${tzid}" is unknown`);
  const message = `The time zone "${tzid}" is unknown and not defined in the event. Its times are read in ${guess}.`;
  problems?.add({ problem: 'time_zone_unknown', message, isTimeUnknown: false });
  return zone;
}

/** Reads a part of an event. If it is unreadable, reports a problem and returns undefined, or throws UnreadableEvent. */
export function readOrReport<T>(
  context: ObjectContext,
  isTimeUnknown: boolean,
  read: () => T,
): T | undefined {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    if (!context.problems) throw error instanceof UnreadableEvent ? error : new UnreadableEvent(message);
    context.problems.add({ problem: 'event_unreadable', message, isTimeUnknown });
    return undefined;
  }
}

/** All values of properties that may have several values each (EXDATE). */
export function momentsOf(
  properties: readonly ICAL.Property[],
  context: ObjectContext,
  isTimeUnknown: boolean,
): Moment[] {
  return properties.flatMap(
    (property) =>
      readOrReport(context, isTimeUnknown, () =>
        property.getValues().map((value) => momentOf(value, property, context)),
      ) ?? [],
  );
}

/** The first value of a property; null if the event does not have it. Throws an Error if it is unreadable. */
export function firstMoment(event: ICAL.Component, name: string, context: ObjectContext): Moment | null {
  const property = event.getFirstProperty(name);
  return property === null || property === undefined
    ? null
    : momentOf(property.getFirstValue(), property, context);
}

/** How long each occurrence of an event lasts. */
export interface Length {
  /** The end of an occurrence that starts at `start`, the instant of `local`. */
  endOf(local: Temporal.PlainDateTime, start: number): number;
  /** No occurrence lasts longer. */
  longestMs: number;
}

const dayMs = 86_400_000;

/**
 * The length of an event that starts at `start` (RFC 5545 section 3.6.1): from DTEND or DURATION, else one day for a date
 * and zero for a time. If clocks change between start and DTEND, programs keep either the elapsed or the local time: this
 * uses the later end.
 */
export function lengthOf(event: ICAL.Component, start: Moment, context: ObjectContext): Length {
  const stated = readOrReport(context, false, () => {
    const unreadable = event
      .getAllProperties(unreadableProperty)
      .map((property) => String(property.getFirstValue()));
    const [end] = unreadable.filter((name) => name === 'DTEND' || name === 'DURATION');
    if (end !== undefined) throw new UnreadableEvent(`its ${end} cannot be read`);
    return statedLength(event, start, context);
  });
  return stated ?? restOfDay(start);
}

/** The length for an unreadable end: the rest of the day, so that no other day is blocked. */
function restOfDay({ zone }: Moment): Length {
  const endOf = (local: Temporal.PlainDateTime) =>
    zone.instantsOf(local.toPlainDate().add({ days: 1 }).toPlainDateTime())[0];
  return { endOf, longestMs: dayMs };
}

function statedLength(event: ICAL.Component, start: Moment, context: ObjectContext): Length {
  const end = firstMoment(event, 'dtend', context);
  if (end !== null && start.isDate) return daysLong(Math.max(1, daysBetween(start, end)), start.zone);
  if (end !== null) {
    const elapsedMs = Math.max(0, firstInstant(end) - firstInstant(start));
    if (end.zone !== start.zone) return { endOf: (_local, at) => at + elapsedMs, longestMs: elapsedMs };
    const wall = start.local.until(end.local, { largestUnit: 'hours' });
    const endOf = (local: Temporal.PlainDateTime, at: number) =>
      elapsedMs === 0 ? at : Math.max(at + elapsedMs, start.zone.instantsOf(local.add(wall))[0]);
    return { endOf, longestMs: elapsedMs + dayMs };
  }
  const duration = event.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration && !duration.isNegative) {
    const days = duration.weeks * 7 + duration.days;
    const restMs = ((duration.hours * 60 + duration.minutes) * 60 + duration.seconds) * 1000;
    if (start.isDate) return daysLong(Math.max(1, days + Math.ceil(restMs / dayMs)), start.zone);
    const endOf = (local: Temporal.PlainDateTime, at: number) =>
      (days === 0 ? at : start.zone.instantsOf(local.add({ days }))[1]) + restMs;
    return { endOf, longestMs: (days + 1) * dayMs + restMs };
  }
  return start.isDate ? daysLong(1, start.zone) : { endOf: (_local, at) => at, longestMs: 0 };
}

function daysBetween(start: Moment, end: Moment): number {
  return start.local.toPlainDate().until(end.local.toPlainDate()).days;
}

function daysLong(days: number, zone: Zone): Length {
  return { endOf: (local) => zone.instantsOf(local.add({ days }))[0], longestMs: (days + 1) * dayMs };
}
