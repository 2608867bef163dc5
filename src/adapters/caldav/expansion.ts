// One calendar object as the times at which its owner is busy: series, their exceptions, and what blocks at all. Pure.
import type ICAL from 'ical.js';
import type { Interval } from '../../ports/calendar.ts';
import {
  attempt,
  type Doubt,
  earliest,
  lengthOf,
  type Moment,
  momentOfFirst,
  type Surroundings,
  UnreadableEvent,
} from './moments.ts';
import { isSameDate, type Occurrence, occurrencesOf } from './occurrences.ts';
import { readObject, unreadableMark } from './tidy.ts';
import type { Zone } from './zones.ts';

export interface Owner {
  /** Where dates and floating times are read. */
  calendarZone: Zone;
  /** Where times in a zone that nobody knows are read (IANA). */
  staffZone: string;
  /** Their own mail addresses, in lower case. */
  addresses: string[];
}

/** What a text makes busy, and what is not sure about it. */
export interface Reading {
  busy: Interval[];
  doubts: Doubt[];
}

/** An event that stands for one occurrence of a series, or for that one and all after it. */
interface Exception {
  event: ICAL.Component;
  /** Which occurrence it stands for; undefined if that cannot be read: then that occurrence stays too. */
  of: Moment | undefined;
  at: Moment;
  andAfter: boolean;
}

/**
 * Busy times of one iCalendar text that overlap `span`, in no order. Each event is read by itself: what can be known of it
 * blocks, what cannot is a doubt, and never closes other times. Never throws.
 */
export function readingOf(text: string, span: Interval, owner: Owner): Reading {
  let object: ICAL.Component;
  try {
    object = readObject(text);
  } catch (error) {
    const { message } = error as Error;
    return { busy: [], doubts: [{ problem: 'event_unreadable', message, anywhere: true }] };
  }
  const byUid = Map.groupBy(object.getAllSubcomponents('vevent'), (event) =>
    String(event.getFirstPropertyValue('uid') ?? ''),
  );
  const readings = [...byUid.values()].map((events) => readSeries(events, span, owner, object));
  return {
    busy: readings.flatMap(({ busy }) => busy),
    doubts: readings.flatMap(({ doubts }) => doubts),
  };
}

function readSeries(events: ICAL.Component[], span: Interval, owner: Owner, object: ICAL.Component): Reading {
  const doubts: Doubt[] = [];
  const { calendarZone, staffZone } = owner;
  const around = {
    object,
    calendarZone,
    doubts: { staffZone, add: (doubt: Doubt) => void doubts.push(doubt) },
  };
  const busy = attempt(around, true, () => busyOfSeries(events, span, owner, around)) ?? [];
  const told = doubts.filter(({ anywhere }) => anywhere || busy.length > 0);
  return { busy, doubts: [...new Map(told.map((doubt) => [doubt.message, doubt])).values()] };
}

function busyOfSeries(
  events: ICAL.Component[],
  span: Interval,
  owner: Owner,
  around: Surroundings,
): Interval[] {
  const isException = (event: ICAL.Component) =>
    event.hasProperty('recurrence-id') || lostParts(event).includes('RECURRENCE-ID');
  const exceptions = events.filter(isException).flatMap((event) => exceptionOf(event, owner, around) ?? []);
  const found = exceptions.map(({ event, at }) =>
    blocks(event, owner) ? spanOf(event, at, { local: at.local, start: earliest(at) }, around) : undefined,
  );
  for (const event of events.filter((each) => !isException(each))) {
    for (const each of busyOfMaster(event, exceptions, span, owner, around)) found.push(each);
  }
  return found.filter(
    (busy): busy is Interval =>
      busy !== undefined && busy.end > busy.start && busy.start < span.end && busy.end > span.start,
  );
}

/** The properties that `readObject` could not read. */
const lostParts = (event: ICAL.Component) =>
  event.getAllProperties(unreadableMark).map((mark) => String(mark.getFirstValue()));

function startOf(event: ICAL.Component, around: Surroundings): Moment | undefined {
  return attempt(around, true, () => {
    const start = momentOfFirst(event, 'dtstart', around);
    if (start === null) throw new UnreadableEvent('it has no DTSTART that can be read');
    return start;
  });
}

