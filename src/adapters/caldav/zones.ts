// Time zones of iCalendar objects: by IANA name, by prefixed name, or defined in the object. Pure.
import ICAL from 'ical.js';
import { type Cache, openCache } from '../../base/cache.ts';
import { isZone } from '../../base/time-zones.ts';
import { cleanName, zoneIdOf } from './zone-names.ts';

export interface Zone {
  /**
   * The instants (epoch milliseconds) of a local time: the same one twice, or the earlier and the later if clocks go back.
   * A local time that a clock change skips moves forward by the change.
   */
  instantsOf(local: Temporal.PlainDateTime): [earlier: number, later: number];
}

type ZoneCache = Cache<{ zone: Zone | null }>;
const byName: ZoneCache = openCache({ max: 1_000 });
const byDefinition: ZoneCache = openCache({ max: 200 });

function cached(cache: ZoneCache, key: string, make: () => Zone | null): Zone | null {
  const found = cache.get(key);
  if (found !== undefined) return found.zone;
  const zone = make();
  cache.set(key, { zone });
  return zone;
}

/** The zone of an IANA name (RFC 7809: servers may omit its definition) or an offset; null if unknown. */
export function namedZone(name: string): Zone | null {
  return cached(byName, name, () => {
    if (!isZone(name)) return null;
    return {
      instantsOf: (local) => [
        local.toZonedDateTime(name).epochMilliseconds,
        local.toZonedDateTime(name, { disambiguation: 'later' }).epochMilliseconds,
      ],
    };
  });
}

export const utc = namedZone('UTC') as Zone;

/** IANA names have at most three parts: `America/Argentina/Buenos_Aires`. */
const namePartsMax = 3;
/** The most definitions of one object that are read: expanding one may take 0.3 s. */
const definitionsMax = 10;

interface ObjectZones {
  /** What was found, by TZID. */
  found: Map<string, Zone | null>;
  /** Definitions by clean name. */
  definitions: Map<string, ICAL.Component>;
}

/** An object may have thousands of dates, each with a TZID. */
const zonesByObject = new WeakMap<ICAL.Component, ObjectZones>();

function zonesIn(object: ICAL.Component): ObjectZones {
  const known = zonesByObject.get(object);
  if (known) return known;
  const definitions = new Map<string, ICAL.Component>();
  for (const each of object.getAllSubcomponents('vtimezone').slice(0, definitionsMax)) {
    const name = cleanName(String(each.getFirstPropertyValue('tzid') ?? ''));
    if (!definitions.has(name)) definitions.set(name, each);
  }
  const zones = { found: new Map(), definitions };
  zonesByObject.set(object, zones);
  return zones;
}

/**
 * The zone of a TZID in an object; null if unknown. In this order:
 * 1. an IANA name with an area (`Europe/Berlin`), also with a prefix (`/mozilla.org/20050126_1/Europe/Berlin`), because
 *    definitions in objects are often outdated;
 * 2. the definition in the object, for example of Outlook's `Customized Time Zone`;
 * 3. the name as a Windows name, a fixed offset, or a display name of Outlook.
 */
export function zoneOf(tzid: string, object: ICAL.Component | undefined): Zone | null {
  if (object === undefined) return findZone(tzid, new Map());
  const { found, definitions } = zonesIn(object);
  const known = found.get(tzid);
  if (known !== undefined) return known;
  const zone = findZone(tzid, definitions);
  found.set(tzid, zone);
  return zone;
}

function findZone(tzid: string, definitions: ObjectZones['definitions']): Zone | null {
  const name = cleanName(tzid);
  const parts = name
    .split('/')
    .filter((part) => part !== '')
    .slice(-namePartsMax);
  for (let from = 0; from < parts.length - 1; from += 1) {
    const named = namedZone(parts.slice(from).join('/'));
    if (named !== null) return named;
  }
  const definition = definitions.get(name);
  const defined = definition === undefined ? null : definedZone(definition);
  if (defined !== null) return defined;
  // the last part of a prefixed name: `tzone://Microsoft/Utc`
  const id = zoneIdOf(name) ?? zoneIdOf(parts.at(-1) ?? '');
  return id === null ? null : namedZone(id);
}

