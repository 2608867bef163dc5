// Intervals of statistics in time zones, compared with the runtime's calendar; classes of durations.
import { describe, expect, test } from 'vitest';
import { intervalStarts, piecesOf, wholeQuarters } from '../../src/statistics/intervals.ts';
import { classRatio, durationOf, zeroClass } from '../../src/statistics/measures.ts';
import { fc } from '../harness/property.ts';

const hourMs = 3_600_000;
const at = (text: string) => Date.parse(text);
const texts = (starts: readonly number[] | undefined) =>
  starts?.map((start) => new Date(start).toISOString());
const zoned = (instant: number, zone: string) =>
  new Temporal.ZonedDateTime(BigInt(instant) * 1_000_000n, zone);

describe('the days of a zone', () => {
  test('start at its midnights, as 23, 24 or 25 hours', () => {
    const range = { from: at('2026-03-28T12:00Z'), to: at('2026-03-30T12:00Z') };
    expect(texts(intervalStarts('Europe/Berlin', 'day', range, 10))).toEqual([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
  });

  test('start later where a clock change skips midnight', () => {
    const range = { from: at('2026-04-23T00:00Z'), to: at('2026-04-25T00:00Z') };
    expect(texts(intervalStarts('Africa/Cairo', 'day', range, 10))).toEqual([
      '2026-04-22T22:00:00.000Z',
      '2026-04-23T22:00:00.000Z',
      '2026-04-24T21:00:00.000Z',
    ]);
  });

  test("equal the runtime's in every zone", () => {
    const zones = Intl.supportedValuesOf('timeZone');
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2060, 0) }),
        fc.integer({ min: 1, max: 300 }),
        (zone, from, hours) => {
          const to = from + hours * hourMs;
          const starts = intervalStarts(zone, 'day', { from, to }, 2_000) ?? [];
          const expected: number[] = [];
          let day = zoned(from, zone).startOfDay();
          while (day.epochMilliseconds < to) {
            expected.push(day.epochMilliseconds);
            day = day.add({ days: 1 }).startOfDay();
          }
          expect(texts(starts)).toEqual(texts(expected));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the hours of a zone', () => {
  test('start at full hours of its clocks, also in zones of quarter hours', () => {
    const range = { from: at('2026-01-01T00:20Z'), to: at('2026-01-01T02:15Z') };
    expect(texts(intervalStarts('Asia/Kathmandu', 'hour', range, 10))).toEqual([
      '2026-01-01T00:15:00.000Z',
      '2026-01-01T01:15:00.000Z',
    ]);
  });

  test('count a repeated hour twice', () => {
    const range = { from: at('2026-10-25T00:00Z'), to: at('2026-10-25T03:00Z') };
    expect(texts(intervalStarts('Europe/Berlin', 'hour', range, 10))).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });

  test('are an hour and a half where clocks change by half an hour', () => {
    const range = { from: at('2026-04-04T14:00Z'), to: at('2026-04-04T17:00Z') };
    expect(texts(intervalStarts('Australia/Lord_Howe', 'hour', range, 10))).toEqual([
      '2026-04-04T14:00:00.000Z',
      '2026-04-04T15:30:00.000Z',
      '2026-04-04T16:30:00.000Z',
    ]);
  });
});

test('a range of more intervals than allowed has none, however long', () => {
  const from = at('2026-01-01T00:00Z');
  expect(intervalStarts('UTC', 'hour', { from, to: from + 2_000 * hourMs }, 2_000)).toHaveLength(2_000);
  expect(intervalStarts('UTC', 'hour', { from, to: from + 2_001 * hourMs }, 2_000)).toBeUndefined();
  expect(intervalStarts('UTC', 'day', { from: -6e13, to: 8e15 }, 2_000)).toBeUndefined();
});

test('the pieces of all intervals cover a range without gap or overlap, full hours as hours', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('UTC', 'Asia/Kathmandu', 'Asia/Kolkata', 'Europe/Berlin', 'Australia/Lord_Howe'),
      fc.constantFrom('hour' as const, 'day' as const),
      fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2028, 0) }),
      fc.integer({ min: 1, max: 100 * hourMs }),
      (zone, length, from, lengthMs) => {
        const range = wholeQuarters({ from, to: from + lengthMs });
        const starts = intervalStarts(zone, length, range, 2_000) ?? [];
        const pieces = piecesOf(starts, range);
        let end = range.from;
        for (const piece of pieces) {
          expect(piece.from).toBe(end);
          expect(piece.from).toBeGreaterThanOrEqual(starts[piece.index] ?? Number.POSITIVE_INFINITY);
          expect(piece.to).toBeLessThanOrEqual(starts[piece.index + 1] ?? range.to);
          if (piece.minutes === 60) expect([piece.from % hourMs, piece.to % hourMs]).toEqual([0, 0]);
          else expect(piece.to - piece.from).toBeLessThan(2 * hourMs);
          end = piece.to;
        }
        expect(end).toBe(range.to);
      },
    ),
    { numRuns: 300 },
  );
});

test('a duration is at most 10 % off in its class', () => {
  expect(durationOf(zeroClass)).toBe(0);
  for (let ms = 1; ms < 200_000; ms = ms < 2_000 ? ms + 1 : Math.ceil(ms * 1.001)) {
    const shown = durationOf(Math.floor(Math.log(ms) / Math.log(classRatio)));
    expect(Math.abs(shown - ms) / ms).toBeLessThanOrEqual(0.1);
  }
});
