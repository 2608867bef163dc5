// Numbers, dates and durations in the viewer's language and time zone.
import { civilDate } from './civil.ts';
import { direction, language } from './language.ts';
import { zone } from './zone.ts';

export { zone };

/** The browser's own form of the page's language, such as en-GB: it knows how its people write dates. */
const locale = navigator.languages.find((tag) => tag.split('-')[0] === language && isTag(tag)) ?? language;

/** False for the name of a system without languages, such as en-US@posix, which formats reject. */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

export const formatNumber = (value: number): string => whole.format(value);
export const formatShort = (value: number): string => short.format(value);
/** `part` of `total` as a percentage; a dash without a total. */
export const formatShare = (part: number, total: number): string =>
  total === 0 ? '–' : percent.format(part / total);

const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 0, signDisplay: 'exceptZero' });
const points = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const change = new Intl.NumberFormat(locale, {
  ...{ style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' },
});
/** `+212`. */
export const formatSigned = (value: number): string => signed.format(value);
/** `−0.4`, of a difference of percentages. */
export const formatPoints = (value: number): string => points.format(value);
/** `+6 %`: by how much a figure differs from what it was. */
export const formatChange = (now: number, before: number): string => change.format((now - before) / before);

type Options = Intl.DateTimeFormatOptions;
const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(options: Options): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  formats.set(key, made);
  return made;
}

const clock: Options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const day: Options = { day: 'numeric', month: 'short' };

/** `14:05`. */
export const formatClock = (at: Date, timeZone = zone) => formatOf({ ...clock, timeZone }).format(at);
/** `14:05:07.112`. */
export const formatExact = (at: Date, timeZone = zone) =>
  formatOf({ ...clock, second: '2-digit', fractionalSecondDigits: 3, timeZone }).format(at);
/** The year of a civil date, if it is another one. */
const otherYear = (date: string): Options =>
  date.slice(0, 4) === civilDate(new Date(), zone).slice(0, 4) ? {} : { year: 'numeric' };

/** `24 Nov`, with the year if it is another one. */
export const formatDay = (at: Date, timeZone = zone) =>
  formatOf({ ...day, ...otherYear(civilDate(at, timeZone)), timeZone }).format(at);
/** `Tue 24 Nov, 10:42`, with the year if it is another one. */
export const formatMoment = (at: Date, timeZone = zone) =>
  formatOf({ ...day, ...otherYear(civilDate(at, timeZone)), weekday: 'short', ...clock, timeZone }).format(
    at,
  );
/** A civil date, as `Tue 24 Nov` below a heading with its year. */
export const formatColumnDate = (date: string) =>
  formatOf({ weekday: 'short', ...day, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
/** A civil date, as `Tue 24 Nov`, with the year if it is another one, or in full, as `Tuesday 24 November 2026`. */
export const formatDate = (date: string, isFull = false) =>
  formatOf({
    ...(isFull
      ? { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }
      : { weekday: 'short', ...day, ...otherYear(date) }),
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));
/** The name of a weekday; Monday is 0. */
export const formatWeekday = (weekday: number) =>
  formatOf({ weekday: 'long', timeZone: 'UTC' }).format(new Date(Date.UTC(2024, 0, 1 + weekday)));
/** Civil dates, as `23 – 27 November 2026`. */
export const formatDates = (from: string, to: string) =>
  formatOf({ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).formatRange(
    new Date(`${from}T00:00:00Z`),
    new Date(`${to}T00:00:00Z`),
  );
/** `10:30 – 11:00`; read from the right where the page is. */
export function formatTimes(from: Date, to: Date, timeZone = zone): string {
  const times = `${formatClock(from, timeZone)} – ${formatClock(to, timeZone)}`;
  return direction === 'rtl' ? `\u2067${times}\u2069` : times;
}
/** The day on which weeks begin where the viewer is; Monday is 0. */
export function firstWeekday(): number {
  const { firstDay = 1 } =
    (new Intl.Locale(locale) as { getWeekInfo?: () => { firstDay?: number } }).getWeekInfo?.() ?? {};
  return firstDay - 1;
}
/** `24 Nov 2026, 10:42:16.402`. */
export const formatInstant = (at: Date, timeZone = zone) =>
  formatOf({
    ...{ ...day, year: 'numeric', ...clock, second: '2-digit', fractionalSecondDigits: 3 },
    timeZone,
  }).format(at);

/** The text with its instants (`2026-11-24T09:42:16.402Z`) in the viewer's zone. */
export const withLocalTimes = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) => {
    const at = new Date(instant);
    // isolated: the words around it may have the other direction
    return `\u2068${formatDay(at)}, ${formatClock(at)}\u2069`;
  });

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const relative = new Intl.RelativeTimeFormat(locale, { style: 'narrow', numeric: 'auto' });

/** `3 min. ago`, `in 2 hr.`: the largest unit only. */
export function formatRelative(at: Date, nowMs: number): string {
  const seconds = (at.getTime() - nowMs) / 1000;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

const unitFormat = (unit: string, maximumFractionDigits = 0) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits });
const milliseconds = unitFormat('millisecond');
const seconds = unitFormat('second', 1);
const minutes = unitFormat('minute');
const hours = unitFormat('hour');

/** `182 ms`, `1.4 s`, `4 min 12 s`, `5 h 12 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return milliseconds.format(Math.round(ms));
  if (ms < 60_000) return seconds.format(ms / 1_000);
  const totalSeconds = Math.floor(ms / 1_000);
  if (ms < 3_600_000)
    return `${minutes.format(Math.floor(totalSeconds / 60))} ${seconds.format(totalSeconds % 60)}`;
  return `${hours.format(Math.floor(totalSeconds / 3_600))} ${minutes.format(Math.floor((totalSeconds % 3_600) / 60))}`;
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** `41 MB`, in powers of 1,000, as disks are sold. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3));
  return unitFormat(byteUnits[power] ?? 'byte', power === 0 ? 0 : 1).format(bytes / 1_000 ** power);
}

const list = new Intl.ListFormat(locale, { type: 'conjunction' });
export const formatList = (items: readonly string[]): string => list.format(items);
