// Busy times of one calendar object: series, their exceptions, and which events block. Pure.
import type ICAL from 'ical.js';
import type { Interval } from '../../ports/calendar.ts';
import {
  firstInstant,
  firstMoment,
  lengthOf,
  type Moment,
  type ObjectContext,
  readOrReport,
  type TimeProblem,
  UnreadableEvent,
} from './moments.ts';
import { readObject, unreadableProperty } from './normalize.ts';
import { isSameDate, type Occurrence, occurrencesOf } from './occurrences.ts';
import type { Zone } from './zones.ts';

export interface Owner {
  /** The zone of dates and floating times. */
  calendarZone: Zone;
  /** The zone (IANA) to assume for unknown zones. */
  staffZone: string;
  /** The owner's mail addresses, in lower case. */
  addresses: string[];
}

/** The busy times of a text, and what is uncertain about them. */
export interface BusyObject {
  busy: Interval[];
  problems: TimeProblem[];
}

/** An event that replaces one occurrence of a series, or that one and all later ones. */
interface Exception {
  event: ICAL.Component;
  /** The replaced occurrence (RECURRENCE-ID); undefined if unreadable, and then nothing is replaced. */
  recurrenceId: Moment | undefined;
  at: Moment;
  thisAndFuture: boolean;
}

/**
 * Busy times of one iCalendar text that overlap `span`, in no order. Each event is read separately: its known times block,
 * its unreadable parts are reported and block no other times. Never throws.
 */
export function readBusyObject(text: string, span: Interval, owner: Owner): BusyObject {
  let object: ICAL.Component;
  try {
    object = readObject(text);
  } catch (error) {
    const { message } = error as Error;
    return { busy: [], problems: [{ problem: 'event_unreadable', message, isTimeUnknown: true }] };
  }
  const byUid = Map.groupBy(object.getAllSubcomponents('vevent'), (event) =>
    String(event.getFirstPropertyValue('uid') ?? ''),
  );
  const parts = [...byUid.values()].map((events) => readSeries(events, span, owner, object));
  return {
    busy: parts.flatMap(({ busy }) => busy),
    problems: parts.flatMap(({ problems }) => problems),
  };
}

function readSeries(
  events: ICAL.Component[],
  span: Interval,
  owner: Owner,
  object: ICAL.Component,
): BusyObject {
  const problems: TimeProblem[] = [];
  const { calendarZone, staffZone } = owner;
  const context = {
    object,
    calendarZone,
    problems: { staffZone, add: (problem: TimeProblem) => void problems.push(problem) },
  };
  const busy = readOrReport(context, true, () => busyOfSeries(events, span, owner, context)) ?? [];
  const reported = problems.filter(({ isTimeUnknown }) => isTimeUnknown || busy.length > 0);
  return { busy, problems: [...new Map(reported.map((problem) => [problem.message, problem])).values()] };
}

function busyOfSeries(
  events: ICAL.Component[],
  span: Interval,
  owner: Owner,
  context: ObjectContext,
): Interval[] {
  const isException = (event: ICAL.Component) =>
    event.hasProperty('recurrence-id') || unreadableProperties(event).includes('RECURRENCE-ID');
  const exceptions = events.filter(isException).flatMap((event) => exceptionOf(event, owner, context) ?? []);
  const found = exceptions.map(({ event, at }) =>
    blocks(event, owner)
      ? spanOf(event, at, { local: at.local, start: firstInstant(at) }, context)
      : undefined,
  );
  for (const event of events.filter((each) => !isException(each))) {
    for (const each of busyOfMaster(event, exceptions, span, owner, context)) found.push(each);
  }
  return found.filter(
    (busy): busy is Interval =>
      busy !== undefined && busy.end > busy.start && busy.start < span.end && busy.end > span.start,
  );
}

/** The properties that `readObject` could not read. */
const unreadableProperties = (event: ICAL.Component) =>
  event.getAllProperties(unreadableProperty).map((property) => String(property.getFirstValue()));

function startOf(event: ICAL.Component, context: ObjectContext): Moment | undefined {
  return readOrReport(context, true, () => {
    const start = firstMoment(event, 'dtstart', context);
    if (start === null) throw new UnreadableEvent('it has no readable DTSTART');
    return start;
  });
}

