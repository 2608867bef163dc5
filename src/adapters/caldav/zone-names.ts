// Time zone names of calendar programs, converted to names that Temporal knows. Pure.
import windowsZones from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' };
import { isZone } from '../../base/time-zones.ts';
import { displayNames } from './display-names.ts';

/** The IANA name of each Windows name in lower case, by CLDR (territory 001, the default). */
const windowsNames = new Map(
  windowsZones.supplemental.windowsZones.mapTimezones
    .filter(({ mapZone }) => mapZone._territory === '001')
    .map(({ mapZone }) => [mapZone._other.toLowerCase(), mapZone._type]),
);

/** No name is longer; the rest is ignored. */
export const zoneNameMaxLength = 200;

/** A name in lower case, without stray quotes, backslashes and repeated spaces. */
export const cleanName = (name: string) =>
  name
    .slice(0, zoneNameMaxLength)
    .replaceAll(/["\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^'(.*)'$/, '$1')
    .toLowerCase();

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

interface DisplayedName {
  /** `+HH:MM`, outside summer time; null if the name has none. */
  offset: string | null;
  /** The text after the offset, in lower case. */
  place: string;
}

/** The parts of Outlook's display name: `(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna`. */
function parseDisplayedName(name: string): DisplayedName {
  const match = /^\((utc|gmt)(?: ?([+\u2212-]) ?(\d{1,2})[:.]?(\d{2})?)?\) ?(.+)$/.exec(name);
  if (!match) return { offset: null, place: name };
  const offset = offsetText(match[2] ?? '+', match[3], match[4]);
  const place = (match[5] ?? '').replaceAll(' and canada', ' & canada').replaceAll(' :', ':');
  return { offset, place };
}

let cities: Map<string, string[]> | undefined;

/** The zones of a city: `mexico city` → `America/Mexico_City`. */
function zonesOfCity(city: string): string[] {
  if (cities === undefined) {
    const known = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
    cities = Map.groupBy(known, (zone) => zone.slice(zone.lastIndexOf('/') + 1).toLowerCase());
  }
  return cities.get(city.trim().replaceAll(' ', '_')) ?? [];
}

/** True if the zone has `offset` in January or in July 2024, so with or without summer time. */
function hasOffset(zone: string, offset: string): boolean {
  return ['2024-01-15T12:00Z', '2024-07-15T12:00Z'].some(
    (at) => Temporal.Instant.from(at).toZonedDateTimeISO(zone).offset === offset,
  );
}

function zoneOfPlace({ offset, place }: DisplayedName): string | null {
  const byName = displayNames[place];
  if (byName !== undefined) return byName;
  if (offset === null) return null;
  if (place.startsWith('coordinated universal time')) return offset;
  const matching = place
    .split(/[,;/]/)
    .flatMap(zonesOfCity)
    .filter((zone) => hasOffset(zone, offset));
  return matching[0] ?? null;
}

/**
 * Temporal's name of a zone: from an IANA name, a Windows name (also for summer time, or numbered by Outlook), a fixed
 * offset, or a display name of Outlook. Null if unknown.
 */
export function zoneIdOf(name: string): string | null {
  const clean = cleanName(name);
  if (clean === '') return null;
  if (isZone(clean)) return clean;
  const standard = clean.replace(/\b(?:daylight|summer) time/, 'standard time').replace(/ \d$/, '');
  const windows = windowsNames.get(clean) ?? windowsNames.get(standard);
  return windows ?? fixedOffset(clean) ?? zoneOfPlace(parseDisplayedName(clean));
}

/**
 * The zone to assume for an unknown name: the staff member's, or the offset in the name if the staff member's zone never
 * has that offset.
 */
export function fallbackZoneId(name: string, staffZone: string): string {
  const { offset } = parseDisplayedName(cleanName(name));
  return offset === null || hasOffset(staffZone, offset) ? staffZone : offset;
}
