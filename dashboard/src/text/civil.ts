// Civil dates and times in a time zone: what a calendar shows. Pure.
const dayMs = 86_400_000;
export const minuteMs = 60_000;
export const minutesOfDay = 1_440;

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  formats.set(zone, made);
  return made;
}

/** What the clock of the zone shows, as if it were UTC: milliseconds, to the minute. */
function wallOf(at: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
}

/** The date of the instant in the zone, `YYYY-MM-DD`. */
export const civilDate = (at: Date, zone: string): string =>
  new Date(wallOf(at.getTime(), zone)).toISOString().slice(0, 10);

/** Minutes since midnight that the clock of the zone shows. */
export const minuteOf = (at: Date, zone: string): number => (wallOf(at.getTime(), zone) % dayMs) / minuteMs;

/** Milliseconds by which the clock of the zone is ahead of UTC. */
export const offsetMs = (at: Date, zone: string): number =>
  wallOf(at.getTime(), zone) - Math.floor(at.getTime() / minuteMs) * minuteMs;

/**
 * The instant at which the zone's clock shows this time; minutes past 24 hours belong to later dates. Of two, the earlier; in a gap,
 * the time after it.
 */
export function instantOf(date: string, minutes: number, zone: string): Date {
  const wall = Date.parse(`${date}T00:00:00Z`) + minutes * minuteMs;
  const [before, after] = [-dayMs, dayMs].map((ms) => wall - offsetMs(new Date(wall + ms), zone));
  const isShown = (at = 0) => wallOf(at, zone) === wall;
  return new Date((isShown(before) || !isShown(after) ? before : after) ?? wall);
}

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** Monday is 0. */
export const weekdayOf = (date: string): number => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;

/** `09:30` as minutes. */
export function minutesOfClock(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

/** Minutes as `09:30`; a day later, the clock begins again. */
export const clockOf = (minutes: number): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;
};

const dateText = /^\d{4}-\d\d-\d\d$/;
export const isDate = (value: unknown): value is string =>
  typeof value === 'string' && dateText.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`));