function exceptionOf(event: ICAL.Component, owner: Owner, context: ObjectContext): Exception | undefined {
  const withoutReports = { ...context, problems: { staffZone: owner.staffZone, add: () => {} } };
  // the time of an exception that does not block is irrelevant, so do not report it
  const at = startOf(event, blocks(event, owner) ? context : withoutReports);
  const recurrenceId = readOrReport(context, false, () => {
    const moment = firstMoment(event, 'recurrence-id', context);
    if (moment === null) throw new UnreadableEvent('its RECURRENCE-ID cannot be read');
    return moment;
  });
  // moved to an unknown time: block the original time
  if (at === undefined)
    return recurrenceId && { event, recurrenceId, at: recurrenceId, thisAndFuture: false };
  const range = event.getFirstProperty('recurrence-id')?.getFirstParameter('range');
  return {
    event,
    recurrenceId,
    at,
    thisAndFuture: recurrenceId !== undefined && range?.toUpperCase() === 'THISANDFUTURE',
  };
}

/** The occurrences that no exception replaces; those after a THISANDFUTURE exception are moved like it. */
function busyOfMaster(
  event: ICAL.Component,
  exceptions: Exception[],
  span: Interval,
  owner: Owner,
  context: ObjectContext,
): (Interval | undefined)[] {
  const replaced = exceptions.filter(
    (each): each is Exception & { recurrenceId: Moment } => each.recurrenceId !== undefined,
  );
  const futureExceptions = replaced
    .filter(({ thisAndFuture }) => thisAndFuture)
    .toSorted((a, b) => firstInstant(b.recurrenceId) - firstInstant(a.recurrenceId));
  if (!blocks(event, owner) && futureExceptions.length === 0) return [];
  const first = startOf(event, context);
  if (first === undefined) return [];
  for (const name of unreadableProperties(event)) {
    const message = `its ${name} cannot be read`;
    const isTimeUnknown = name === 'RRULE' || name === 'RDATE';
    context.problems?.add({ problem: 'event_unreadable', message, isTimeUnknown });
  }
  const marginMs = Math.max(
    lengthOf(event, first, context).longestMs,
    ...futureExceptions.map(
      (each) => lengthOf(each.event, each.at, context).longestMs + Math.abs(movedMs(each)),
    ),
  );
  const widened = { start: span.start - marginMs, end: span.end + marginMs };
  return occurrencesOf(event, first, widened, context)
    .filter((occurrence) => !replaced.some(({ recurrenceId }) => isOf(occurrence, recurrenceId, first)))
    .map((occurrence) => {
      const applied = futureExceptions.find(
        ({ recurrenceId }) => firstInstant(recurrenceId) <= occurrence.start,
      );
      if (applied === undefined) {
        return blocks(event, owner) ? spanOf(event, first, occurrence, context) : undefined;
      }
      if (!blocks(applied.event, owner)) return undefined;
      const local = occurrence.local.add({ milliseconds: movedMs(applied) });
      const start = applied.at.zone.instantsOf(local)[0];
      return spanOf(applied.event, applied.at, { local, start }, context);
    });
}

/** How far an exception was moved, in local time. */
const movedMs = ({ recurrenceId, at }: Exception & { recurrenceId: Moment }) =>
  recurrenceId.local.until(at.local).total('milliseconds');

/** True if `recurrenceId` identifies the occurrence. Some programs identify it by its date alone. */
function isOf(occurrence: Occurrence, recurrenceId: Moment, first: Moment): boolean {
  return recurrenceId.isDate && !first.isDate
    ? isSameDate(occurrence.local, recurrenceId.local)
    : occurrence.start === firstInstant(recurrenceId);
}

function spanOf(event: ICAL.Component, start: Moment, at: Occurrence, context: ObjectContext): Interval {
  return { start: at.start, end: at.end ?? lengthOf(event, start, context).endOf(at.local, at.start) };
}

/**
 * True if an event blocks: tentative ones do; cancelled, transparent and declined ones do not. In Outlook, the owner's busy
 * status overrides the organizer's intended one.
 */
function blocks(event: ICAL.Component, owner: Owner): boolean {
  const word = (name: string) => String(event.getFirstPropertyValue(name) ?? '').toUpperCase();
  if (word('status') === 'CANCELLED' || word('transp') === 'TRANSPARENT') return false;
  const shown = word('x-microsoft-cdo-busystatus') || word('x-microsoft-cdo-intendedstatus');
  if (shown === 'FREE' || shown === 'WORKINGELSEWHERE') return false;
  return !event.getAllProperties('attendee').some((guest) => {
    const declined = String(guest.getFirstParameter('partstat') ?? '').toUpperCase() === 'DECLINED';
    // iCloud names people by principal addresses, with the mail address in EMAIL (RFC 7986 section 6.2)
    const names = [guest.getFirstValue(), guest.getFirstParameter('email')];
    const addresses = names.map((name) =>
      String(name ?? '')
        .trim()
        .toLowerCase()
        .replace(/^mailto:/, ''),
    );
    return declined && addresses.some((address) => owner.addresses.includes(address));
  });
}
