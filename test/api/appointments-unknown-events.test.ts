// The search for bookings that only the calendars have, after a restore.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findUnknownEvents } from '../../src/appointments/booking/unknown-events.ts';
import { type AppointmentsFixture, openAppointmentsFixture } from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
});
afterAll(() => fixture.close());

test('an unreachable calendar does not delay the others', async () => {
  const account = await fixture.account();
  await fixture.staff(account);
  await fixture.staff(account);
  const { google } = fixture.deps.calendars;
  if (!google) throw new Error('no adapter');
  const { promise: whole, resolve } = Promise.withResolvers<void>();
  const calls: Promise<unknown>[] = [];
  const changedEvents: typeof google.changedEvents = (...given) => {
    const reading = google.changedEvents(...given);
    calls.push(reading);
    // the first one fails only when another has been read
    if (calls.length > 1) void reading.then(() => resolve());
    return calls.length > 1 ? reading : whole.then(() => Promise.reject(new Error('unreachable')));
  };
  fixture.deps.calendars.google = { ...google, changedEvents };
  try {
    const { unreadStaffIds } = await findUnknownEvents(fixture.deps);
    expect(unreadStaffIds).toHaveLength(1);
    expect(calls.length).toBeGreaterThan(1);
  } finally {
    fixture.deps.calendars.google = google;
  }
});
