// The check of bookings reports each violation in falsified evidence, and nothing else.
import { expect, test } from 'vitest';
import type { GuaranteeName } from '../guarantees.ts';
import { type BookingEvidence, checkBookings } from './check-bookings.ts';
import { givesUpLostLock } from './programs.ts';

const slot = { staffId: 'staff', date: '2026-11-23', from: '09:00', to: '09:15' };
const taken = { status: 409, code: 'slot_unavailable' };

/** One slot that two callers wanted: the first got it, after a 503. */
const sampleEvidence = (): BookingEvidence => ({
  wanted: [
    {
      key: 'k1',
      slot,
      responses: [
        { status: 503, code: 'database_unavailable' },
        { status: 200, bookingId: 'b1' },
      ],
      unanswered: 0,
    },
    { key: 'k2', slot, responses: [taken], unanswered: 1 },
  ],
  rows: [
    { id: 'b1', state: 'confirmed', eventId: 'e1' },
    { id: 'b2', state: 'undone', eventId: 'e2' },
  ],
  events: [{ id: 'e1', calendar: 'staff', startsAt: '2026-11-23T09:00:00Z' }],
});

function violationsIn(evidence: BookingEvidence): GuaranteeName[] {
  const found: GuaranteeName[] = [];
  checkBookings(evidence, (guarantee) => found.push(guarantee), {});
  return found;
}

test('evidence of bookings without a problem has no violation', () => {
  expect(violationsIn(sampleEvidence())).toEqual([]);
});

const second = (e: BookingEvidence) => e.wanted[1] as BookingEvidence['wanted'][0];
const row = (e: BookingEvidence) => e.rows[0] as BookingEvidence['rows'][0];

test.each<[problem: string, guarantees: GuaranteeName[], falsify: (evidence: BookingEvidence) => unknown]>([
  ['a booking in a response has no row', ['booking_lost', 'booking_event'], (e) => void e.rows.shift()],
  [
    'a booking in a response is undone',
    ['booking_lost', 'booking_event'],
    (e) => Object.assign(row(e), { state: 'undone' }),
  ],
  ['a booking has no event', ['booking_lost', 'booking_event'], (e) => void e.events.shift()],
  [
    'an event has no booking',
    ['booking_event'],
    (e) => void e.events.push({ id: 'e9', calendar: 'staff', startsAt: '2026-11-23T10:00:00Z' }),
  ],
  [
    'a slot has two events',
    ['booking_event', 'booking_twice'],
    (e) => void e.events.push({ ...(e.events[0] as (typeof e.events)[0]), id: 'e9' }),
  ],
  [
    'two callers were given one slot',
    ['booking_twice'],
    (e) => Object.assign(second(e), { responses: [{ status: 200, bookingId: 'b1' }] }),
  ],
  [
    'responses to one key name two bookings',
    ['booking_twice', 'booking_lost'],
    (e) => void e.wanted[0]?.responses.push({ status: 200, bookingId: 'b9' }),
  ],
  ['a caller never got an outcome', ['unanswered'], (e) => Object.assign(second(e), { responses: [] })],
  ['a caller got a 500', ['unexpected_response'], (e) => void second(e).responses.push({ status: 500 })],
])('reports that %s', (_problem, guarantees, falsify) => {
  const evidence = sampleEvidence();
  falsify(evidence);
  expect(violationsIn(evidence)).toEqual(guarantees);
});

test.each([
  ['patroni 3.0.2', false],
  ['patroni 3.1.0', true],
  ['patroni.py 4.1.4', true],
  ['patroni 2.9.0', false],
])('%s gives up a lost lock: %s', (version, expected) => {
  expect(givesUpLostLock(version)).toBe(expected);
});