function exceptionOf(event: ICAL.Component, owner: Owner, around: Surroundings): Exception | undefined {
  const silent = { ...around, doubts: { staffZone: owner.staffZone, add: () => {} } };
  // where it does not block, it does not matter where it lies: only which occurrence it takes away
  const at = startOf(event, blocks(event, owner) ? around : silent);
  const of = attempt(around, false, () => {
    const moment = momentOfFirst(event, 'recurrence-id', around);
    if (moment === null) throw new UnreadableEvent('its RECURRENCE-ID cannot be read');
    return moment;
  });
  // moved to nobody knows when: it keeps its old time
  if (at === undefined) return of && { event, of, at: of, andAfter: false };
  const range = event.getFirstProperty('recurrence-id')?.getFirstParameter('range');
  return { event, of, at, andAfter: of !== undefined && range?.toUpperCase() === 'THISANDFUTURE' };
}

/** The occurrences for which no exception stands; those after a THISANDFUTURE are moved as that one was. */
function busyOfMaster(
  event: ICAL.Component,
  exceptions: Exception[],
  span: Interval,
  owner: Owner,
  around: Surroundings,
): (Interval | undefined)[] {
  const replaced = exceptions.filter((each): each is Exception & { of: Moment } => each.of !== undefined);
  const onward = replaced
    .filter(({ andAfter }) => andAfter)
    .toSorted((a, b) => earliest(b.of) - earliest(a.of));
  if (!blocks(event, owner) && onward.length === 0) return [];
  const first = startOf(event, around);
  if (first === undefined) return [];
  for (const name of lostParts(event)) {
    const message = `its ${name} cannot be read`;
    const anywhere = name === 'RRULE' || name === 'RDATE';
    around.doubts?.add({ problem: 'event_unreadable', message, anywhere });
  }
  const reachMs = Math.max(
    lengthOf(event, first, around).longestMs,
    ...onward.map((each) => lengthOf(each.event, each.at, around).longestMs + Math.abs(movedMs(each))),
  );
  const wide = { start: span.start - reachMs, end: span.end + reachMs };
  return occurrencesOf(event, first, wide, around)
    .filter((occurrence) => !replaced.some(({ of }) => isOf(occurrence, of, first)))
    .map((occurrence) => {
      const ruling = onward.find(({ of }) => earliest(of) <= occurrence.start);
      if (ruling === undefined) {
        return blocks(event, owner) ? spanOf(event, first, occurrence, around) : undefined;
      }
      if (!blocks(ruling.event, owner)) return undefined;
      const local = occurrence.local.add({ milliseconds: movedMs(ruling) });
      const start = ruling.at.zone.readings(local)[0];
      return spanOf(ruling.event, ruling.at, { local, start }, around);
    });
}

/** By how much an exception was moved, on the wall clock. */
const movedMs = ({ of, at }: Exception & { of: Moment }) => of.local.until(at.local).total('milliseconds');

/** Some programs name the occurrence of a series of times by its date alone. */
function isOf(occurrence: Occurrence, of: Moment, first: Moment): boolean {
  return of.isDate && !first.isDate
    ? isSameDate(occurrence.local, of.local)
    : occurrence.start === earliest(of);
}

function spanOf(event: ICAL.Component, start: Moment, at: Occurrence, around: Surroundings): Interval {
  return { start: at.start, end: at.end ?? lengthOf(event, start, around).endOf(at.local, at.start) };
}

/**
 * Tentative is busy; cancelled, transparent and declined are free. Outlook's own word for how its owner's time is
 * shown goes before what the organizer intended.
 */
function blocks(event: ICAL.Component, owner: Owner): boolean {
  const word = (name: string) => String(event.getFirstPropertyValue(name) ?? '').toUpperCase();
  if (word('status') === 'CANCELLED' || word('transp') === 'TRANSPARENT') return false;
  const shown = word('x-microsoft-cdo-busystatus') || word('x-microsoft-cdo-intendedstatus');
  if (shown === 'FREE' || shown === 'WORKINGELSEWHERE') return false;
  return !event.getAllProperties('attendee').some((guest) => {
    const address = String(guest.getFirstValue() ?? '').toLowerCase();
    const declined = String(guest.getFirstParameter('partstat') ?? '').toUpperCase() === 'DECLINED';
    return declined && owner.addresses.includes(address.replace(/^mailto:/, ''));
  });
}