/** Later years use the clock changes of this year, because a zone's rules are expanded year by year. */
const lastYear = 2096;
/** The most years of all rules of a zone together: takes at most 0.3 s. Outlook's two rules begin in 1601. */
const maxRuleYears = 2_500;
/** Enough for the second Sunday of a month as a list of dates. */
const maxListed = 7;
const yearlyParts = new Set(['BYMONTH', 'BYDAY', 'BYMONTHDAY']);

/** True if the clock changes of a zone are yearly rules of the usual form; expanding other rules may take too long. */
function isExpandable(observances: readonly ICAL.Component[]): boolean {
  let years = 0;
  for (const observance of observances) {
    const start = observance.getFirstPropertyValue('dtstart');
    for (const property of observance.getAllProperties('rrule')) {
      const rule = property.getFirstValue();
      if (!(rule instanceof ICAL.Recur && start instanceof ICAL.Time) || rule.freq !== 'YEARLY') return false;
      const parts = Object.entries(rule.parts);
      if (!parts.every(([part]) => yearlyParts.has(part))) return false;
      if (parts.reduce((product, [, listed]) => product * (listed?.length ?? 1), 1) > maxListed) return false;
      if (rule.parts.BYDAY && !rule.parts.BYMONTH) return false;
      const last = rule.until instanceof ICAL.Time ? Math.min(rule.until.year, lastYear) : lastYear;
      years += Math.max(0, last - start.year);
    }
  }
  return years <= maxRuleYears;
}

/** A longer definition, without its comments, has more clock changes than any zone. */
const definitionMaxLength = 32_768;
const clockProperties = ['dtstart', 'tzoffsetfrom', 'tzoffsetto', 'rrule', 'rdate'];

/** A definition with the clock changes alone. It does not keep the rest of its object in memory. */
function definitionOf(observances: readonly ICAL.Component[]): ICAL.Component {
  const definition = new ICAL.Component('vtimezone');
  for (const observance of observances) {
    const copy = new ICAL.Component(observance.name);
    for (const property of clockProperties.flatMap((name) => observance.getAllProperties(name)))
      copy.addProperty(new ICAL.Property(property.toJSON()));
    definition.addSubcomponent(copy);
  }
  return definition;
}

/** The zone of a VTIMEZONE; null if its rules cannot be expanded. */
function definedZone(component: ICAL.Component): Zone | null {
  const location = component.getFirstPropertyValue('x-lic-location');
  const named = typeof location === 'string' ? namedZone(cleanName(location)) : null;
  if (named !== null) return named;
  const observances = ['standard', 'daylight'].flatMap((name) => component.getAllSubcomponents(name));
  if (observances.length === 0 || !isExpandable(observances)) return null;
  const definition = definitionOf(observances);
  const text = definition.toString();
  if (text.length > definitionMaxLength) return null;
  return cached(byDefinition, text, () => {
    const zone = new ICAL.Timezone(definition);
    const instant = (local: Temporal.PlainDateTime) => {
      const limited = local.year > lastYear ? local.with({ year: lastYear }) : local;
      const { year, month, day, hour, minute, second } = limited;
      const time = new ICAL.Time(
        { year, month, day, hour, minute, second, isDate: false },
        ICAL.Timezone.localTimezone,
      );
      return utc.instantsOf(local)[0] - zone.utcOffset(time) * 1000;
    };
    try {
      if (!Number.isFinite(instant(new Temporal.PlainDateTime(2035, 7, 1)))) return null;
    } catch {
      return null;
    }
    return { instantsOf: (local) => [instant(local), instant(local)] };
  });
}

/** A longer text is no time zone. */
const calendarZoneMaxLength = 65_536;

/** The zone of a `calendar-timezone` property, which holds iCalendar text; null if it has none. */
export function zoneOfCalendar(text: string): Zone | null {
  if (text.length > calendarZoneMaxLength) return null;
  try {
    const object = new ICAL.Component(ICAL.parse(text) as unknown[]);
    const definition = object.getFirstSubcomponent('vtimezone');
    const tzid = definition?.getFirstPropertyValue('tzid');
    if (!definition) return null;
    return (typeof tzid === 'string' ? zoneOf(tzid, object) : null) ?? definedZone(definition);
  } catch {
    return zoneOf(text, undefined);
  }
}
