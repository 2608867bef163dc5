// Normalizes iCalendar text: converts nonstandard dates and times of calendar programs to RFC 5545. Pure.
import ICAL from 'ical.js';

/** A date or time: basic or extended form, with or without seconds, in UTC or with an offset. */
const dateOrTime =
  /(\d{4})-?(\d{2})-?(\d{2})(?:[Tt ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?)?/
    .source;
const value = new RegExp(`^${dateOrTime}(?:/(.+))?$`);
const listedValue = `${dateOrTime}(?:/[^,/\\s]+)?`;
/** A comma-separated part of a line that is a value, and one that ends with the first value. */
const wholeValue = new RegExp(`^[ \\t]*${listedValue}[ \\t]*$`);
const firstValue = new RegExp(`:[ \\t]*${listedValue}[ \\t]*$`);
const dateLine = /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)(?=[ \t]*[;:])/i;
/** Lines that need no normalization: values of RFC 5545, and no parameter that misleads the parser. */
const standardForm =
  /^[A-Z-]+(?:;VALUE=DATE:\d{8}|(?:;TZID=(?:[^;:,"]+|"[^"]*")|;VALUE=DATE-TIME)*:\d{8}T\d{6}(?:,\d{8}T\d{6})*|:\d{8}T\d{6}Z(?:,\d{8}T\d{6}Z)*)$/i;
/** Properties that determine when an event blocks. If one of them is unreadable, the event's times are uncertain. */
const timingProperty = /^(?:DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE|RECURRENCE-ID)(?=[;:])/i;

/** The property that replaces an unreadable line; its value is the name of the original property. */
export const unreadableProperty = 'x-unreadable';

/** A longer line is an attachment or a long text, of which nothing is needed; the parser takes quadratic time for parameters. */
const lineMaxLength = 65_536;
/** Limits of an object without such lines: thousands of changed occurrences, parsed in less than a second. */
const objectMax = { lines: 100_000, characters: 4 * 1024 * 1024 };

/** The lines of a text, unfolded (RFC 5545 section 3.1). Throws an Error if there are too many. */
function linesOf(text: string): string[] {
  const lines = text
    .replaceAll(/\r?\n[ \t]|\r[ \t]/g, '')
    .split(/\r\n|\n|\r/)
    .flatMap((line) => (line.length > lineMaxLength ? withoutLongLine(line) : [line]));
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  if (lines.length > objectMax.lines || characters > objectMax.characters)
    throw new Error('it is larger than any event');
  return lines;
}

function withoutLongLine(line: string): string[] {
  const name = timingProperty.exec(line)?.[0];
  return name === undefined ? [] : [`${unreadableProperty}:${name}`];
}

/** The text with dates and times in the form of RFC 5545; unknown forms stay unchanged. Throws an Error if it is too large. */
export function normalizeText(text: string): string {
  return linesOf(text)
    .flatMap((line) => (dateLine.test(line) && !standardForm.test(line) ? normalizeLine(line) : [line]))
    .join('\r\n');
}

/**
 * Where the values at the end of a line begin: the index of their colon and their texts; undefined without a value. An unquoted
 * zone name may contain colons, so the first colon that only values follow is the one. Takes linear time: one expression for
 * the whole line would read it again from every colon.
 */
function valuesOf(line: string): { index: number; values: string[] } | undefined {
  const parts = line.split(',');
  let whole = parts.length;
  while (whole > 0 && wholeValue.test(parts[whole - 1] as string)) whole -= 1;
  for (let part = Math.max(0, whole - 1); part < parts.length; part += 1) {
    const found = firstValue.exec(parts[part] as string);
    if (!found) continue;
    const before = parts.slice(0, part).reduce((length, each) => length + each.length + 1, 0);
    const values = [found[0].slice(1), ...parts.slice(part + 1)].map((each) => each.trim());
    return { index: before + found.index, values };
  }
  return undefined;
}

interface NormalizedValue {
  kind: 'DATE' | 'DATE-TIME' | 'PERIOD';
  text: string;
}

function normalizeLine(line: string): string[] {
  const name = (dateLine.exec(line)?.[0] ?? '').toUpperCase();
  const found = valuesOf(line);
  if (!found) return [line];
  const params = paramsOf(line.slice(name.length, found.index));
  const asDate = params.get('VALUE')?.toUpperCase() === 'DATE';
  const values = found.values.map((each) => normalizeValue(each, asDate));
  // one line per kind of value: a line cannot mix dates and times
  return [...Map.groupBy(values, ({ kind, text }) => `${kind}${/Z$/.test(text) ? 'Z' : ''}`).values()].map(
    (group) => formatLine(name, params, group),
  );
}

function formatLine(name: string, params: Map<string, string>, values: NormalizedValue[]): string {
  const kind = values[0]?.kind ?? 'DATE-TIME';
  const isUtc = values[0]?.text.endsWith('Z') && kind === 'DATE-TIME';
  const kept = [...params].filter(
    ([key]) => key !== 'VALUE' && !(key === 'TZID' && (isUtc || kind === 'DATE')),
  );
  const written = kept.map(([key, text]) => `;${key}=${/[:;,]/.test(text) ? `"${text}"` : text}`).join('');
  const type = kind === 'DATE-TIME' ? '' : `;VALUE=${kind}`;
  return `${name}${written}${type}:${values.map(({ text }) => text).join(',')}`;
}

/** The parameters of `;TZID=(UTC+01:00) Amsterdam, Berlin;X="a;b"`, without quotes. */
function paramsOf(text: string): Map<string, string> {
  const params = new Map<string, string>();
  for (const [, key = '', quoted, bare] of text.matchAll(/;([A-Za-z-]+)=(?:"([^"]*)"|([^;]*))/g))
    params.set(key.toUpperCase(), (quoted ?? bare ?? '').replaceAll('"', ''));
  return params;
}

function normalizeValue(text: string, asDate: boolean): NormalizedValue {
  const [, year, month, day, hour, minute, second = '00', zone = '', period] = value.exec(text) ?? [];
  const date = `${year}${month}${day}`;
  if (hour === undefined || asDate) return { kind: 'DATE', text: date };
  const local = `${date}T${hour}${minute}${second}`;
  if (period !== undefined) return { kind: 'PERIOD', text: `${local}${zone.toUpperCase()}/${period}` };
  return {
    kind: 'DATE-TIME',
    text: /^[+-]/.test(zone) ? toUtc(local, zone) : `${local}${zone.toUpperCase()}`,
  };
}

function toUtc(local: string, zone: string): string {
  const offset = `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  try {
    const instant = Temporal.PlainDateTime.from(local).toZonedDateTime(offset).toInstant();
    return instant.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '');
  } catch {
    return local;
  }
}

/**
 * Parses an object. If that fails, parses each event and zone separately, and an unparsable event line by line: an
 * unreadable line that determines when the event blocks becomes an `x-unreadable` property. Throws if there is no event.
 */
export function readObject(text: string): ICAL.Component {
  const normalized = normalizeText(text);
  const whole = parseComponent(normalized);
  if (whole?.name === 'vcalendar') return whole;
  const object = new ICAL.Component('vcalendar');
  for (const part of partsOf(normalized.split('\r\n')).flatMap(readPart)) object.addSubcomponent(part);
  if (object.getAllSubcomponents('vevent').length === 0) throw new Error('it is not an iCalendar object');
  return object;
}

/** The component of a text; undefined if it cannot be parsed or there are several. */
function parseComponent(text: string): ICAL.Component | undefined {
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

/** Parses an event or a zone. An unparsable zone is dropped, because its name may be enough. */
function readPart(lines: string[]): ICAL.Component[] {
  const part = parseComponent(lines.join('\r\n'));
  if (part !== undefined) return [part];
  return /VEVENT/i.test(lines[0] ?? '') ? [eventOf(lines)] : [];
}

/** An event from the lines that can be parsed one by one, without nested components such as alarms. */
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
    const name = timingProperty.exec(line)?.[0];
    if (name !== undefined) event.addPropertyWithValue(unreadableProperty, name.toUpperCase());
  }
}
