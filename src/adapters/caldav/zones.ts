// Time zones as iCalendar names them: IANA names, names with a prefix, and zones that an object defines itself. Pure.
import ICAL from 'ical.js';
import { openCache } from '../../base/cache.ts';
import { cleanName, zoneIdOf } from './zone-names.ts';

export interface Zone {
  /**
   * The instants (epoch milliseconds) that a local time may mean: the same twice, or the earlier and the later where
   * clocks go back. A local time that clocks jump over is read as the jump moves it.
   */
  readings(local: Temporal.PlainDateTime): [earlier: number, later: number];
}

const known = openCache<{ zone: Zone | null }>({ max: 1_000 });

function remembered(key: string, make: () => Zone | null): Zone | null {
  const found = known.get(key);
  if (found !== undefined) return found.zone;
  const zone = make();
  known.set(key, { zone });
  return zone;
}

/** The zone of an IANA name (RFC 7809: servers may leave its definition out) or an offset; null if there is none. */
export function namedZone(name: string): Zone | null {
  return remembered(name, () => {
    try {
      Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    } catch {
      return null;
    }
    return {
      readings: (local) => [
        local.toZonedDateTime(name).epochMilliseconds,
        local.toZonedDateTime(name, { disambiguation: 'later' }).epochMilliseconds,
      ],
    };
  });
}

export const utc = namedZone('UTC') as Zone;

/**
 * The zone that a TZID means in an object. An IANA name with an area (`Europe/Berlin`), also behind a prefix
 * (`/mozilla.org/20050126_1/Europe/Berlin`), goes before the definition, which is often old. Any other name means what the
 * object defines (Outlook's `Customized Time Zone`); where it defines nothing of use, the name is looked up: Windows names,
 * fixed offsets, and what Outlook shows. Null where nothing says.
 */
export function zoneOf(tzid: string, object: ICAL.Component | undefined): Zone | null {
  const name = cleanName(tzid);
  const parts = name.split('/').filter((part) => part !== '');
  for (let from = 0; from < parts.length - 1; from += 1) {
    const named = namedZone(parts.slice(from).join('/'));
    if (named !== null) return named;
  }
  const definition = object
    ?.getAllSubcomponents('vtimezone')
    .find((each) => cleanName(String(each.getFirstPropertyValue('tzid') ?? '')) === name);
  const defined = definition === undefined ? null : definedZone(definition);
  if (defined !== null) return defined;
  // behind a prefix: `tzone://Microsoft/Utc`
  const id = zoneIdOf(name) ?? zoneIdOf(parts.at(-1) ?? '');
  return id === null ? null : namedZone(id);
}

/** After this year, clocks change as they do in it: a zone's rules are followed year by year. */
const lastYear = 2096;
/** Years of all rules of one zone together; Outlook's two begin in 1601. Beyond that a zone is given up (within 0.3 s). */
const maxRuleYears = 2_500;
/** The second Sunday of a month, written by its dates. */
const maxListed = 7;
const yearlyParts = new Set(['BYMONTH', 'BYDAY', 'BYMONTHDAY']);

/** True if the rules by which a zone's clocks change are as zones have them, once a year: others never come to an end. */
function isFollowable(observances: readonly ICAL.Component[]): boolean {
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

/** The zone of a VTIMEZONE; null if its rules cannot be followed. */
export function definedZone(definition: ICAL.Component): Zone | null {
  const location = definition.getFirstPropertyValue('x-lic-location');
  const named = typeof location === 'string' ? namedZone(cleanName(location)) : null;
  if (named !== null) return named;
  return remembered(definition.toString(), () => {
    const observances = ['standard', 'daylight'].flatMap((name) => definition.getAllSubcomponents(name));
    if (observances.length === 0 || !isFollowable(observances)) return null;
    const zone = new ICAL.Timezone(definition);
    const instant = (local: Temporal.PlainDateTime) => {
      const known = local.year > lastYear ? local.with({ year: lastYear }) : local;
      const { year, month, day, hour, minute, second } = known;
      const time = new ICAL.Time(
        { year, month, day, hour, minute, second, isDate: false },
        ICAL.Timezone.localTimezone,
      );
      return utc.readings(local)[0] - zone.utcOffset(time) * 1000;
    };
    try {
      if (!Number.isFinite(instant(new Temporal.PlainDateTime(2035, 7, 1)))) return null;
    } catch {
      return null;
    }
    return { readings: (local) => [instant(local), instant(local)] };
  });
}

/** The zone that the iCalendar text of a `calendar-timezone` property names or defines; null if it does neither. */
export function zoneOfCalendar(text: string): Zone | null {
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
