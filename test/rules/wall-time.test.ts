// Offsets of zones and formatted instants, compared with the runtime's.
import { describe, expect, test } from 'vitest';
import { dayMs, instantTexts, offsetAt } from '../../src/appointments/slots/wall-time.ts';
import { zoneSpans } from '../../src/base/time-zones.ts';
import { fc } from '../harness/property.ts';

const zones = Intl.supportedValuesOf('timeZone');
const instants = fc.integer({ min: Date.UTC(1960, 0), max: Date.UTC(2090, 0) });

describe('the offsets of a zone over a period', () => {
  test("equal the runtime's, without gaps, for any period", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        instants,
        fc.integer({ min: 1, max: 900 * dayMs }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (zone, from, length, at) => {
          const spans = zoneSpans(zone, from, from + length);
          expect([spans[0]?.from, spans.at(-1)?.to]).toEqual([from, from + length]);
          spans.slice(1).forEach((span, index) => {
            expect(span.from).toBe(spans[index]?.to);
            expect(span.offset).not.toBe(spans[index]?.offset);
          });
          const instant = from + Math.floor(at * length);
          const { offsetNanoseconds } = new Temporal.ZonedDateTime(BigInt(instant) * 1_000_000n, zone);
          expect(offsetAt(spans, instant)).toBe(offsetNanoseconds / 1_000_000);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('throw RangeError for an unknown zone', () => {
    expect(() => zoneSpans('Mars/Base', 0, 1)).toThrow(RangeError);
  });
});

test('instantTexts formats like Date.toISOString', () => {
  const text = instantTexts();
  fc.assert(
    fc.property(
      fc.oneof(
        instants,
        instants.map((ms) => ms - (ms % 60_000)),
      ),
      (ms) => {
        expect(text(ms)).toBe(new Date(ms).toISOString());
      },
    ),
  );
});
