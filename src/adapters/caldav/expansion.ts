// Busy times of one calendar object: series, their exceptions, and which events block. Pure.
import type ICAL from 'ical.js';
import type { Interval } from '../../ports/calendar.ts';
import {
  firstInstant,
  firstMoment,
  type Length,
  lengthOf,
  type Moment,
  type ObjectContext,
  readOrReport,
  type TimeProblem,
  UnreadableEvent,
} from './moments.ts';
import { readObject, unreadableProperty } from './normalize.ts';
import { dateOf, type Occurrence, occurrencesOf, type SeriesContext } from './occurrences.ts';
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
 * Busy times of one iCalendar text that overlap `span`, in no order: yields them for each event with its exceptions, so that the
 * caller can let other work run in between. Each event is read separately: its known times block, its unreadable parts are
 * reported and block no other times. Never throws.
 */
export function* readBusySeries(text: string, span: Interval, owner: Owner): Generator<BusyObject> {
  let object: ICAL.Component;
  try {
    object = readObject(text);
  } catch (error) {
    const { message } = error as Error;
    yield { busy: [], problems: [{ problem: 'event_unreadable', message, isTimeUnknown: true }] };
    return;
  }
  const byUid = Map.groupBy(object.getAllSubcomponents('vevent'), (event) =>
    String(event.getFirstPropertyValue('uid') ?? ''),
  );
  for (const events of byUid.values()) yield readSeries(events, span, owner, object);
}

/** The parts of `readBusySeries` together. */
export const joined = (parts: readonly BusyObject[]): BusyObject => ({
  busy: parts.flatMap(({ busy }) => busy),
  problems: parts.flatMap(({ problems }) => problems),
});

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
    rules: { read: 0 },
    dates: { read: 0 },
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
  context: SeriesContext,
): Interval[] {
  const isException = (event: ICAL.Component) =>
    event.hasProperty('recurrence-id') || unreadableProperties(event).includes('RECURRENCE-ID');
  const exceptions = events.filter(isException).flatMap((event) => exceptionOf(event, owner, context) ?? []);
  const found = exceptions.map(({ event, at }) =>
    blocks(event, owner)
      ? spanOf(lengthOf(event, at, context), { local: at.local, start: firstInstant(at) })
      : undefined,
  );
  const changes = changesBy(exceptions, owner, context);
  for (const event of events.filter((each) => !isException(each))) {
    for (const each of busyOfMaster(event, changes, span, owner, context)) found.push(each);
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

type Replacement = Exception & { recurrenceId: Moment };

/** What the exceptions of a series change in it. */
interface SeriesChanges {
  hasMoves: boolean;
  /** The moves by THISANDFUTURE exceptions, in order, and the longest time between an occurrence and what they make of it. */
  moves(): { list: Move[]; marginMs: number };
  /** Whether an exception replaces an occurrence of the series that starts at `first`. */
  replaces(first: Moment): (occurrence: Occurrence) => boolean;
}

/** Computes each part once: a series may have thousands of exceptions, and an object thousands of events for one series. */
function changesBy(exceptions: Exception[], owner: Owner, context: ObjectContext): SeriesChanges {
  const replaced = exceptions.filter((each): each is Replacement => each.recurrenceId !== undefined);
  const future = replaced.filter(({ thisAndFuture }) => thisAndFuture);
  let moves: ReturnType<SeriesChanges['moves']> | undefined;
  const replaces = new Map<boolean, ReturnType<typeof replacedBy>>();
  return {
    hasMoves: future.length > 0,
    moves() {
      if (moves) return moves;
      const list = future.map((each) => moveOf(each, owner, context)).sort((a, b) => a.from - b.from);
      const marginOf = (move: Move) => move.length.longestMs + Math.abs(move.movedMs);
      const marginMs = list.reduce((longest, move) => Math.max(longest, marginOf(move)), 0);
      moves = { list, marginMs };
      return moves;
    },
    replaces({ isDate }) {
      const known = replaces.get(isDate) ?? replacedBy(replaced, isDate);
      replaces.set(isDate, known);
      return known;
    },
  };
}

/** The occurrences that no exception replaces; those after a THISANDFUTURE exception are moved like it. */
function busyOfMaster(
  event: ICAL.Component,
  changes: SeriesChanges,
  span: Interval,
  owner: Owner,
  context: SeriesContext,
): (Interval | undefined)[] {
  const isBlocking = blocks(event, owner);
  if (!isBlocking && !changes.hasMoves) return [];
  const first = startOf(event, context);
  if (first === undefined) return [];
  for (const name of unreadableProperties(event)) {
    const message = `its ${name} cannot be read`;
    const isTimeUnknown = name === 'RRULE' || name === 'RDATE';
    context.problems?.add({ problem: 'event_unreadable', message, isTimeUnknown });
  }
  // once for all occurrences, of which there may be thousands
  const length = lengthOf(event, first, context);
  const moves = changes.moves();
  const marginMs = Math.max(length.longestMs, moves.marginMs);
  const widened = { start: span.start - marginMs, end: span.end + marginMs };
  const isReplaced = changes.replaces(first);
  return occurrencesOf(event, first, widened, context)
    .filter((occurrence) => !isReplaced(occurrence))
    .map((occurrence) => {
      const move = lastMoveUntil(moves.list, occurrence.start);
      if (move === undefined) return isBlocking ? spanOf(length, occurrence) : undefined;
      if (!move.isBlocking) return undefined;
      const local = occurrence.local.add({ milliseconds: move.movedMs });
      return spanOf(move.length, { local, start: move.zone.instantsOf(local)[0] });
    });
}

/** What a THISANDFUTURE exception changes from an instant on. */
interface Move {
  from: number;
  /** How far it was moved, in local time. */
  movedMs: number;
  zone: Zone;
  length: Length;
  isBlocking: boolean;
}

const moveOf = ({ event, recurrenceId, at }: Replacement, owner: Owner, context: ObjectContext): Move => ({
  from: firstInstant(recurrenceId),
  movedMs: recurrenceId.local.until(at.local).total('milliseconds'),
  zone: at.zone,
  length: lengthOf(event, at, context),
  isBlocking: blocks(event, owner),
});

/** The last of the sorted moves that begins at or before an instant. */
function lastMoveUntil(moves: readonly Move[], instant: number): Move | undefined {
  let [low, high] = [0, moves.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moves[middle] as Move).from <= instant) low = middle + 1;
    else high = middle;
  }
  return moves[low - 1];
}

/** Whether an exception replaces an occurrence. Some programs identify it by its date alone, also in a series of times. */
function replacedBy(
  replaced: readonly Replacement[],
  isSeriesOfDates: boolean,
): (occurrence: Occurrence) => boolean {
  const byDate = ({ recurrenceId }: Replacement) => recurrenceId.isDate && !isSeriesOfDates;
  const { true: ofDates = [], false: ofInstants = [] } = Object.groupBy(replaced, (each) =>
    byDate(each) ? 'true' : 'false',
  );
  const dates = new Set(ofDates.map(({ recurrenceId }) => dateOf(recurrenceId.local)));
  const instants = new Set(ofInstants.map(({ recurrenceId }) => firstInstant(recurrenceId)));
  return ({ local, start }) => instants.has(start) || (dates.size > 0 && dates.has(dateOf(local)));
}

const spanOf = (length: Length, at: Occurrence): Interval => ({
  start: at.start,
  end: at.end ?? length.endOf(at.local, at.start),
});

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
