// iCalendar text as programs really write it, put into the form of RFC 5545 where its times can still be understood. Pure.
import ICAL from 'ical.js';

/** A date or a time: basic or extended form, with or without seconds, in UTC or with an offset. */
const moment =
  /(\d{4})-?(\d{2})-?(\d{2})(?:[Tt ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?)?/
    .source;
const value = new RegExp(`^${moment}(?:/(.+))?$`);
/** The value of a line is what comes last: a zone's name may hold colons of its own, unquoted. */
const valueOfLine = new RegExp(
  `:[ \\t]*((?:${moment}(?:/[^,/\\s]+)?)(?:[ \\t]*,[ \\t]*${moment}(?:/[^,/\\s]+)?)*)[ \\t]*$`,
);
const dateLine = /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)(?=[ \t]*[;:])/i;
/** What needs no look: one value in one of the forms of RFC 5545, and no parameter that misleads the parser. */
const clean =
  /^[A-Z-]+(?:;VALUE=DATE:\d{8}|(?:;TZID=(?:[^;:,"]+|"[^"]*")|;VALUE=DATE-TIME)*:\d{8}T\d{6}(?:,\d{8}T\d{6})*|:\d{8}T\d{6}Z(?:,\d{8}T\d{6}Z)*)$/i;
/** What decides when an event blocks; a line of these that cannot be read makes the event one that is not sure. */
const decisive = /^(?:DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE|RECURRENCE-ID)(?=[;:])/i;

/** A property by this name stands for a line that could not be read. */
export const unreadableMark = 'x-unreadable';

/** The lines of a text, unfolded (RFC 5545 section 3.1). */
const linesOf = (text: string) => text.replaceAll(/\r?\n[ \t]|\r[ \t]/g, '').split(/\r\n|\n|\r/);

/** The text with its dates and times in the form of RFC 5545; what is not understood stays as it is. */
export function tidied(text: string): string {
  return linesOf(text)
    .flatMap((line) => (dateLine.test(line) && !clean.test(line) ? tidyLine(line) : [line]))
    .join('\r\n');
}

interface Tidy {
  kind: 'DATE' | 'DATE-TIME' | 'PERIOD';
  text: string;
}

function tidyLine(line: string): string[] {
  const name = (dateLine.exec(line)?.[0] ?? '').toUpperCase();
  const found = valueOfLine.exec(line);
  if (!found?.[1]) return [line];
  const params = paramsOf(line.slice(name.length, found.index));
  const asDate = params.get('VALUE')?.toUpperCase() === 'DATE';
  const values = found[1].split(',').map((each) => tidyValue(each.trim(), asDate));
  // one line for each kind of value: dates and times do not mix
  return [...Map.groupBy(values, ({ kind, text }) => `${kind}${/Z$/.test(text) ? 'Z' : ''}`).values()].map(
    (group) => lineOf(name, params, group),
  );
}

function lineOf(name: string, params: Map<string, string>, values: Tidy[]): string {
  const kind = values[0]?.kind ?? 'DATE-TIME';
  const isUtc = values[0]?.text.endsWith('Z') && kind === 'DATE-TIME';
  const kept = [...params].filter(
    ([key]) => key !== 'VALUE' && !(key === 'TZID' && (isUtc || kind === 'DATE')),
  );
  const written = kept.map(([key, text]) => `;${key}=${/[:;,]/.test(text) ? `"${text}"` : text}`).join('');
  const type = kind === 'DATE-TIME' ? '' : `;VALUE=${kind}`;
  return `${name}${written}${type}:${values.map(({ text }) => text).join(',')}`;
}

/** `;TZID=(UTC+01:00) Amsterdam, Berlin;X="a;b"` → its parameters, without quotes. */
function paramsOf(text: string): Map<string, string> {
  const params = new Map<string, string>();
  for (const [, key = '', quoted, bare] of text.matchAll(/;([A-Za-z-]+)=(?:"([^"]*)"|([^;]*))/g))
    params.set(key.toUpperCase(), (quoted ?? bare ?? '').replaceAll('"', ''));
  return params;
}

function tidyValue(text: string, asDate: boolean): Tidy {
  const [, year, month, day, hour, minute, second = '00', zone = '', period] = value.exec(text) ?? [];
  const date = `${year}${month}${day}`;
  if (hour === undefined || asDate) return { kind: 'DATE', text: date };
  const local = `${date}T${hour}${minute}${second}`;
  if (period !== undefined) return { kind: 'PERIOD', text: `${local}${zone.toUpperCase()}/${period}` };
  return {
    kind: 'DATE-TIME',
    text: /^[+-]/.test(zone) ? inUtc(local, zone) : `${local}${zone.toUpperCase()}`,
  };
}

function inUtc(local: string, zone: string): string {
  const offset = `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  try {
    const instant = Temporal.PlainDateTime.from(local).toZonedDateTime(offset).toInstant();
    return instant.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '');
  } catch {
    return local;
  }
}

/**
 * The object of a text. Where the whole cannot be parsed, each event and zone of it is read by itself, and of each what can
 * be: a lost line that decides when an event blocks leaves an `x-unreadable` behind. Throws where nothing can be read.
 */
export function readObject(text: string): ICAL.Component {
  const tidy = tidied(text);
  const whole = parsed(tidy);
  if (whole?.name === 'vcalendar') return whole;
  const object = new ICAL.Component('vcalendar');
  for (const part of partsOf(tidy.split('\r\n')).flatMap(readPart)) object.addSubcomponent(part);
  if (object.getAllSubcomponents('vevent').length === 0) throw new Error('it is no iCalendar object');
  return object;
}

/** The one component of a text; undefined if it cannot be parsed, or is several. */
function parsed(text: string): ICAL.Component | undefined {
  try {
    const [name, ...rest] = ICAL.parse(text) as unknown[];
    return typeof name === 'string' ? new ICAL.Component([name, ...rest]) : undefined;
  } catch {
    return undefined;
  }
}

/** The lines of each event and time zone, from BEGIN to END. */
function partsOf(lines: string[]): string[][] {
  const parts: string[][] = [];
  let part: string[] | undefined;
  for (const line of lines) {
    const begins = /^BEGIN:(?:VEVENT|VTIMEZONE)\s*$/i.test(line);
    if (begins) {
      part = [];
      parts.push(part);
    }
    part?.push(line.trimEnd());
    if (/^END:(?:VEVENT|VTIMEZONE)\s*$/i.test(line)) part = undefined;
  }
  return parts;
}

/** A zone that cannot be parsed is left out: its name may say more. */
function readPart(lines: string[]): ICAL.Component[] {
  const part = parsed(lines.join('\r\n'));
  if (part !== undefined) return [part];
  return /VEVENT/i.test(lines[0] ?? '') ? [eventOf(lines)] : [];
}

/** An event made of the lines that can be read one by one; what lies in it (alarms) is left out. */
function eventOf(lines: string[]): ICAL.Component {
  const event = new ICAL.Component('vevent');
  let depth = 0;
  for (const line of lines.slice(1)) {
    if (/^BEGIN:/i.test(line)) depth += 1;
    if (depth === 0 && !/^END:/i.test(line)) addLine(event, line);
    if (/^END:/i.test(line)) depth = Math.max(0, depth - 1);
  }
  return event;
}

function addLine(event: ICAL.Component, line: string): void {
  try {
    event.addProperty(ICAL.Property.fromString(line, ICAL.design.icalendar));
  } catch {
    const name = decisive.exec(line)?.[0];
    if (name !== undefined) event.addPropertyWithValue(unreadableMark, name.toUpperCase());
  }
}
