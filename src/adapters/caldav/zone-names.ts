// Names of time zones as calendar programs write them, turned into names that Temporal knows. Pure.
import windowsZones from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' };
import { displayNames } from './display-names.ts';

/** CLDR's choice for the whole world (territory 001) of each Windows name, by the name in lower case. */
const windowsNames = new Map(
  windowsZones.supplemental.windowsZones.mapTimezones
    .filter(({ mapZone }) => mapZone._territory === '001')
    .map(({ mapZone }) => [mapZone._other.toLowerCase(), mapZone._type]),
);

/** A name without the quotes, backslashes and doubled spaces that programs leave in it, in lower case. */
export const cleanName = (name: string) =>
  name
    .replaceAll(/["\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^'(.*)'$/, '$1')
    .toLowerCase();

const isZone = (name: string) => {
  // Temporal takes whole times in place of a zone, too
  if (/^\d|T\d/.test(name)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
};

/** `+HH:MM` of `GMT+01:00`, `UTC-3`, `(UTC+05:30)`, `-0500`, `GMT+01.00`, `UTC`; null for anything else. */
function fixedOffset(name: string): string | null {
  const match =
    /^\(?(?:(?:utc|gmt|z)(?: ?([+\u2212-]) ?(\d{1,2})(?:[:.]?(\d{2}))?)?|([+\u2212-])(\d{2})[:.]?(\d{2}))\)?$/i.exec(
      name,
    );
  return match && offsetText(match[1] ?? match[4] ?? '+', match[2] ?? match[5], match[3] ?? match[6]);
}

function offsetText(sign: string, hours = '0', minutes = '0'): string | null {
  if (Number(hours) > 14 || Number(minutes) > 59) return null;
  return `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}`;
}

interface Shown {
  /** `+HH:MM`, outside summer time; null if the name does not say. */
  offset: string | null;
  /** What stands behind it, in lower case. */
  place: string;
}

/** The parts of a name as Outlook shows it: `(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna`. */
function shown(name: string): Shown {
  const match = /^\((utc|gmt)(?: ?([+\u2212-]) ?(\d{1,2})[:.]?(\d{2})?)?\) ?(.+)$/.exec(name);
  if (!match) return { offset: null, place: name };
  const offset = offsetText(match[2] ?? '+', match[3], match[4]);
  const place = (match[5] ?? '').replaceAll(' and canada', ' & canada').replaceAll(' :', ':');
  return { offset, place };
}

let cities: Map<string, string[]> | undefined;

/** The zones of the database by their cities: `mexico_city` → `America/Mexico_City`. */
function zonesOfCity(city: string): string[] {
  if (cities === undefined) {
    const known = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
    cities = Map.groupBy(known, (zone) => zone.slice(zone.lastIndexOf('/') + 1).toLowerCase());
  }
  return cities.get(city.trim().replaceAll(' ', '_')) ?? [];
}

/** True if clocks of that zone show `offset` in January or in July of this decade: outside summer time or within. */
function hasOffset(zone: string, offset: string): boolean {
  return ['2024-01-15T12:00Z', '2024-07-15T12:00Z'].some(
    (at) => Temporal.Instant.from(at).toZonedDateTimeISO(zone).offset === offset,
  );
}

function zoneOfPlace({ offset, place }: Shown): string | null {
  const byName = displayNames[place];
  if (byName !== undefined) return byName;
  if (offset === null) return null;
  if (place.startsWith('coordinated universal time')) return offset;
  const fitting = place
    .split(/[,;/]/)
    .flatMap(zonesOfCity)
    .filter((zone) => hasOffset(zone, offset));
  return fitting[0] ?? null;
}

/**
 * What Temporal calls the zone of a name: an IANA name, a Windows name (also one for summer time, or numbered by Outlook),
 * a fixed offset, or words that Outlook shows. Null if nobody knows.
 */
export function zoneIdOf(name: string): string | null {
  const clean = cleanName(name);
  if (clean === '') return null;
  if (isZone(clean)) return clean;
  const standard = clean.replace(/\b(?:daylight|summer) time/, 'standard time').replace(/ \d$/, '');
  const windows = windowsNames.get(clean) ?? windowsNames.get(standard);
  return windows ?? fixedOffset(clean) ?? zoneOfPlace(shown(clean));
}

/**
 * How a local time is best read in a zone that nobody knows: where the staff member lives, unless the name states an offset
 * that their zone never has.
 */
export function guessedZoneId(name: string, staffZone: string): string {
  const { offset } = shown(cleanName(name));
  return offset === null || hasOffset(staffZone, offset) ? staffZone : offset;
}
