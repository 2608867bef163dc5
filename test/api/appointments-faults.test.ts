// Bookings when the calendar fails, responds late or creates no meeting link: one event with its booking, or neither.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { book } from '../../src/appointments/booking/book.ts';
import type { AppError } from '../../src/base/errors.ts';
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
beforeEach(async () => {
  await fixture.control.clearFaults();
  await fixture.control.set({ conference: { kind: 'success' }, invitationsLeft: null });
});

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');

/** Books with attempts of an insert that end early, for inserts that hang. Returns `booked` or the error's code. */
function bookImpatiently(staffId: string, key: string): Promise<string> {
  const { insertEvent } = fixture.calendarWithin(100);
  const google = new Proxy(fixture.calendar, {
    get: (calendar, name) => (name === 'insertEvent' ? insertEvent : Reflect.get(calendar, name)),
  });
  const deps = fixture.depsOn(fixture.deps.db, { google });
  return book(deps, { accountId: account, key, body: ten(staffId) }).then(
    () => 'booked',
    ({ code }: AppError) => code,
  );
}

describe('when the calendar fails', () => {
  test('keeps a pending cancellation while Google refuses the client of the gateway, and applies it afterwards', async () => {
    const staff = await fixture.staff(account);
    const { bookingId } = await fixture.must(fixture.book(account, ten(staff.id)));
    await fixture.control.addFault({ does: 'reset', on: 'events.delete' });
    const cancel = () => fixture.call(account, 'POST', `/v1/appointments/bookings/${bookingId}/cancel`, {});
    expect((await fixture.withoutDelays(cancel)).status).toBe(503);
    await fixture.control.clearFaults();
    await fixture.control.expireAccessTokens();
    const refused = { does: 'refuse', on: 'oauth.token', reason: 'invalid_client', status: 401 } as const;
    await fixture.control.addFault(refused);
    await fixture.withoutDelays(() => fixture.reconcileAll());
    await fixture.control.clearFaults();
    await fixture.reconcileAll();
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
    expect((await fixture.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['cancelled']);
  });

  test('creates one event when the response to the insert is lost', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({ does: 'reset', on: 'events.insert', when: 'after', times: 1 });
    expect((await fixture.book(account, ten(staff.id))).status).toBe(200);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('creates one event when the first insert hangs', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({ does: 'hang', on: 'events.insert', times: 1 });
    expect(await bookImpatiently(staff.id, randomUUID())).toBe('booked');
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('creates one event after two rate limit errors', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({
      does: 'refuse',
      on: 'events.insert',
      reason: 'rateLimitExceeded',
      status: 403,
      times: 2,
    });
    expect((await fixture.book(account, ten(staff.id))).status).toBe(200);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('books without an invitation while Google takes no more guests, and cancels and moves such bookings', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.set({ invitationsLeft: 0 });
    const { bookingId, meetingLink } = await fixture.must(fixture.book(account, ten(staff.id)));
    expect(meetingLink).toMatch(/^https:\/\/meet\.google\.com\//);
    const [event] = await fixture.control.liveEvents(staff.email);
    expect(event?.description).toContain(`Booking ${bookingId}`);
    expect(event?.attendees ?? []).toEqual([]);
    const act = (what: string, body: object) =>
      fixture.must(fixture.call(account, 'POST', `/v1/appointments/bookings/${bookingId}/${what}`, body));
    await act('reschedule', { date, from: '11:00', to: '11:30' });
    await act('cancel', {});
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
  });

  test("returns 502 with the provider's message and leaves nothing when the calendar rejects the event", async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({ does: 'refuse', on: 'events.insert', reason: 'invalid', status: 400 });
    const key = randomUUID();
    const response = await fixture.book(account, ten(staff.id), key);
    expect([response.status, response.json.code]).toEqual([502, 'provider_rejected']);
    expect(response.json.provider).toMatchObject({ message: expect.any(String) });
    expect(await fixture.occupancies(staff.id)).toBe(0);
    await fixture.control.clearFaults();
    expect((await fixture.book(account, ten(staff.id), key)).status).toBe(200);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('returns 503 when free-busy returns 200 with an error inside', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({ does: 'inner_errors', on: 'freebusy.query', reason: 'internalError' });
    const slots = await fixture.slots(account, staff.id, date);
    expect([slots.status, slots.json.code]).toEqual([503, 'provider_unavailable']);
    expect((await fixture.book(account, ten(staff.id))).status).toBe(503);
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
    await fixture.reconcileAll();
    expect(await fixture.occupancies(staff.id)).toBe(0);
  });

  test('returns 503 during an outage, keeps the slot until compensated, and then accepts the same key', async () => {
    const staff = await fixture.staff(account);
    const key = randomUUID();
    await fixture.control.addFault({ does: 'reset' });
    const response = await fixture.book(account, ten(staff.id), key);
    expect([response.status, response.headers.has('retry-after')]).toEqual([503, true]);
    expect((await fixture.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['undoing']);
    const concurrent = await fixture.book(account, ten(staff.id), key);
    expect([concurrent.status, concurrent.json.code]).toEqual([409, 'idempotency_in_progress']);
    const rival = await fixture.book(account, ten(staff.id));
    expect([rival.status, rival.json.code]).toEqual([409, 'slot_unavailable']);
    await fixture.control.clearFaults();
    await fixture.reconcileAll();
    expect(await fixture.occupancies(staff.id)).toBe(0);
    expect((await fixture.book(account, ten(staff.id), key)).status).toBe(200);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('leaves no event when the insert succeeds after the request gave up', async () => {
    const staff = await fixture.staff(account);
    const key = randomUUID();
    await fixture.control.addFault({ does: 'land_late', on: 'events.insert' });
    expect(await bookImpatiently(staff.id, key)).toBe('provider_unavailable');
    await fixture.control.clearFaults();
    await fixture.reconcileAll();
    expect((await fixture.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['undone']);
    expect(await fixture.control.land()).toBeGreaterThan(0);
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
    expect((await fixture.book(account, ten(staff.id), key)).status).toBe(200);
    await fixture.control.land();
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });
});

describe('the meeting link', () => {
  test('that the calendar rejects leaves neither event nor booking: 502', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.set({ conference: { kind: 'failure' } });
    await fixture.control.addFault({ does: 'refuse', on: 'events.patch', reason: 'invalid', status: 400 });
    expect((await fixture.book(account, ten(staff.id))).status).toBe(502);
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
    await fixture.control.clearFaults();
    await fixture.control.set({ conference: { kind: 'success' } });
    expect((await fixture.book(account, ten(staff.id))).status).toBe(200);
  });

  test('is returned after a pending meeting is ready', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.set({ conference: { kind: 'pending', readsUntilSuccess: 2 } });
    const { json } = await fixture.book(account, ten(staff.id));
    expect(json.data.meetingLink).toMatch(/^https:\/\/meet\.google\.com\//);
  });

  test.each([
    { kind: 'pending', readsUntilSuccess: null },
    { kind: 'failure' },
    { kind: 'refused' },
  ] as const)(
    'is the fallback link in the response and in the event when the meeting is $kind',
    async (conference) => {
      const staff = await fixture.staff(account);
      await fixture.control.set({ conference });
      const { json } = await fixture.book(account, ten(staff.id));
      expect(json.data.meetingLink).toMatch(/^https:\/\/meet\.example\/[0-9a-f]{32}$/);
      await fixture.control.finishMeetings();
      expect((await fixture.control.liveEvents(staff.email))[0]).toMatchObject({
        location: json.data.meetingLink,
      });
    },
  );
});
