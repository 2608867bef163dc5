// The Idempotency-Key of cancel and reschedule: a repeated request gets the first response, and a change is never applied twice.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');
const at = (clock: string) => `${date}T${clock}:00.000Z`;
const changesBegun = async (id: string) => {
  const { rows } = await sql<{ wish_no: number }>`select wish_no from bookings where id = ${id}`.execute(
    fixture.database.db,
  );
  return rows[0]?.wish_no;
};

describe('an Idempotency-Key on a change', () => {
  const change = (id: string, what: 'cancel' | 'reschedule', key: string, body: object = {}) =>
    fixture.call(account, 'POST', `/v1/appointments/bookings/${id}/${what}`, body, {
      'idempotency-key': key,
    });
  const eleven = { date, from: '11:00', to: '11:30' };

  test('returns the same bytes to a repeat and moves nothing back, and 422 for another body or booking', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const key = randomUUID();
    const first = await change(made.bookingId, 'reschedule', key, eleven);
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
    await change(made.bookingId, 'reschedule', randomUUID(), { date, from: '09:00', to: '09:30' });
    const again = await change(made.bookingId, 'reschedule', `"${key}"`, eleven);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(again.text).toBe(first.text);
    expect(await fixture.startsOf(staff.email)).toEqual([at('09:00')]);
    const other = { date, from: '11:30', to: '12:00' };
    expect((await change(made.bookingId, 'reschedule', key, other)).json.code).toBe('idempotency_key_reused');
    const second = (await fixture.book(account, ten(staff.id))).json.data;
    expect((await change(second.bookingId, 'reschedule', key, eleven)).status).toBe(422);
    const cancelled = await change(made.bookingId, 'cancel', key, { reason: 'ill' });
    expect([cancelled.status, (await change(made.bookingId, 'cancel', key, { reason: 'ill' })).text]).toEqual(
      [200, cancelled.text],
    );
    expect((await change(made.bookingId, 'cancel', 'not-a-uuid')).json.code).toBe('idempotency_key_invalid');
  });

  test('returns the same bytes to a repeat with null for a field that the first request left out', async () => {
    const staff = await fixture.staff(account, { calendar: 'none' });
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const key = randomUUID();
    const moved = await change(made.bookingId, 'reschedule', key, eleven);
    expect((await change(made.bookingId, 'reschedule', key, { ...eleven, timezone: null })).text).toBe(
      moved.text,
    );
    const cancelled = await change(made.bookingId, 'cancel', key);
    expect((await change(made.bookingId, 'cancel', key, { reason: null })).text).toBe(cancelled.text);
  });

  test('returns the stored response of a change that had nothing to do, even after later changes', async () => {
    const staff = await fixture.staff(account, { calendar: 'none' });
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const key = randomUUID();
    const first = await change(made.bookingId, 'reschedule', key, { date, from: '10:00', to: '10:30' });
    await change(made.bookingId, 'reschedule', randomUUID(), eleven);
    const again = await change(made.bookingId, 'reschedule', key, { date, from: '10:00', to: '10:30' });
    expect(again.text).toBe(first.text);
    await change(made.bookingId, 'cancel', randomUUID());
    const late = await change(made.bookingId, 'cancel', key);
    expect([
      late.status,
      (await change(made.bookingId, 'cancel', key)).headers.get('idempotency-replayed'),
    ]).toEqual([200, 'true']);
  });

  test('frees the key of a rejected change, returns 409 for one in progress, and its response once it is done', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const key = randomUUID();
    const blocker = (await fixture.book(account, bookingOf(staff.id, date, '11:00', '11:30'))).json.data;
    expect((await change(made.bookingId, 'reschedule', key, eleven)).json.code).toBe('slot_unavailable');
    await change(blocker.bookingId, 'cancel', randomUUID());
    await fixture.control.addFault({
      does: 'refuse',
      on: 'events.patch',
      reason: 'invalid',
      status: 400,
      times: 1,
    });
    expect((await change(made.bookingId, 'reschedule', key, eleven)).status).toBe(502);
    await fixture.control.clearFaults();
    await fixture.control.addFault({ does: 'reset', on: 'events.patch' });
    expect(
      (await fixture.withoutDelays(() => change(made.bookingId, 'reschedule', key, eleven))).status,
    ).toBe(503);
    const concurrent = await change(made.bookingId, 'reschedule', key, eleven);
    expect([concurrent.status, concurrent.json.code]).toEqual([409, 'idempotency_in_progress']);
    await fixture.control.clearFaults();
    await fixture.reconcileAll();
    const answered = await change(made.bookingId, 'reschedule', key, eleven);
    expect([answered.status, answered.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(answered.json.data).toMatchObject({ startsAt: at('11:00'), pendingChange: null });
  });

  test('continues the change under the same key after a crash and never begins a second one', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const key = randomUUID();
    await fixture.control.addFault({ does: 'reset', on: 'events.delete' });
    expect((await fixture.withoutDelays(() => change(made.bookingId, 'cancel', key))).status).toBe(503);
    await fixture.control.clearFaults();
    await sql`update bookings set due_at = now() where id = ${made.bookingId}`.execute(fixture.database.db);
    await sql`update idempotency_keys set leased_until = now() where key = ${key}`.execute(
      fixture.database.db,
    );
    const continued = await change(made.bookingId, 'cancel', key);
    expect([continued.status, continued.json.data.status]).toEqual([200, 'cancelled']);
    expect(await changesBegun(made.bookingId)).toBe(1);
  });

  test('returns 409 for a move that a cancellation replaced', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const key = randomUUID();
    await fixture.control.addFault({ does: 'reset', on: 'events.patch' });
    expect(
      (await fixture.withoutDelays(() => change(made.bookingId, 'reschedule', key, eleven))).status,
    ).toBe(503);
    expect((await change(made.bookingId, 'cancel', randomUUID())).status).toBe(200);
    const late = await change(made.bookingId, 'reschedule', key, eleven);
    expect([late.status, late.json.code]).toEqual([409, 'booking_not_changeable']);
  });

  test('applies one change for ten concurrent requests with one key', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => change(made.bookingId, 'reschedule', key, eleven)),
    );
    const codes = new Set(responses.map(({ status, json }) => `${status} ${json.code ?? ''}`));
    expect([...codes].every((code) => ['200 ', '409 idempotency_in_progress'].includes(code))).toBe(true);
    expect(await changesBegun(made.bookingId)).toBe(1);
    expect((await change(made.bookingId, 'reschedule', key, eleven)).status).toBe(200);
  });
});
