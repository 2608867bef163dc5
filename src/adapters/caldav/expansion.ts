// One calendar object as the times at which its owner is busy: series, their exceptions, and what blocks at all. Pure.
import ICAL from 'ical.js';
import type { Interval } from '../../ports/calendar.ts';
import {
  earliest,
  lengthOf,
  type Moment,
  momentOfFirst,
  type Surroundings,
  UnreadableEvent,
} from './moments.ts';
import { isSameDate, type Occurrence, occurrencesOf } from './occurrences.ts';
import type { Zone } from './zones.ts';

export interface Owner {
  /** Where dates and floating times are read. */
  calendarZone: Zone;
  /** Their own mail addresses, in lower case. */
  addresses: string[];
}

/** An event that stands for one occurrence of a series, or for that one and all after it. */
interface Exception {
  event: ICAL.Component;
  /** Which occurrence it stands for. */
  of: Moment;
  at: Moment;
  andAfter: boolean;
}

/**
 * Busy times of one iCalendar text that overlap `span`, in no order. Throws UnreadableEvent where it cannot be told
 * for sure: what cannot be read must not pass for free.
 */
export function busyIn(text: string, span: Interval, owner: Owner): Interval[] {
  try {
    const object = new ICAL.Component(ICAL.parse(text) as unknown[]);
    const around: Surroundings = { object, calendarZone: owner.calendarZone };
    const byUid = Map.groupBy(object.getAllSubcomponents('vevent'), (event) =>
      String(event.getFirstPropertyValue('uid') ?? ''),
    );
    return [...byUid.values()].flatMap((events) => busyOfSeries(events, span, owner, around));
  } catch (error) {
    if (error instanceof UnreadableEvent) throw error;
    throw new UnreadableEvent((error as Error).message, { cause: error });
  }
}

function busyOfSeries(
  events: ICAL.Component[],
  span: Interval,
  owner: Owner,
  around: Surroundings,
): Interval[] {
  const isException = (event: ICAL.Component) => event.hasProperty('recurrence-id');
  const exceptions = events.filter(isException).map((event) => exceptionOf(event, around));
  const found = exceptions.map(({ event, at }) =>
    blocks(event, owner) ? spanOf(event, at, { local: at.local, start: earliest(at) }, around) : undefined,
  );
  for (const event of events.filter((each) => !isException(each))) {
    found.push(...busyOfMaster(event, exceptions, span, owner, around));
  }
  return found.filter(
    (busy): busy is Interval =>
      busy !== undefined && busy.end > busy.start && busy.start < span.end && busy.end > span.start,
  );
}

function startOf(event: ICAL.Component, around: Surroundings): Moment {
  const start = momentOfFirst(event, 'dtstart', around);
  if (start === null) throw new UnreadableEvent('it has no DTSTART');
  return start;
}

function exceptionOf(event: ICAL.Component, around: Surroundings): Exception {
  const of = momentOfFirst(event, 'recurrence-id', around);
  if (of === null) throw new UnreadableEvent('its RECURRENCE-ID is empty');
  const range = event.getFirstProperty('recurrence-id')?.getFirstParameter('range');
  return { event, of, at: startOf(event, around), andAfter: range?.toUpperCase() === 'THISANDFUTURE' };
}

/** The occurrences for which no exception stands; those after a THISANDFUTURE are moved as that one was. */
function busyOfMaster(
  event: ICAL.Component,
  exceptions: Exception[],
  span: Interval,
  owner: Owner,
  around: Surroundings,
): (Interval | undefined)[] {
  const onward = exceptions
    .filter(({ andAfter }) => andAfter)
    .toSorted((a, b) => earliest(b.of) - earliest(a.of));
  if (!blocks(event, owner) && onward.length === 0) return [];
  const first = startOf(event, around);
  const reachMs = Math.max(
    lengthOf(event, first, around).longestMs,
    ...onward.map((each) => lengthOf(each.event, each.at, around).longestMs + Math.abs(movedMs(each))),
  );
  const wide = { start: span.start - reachMs, end: span.end + reachMs };
  return occurrencesOf(event, first, wide, around)
    .filter((occurrence) => !exceptions.some(({ of }) => isOf(occurrence, of, first)))
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
const movedMs = ({ of, at }: Exception) => of.local.until(at.local).total('milliseconds');

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
