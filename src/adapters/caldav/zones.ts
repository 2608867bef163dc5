// Time zones as iCalendar names them: IANA names, names with a prefix, and zones that an object defines itself. Pure.
import ICAL from 'ical.js';

export interface Zone {
  /**
   * The instants (epoch milliseconds) that a local time may mean: the same twice, or the earlier and the later where
   * clocks go back. A local time that clocks jump over is read as the jump moves it.
   */
  readings(local: Temporal.PlainDateTime): [earlier: number, later: number];
}

const known = new Map<string, Zone | null>();
const maxKnown = 1_000;

function remembered(key: string, make: () => Zone | null): Zone | null {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= maxKnown) known.delete(known.keys().next().value ?? '');
  const made = make();
  known.set(key, made);
  return made;
}

/** The zone of an IANA name (RFC 7809: servers may leave its definition out); null if there is none. */
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
 * (`/mozilla.org/20050126_1/Europe/Berlin`), goes before the definition, which is often old; any other name
 * (`W. Europe Standard Time`, `EST`) means what the object defines. Null where nothing says.
 */
export function zoneOf(tzid: string, object: ICAL.Component | undefined): Zone | null {
  const parts = tzid.split('/').filter((part) => part !== '');
  for (let from = 0; from < parts.length - 1; from += 1) {
    const named = namedZone(parts.slice(from).join('/'));
    if (named !== null) return named;
  }
  const definition = object
    ?.getAllSubcomponents('vtimezone')
    .find((each) => each.getFirstPropertyValue('tzid') === tzid);
  if (definition !== undefined) return definedZone(definition);
  return namedZone(parts.at(-1) ?? '');
}

/** The zone of a VTIMEZONE. */
export function definedZone(definition: ICAL.Component): Zone | null {
  const location = definition.getFirstPropertyValue('x-lic-location');
  const named = typeof location === 'string' ? namedZone(location) : null;
  if (named !== null) return named;
  return remembered(definition.toString(), () => {
    const zone = new ICAL.Timezone(definition);
    const instant = (local: Temporal.PlainDateTime) => {
      const { year, month, day, hour, minute, second } = local;
      const time = new ICAL.Time(
        { year, month, day, hour, minute, second, isDate: false },
        ICAL.Timezone.localTimezone,
      );
      return utc.readings(local)[0] - zone.utcOffset(time) * 1000;
    };
    return { readings: (local) => [instant(local), instant(local)] };
  });
}

/** The zone that the iCalendar text of a `calendar-timezone` property names or defines; null if it does neither. */
export function zoneOfCalendar(text: string): Zone | null {
  try {
    const definition = new ICAL.Component(ICAL.parse(text) as unknown[]).getFirstSubcomponent('vtimezone');
    const tzid = definition?.getFirstPropertyValue('tzid');
    if (!definition) return null;
    return (typeof tzid === 'string' ? zoneOf(tzid, undefined) : null) ?? definedZone(definition);
  } catch {
    return namedZone(text);
  }
}
