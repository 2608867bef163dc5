// The states of a booking: allowed changes, and the next step.
import { expect, test } from 'vitest';
import {
  type BookingRow,
  checkChangeable,
  isAt,
  isOver,
  taskFor,
} from '../../src/appointments/booking/booking.ts';

const [startsAt, endsAt] = [new Date('2030-01-01T10:00Z'), new Date('2030-01-01T10:30Z')];
const row = (more: Partial<BookingRow> = {}) =>
  ({
    state: 'confirmed',
    starts_at: startsAt,
    ends_at: endsAt,
    pending_change: null,
    calendar_state: 'in_step',
    event_ends_at: null,
    ...more,
  }) as BookingRow;

test('a booking is at its time only if its event is too and no change is pending', () => {
  expect(isAt(row(), { startsAt, endsAt })).toBe(true);
  expect(isAt(row(), { startsAt: endsAt, endsAt })).toBe(false);
  expect(isAt(row({ calendar_state: 'moved' }), { startsAt, endsAt })).toBe(false);
  expect(isAt(row({ calendar_state: 'deleted' }), { startsAt, endsAt })).toBe(false);
  expect(isAt(row({ pending_change: 'move' }), { startsAt, endsAt })).toBe(false);
});

test('a booking is over at the end of its event, also if it was moved externally', () => {
  const later = new Date(endsAt.getTime() + 3_600_000);
  expect(isOver(row(), endsAt.getTime())).toBe(true);
  expect(isOver(row({ event_ends_at: later }), endsAt.getTime())).toBe(false);
});

test.each([
  ['held', null, 'recover'],
  ['undoing', null, 'compensate'],
  ['confirmed', 'cancel', 'cancel'],
  ['confirmed', 'move', 'move'],
  ['confirmed', null, 'none'],
  ['cancelled', null, 'none'],
  ['undone', null, 'none'],
] as const)(
  'the next step of a booking that is %s with the pending change %s is %s',
  (state, change, task) => {
    expect(taskFor(row({ state, pending_change: change }))).toBe(task);
  },
);

test.each([
  ['held', { retryAfterSeconds: 5 }],
  ['undoing', {}],
  ['undone', {}],
  ['cancelled', {}],
] as const)('a booking that is %s cannot be changed: %j', (state, details) => {
  expect(() => checkChangeable(row({ state }), 0)).toThrow(
    expect.objectContaining({ code: 'booking_not_changeable', details }),
  );
});
