// Bookings when the calendar fails, answers late or gives no meeting link: one event and its booking, or nothing left.
import { randomUUID } from 'node:crypto';
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
  fixture = await openAppointmentsFixture({ attemptTimeoutMs: 250 });
  account = await fixture.account();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.control.clearFaults();
  await fixture.control.set({ conference: { kind: 'success' } });
});

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');

describe('the calendar fails', () => {
  test('B10: an insert whose answer is lost: found by the retry inside the request, one event', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({ does: 'reset', on: 'events.insert', when: 'after', times: 1 });
    expect((await fixture.book(account, ten(staff.id))).status).toBe(200);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('B10: an insert that hangs: tried again inside the request, one event', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({ does: 'hang', on: 'events.insert', times: 1 });
    expect((await fixture.book(account, ten(staff.id))).status).toBe(200);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('B11: turned away for pace twice: one event', async () => {
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

  test('refused: 502 with its words, and nothing left behind', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({ does: 'refuse', on: 'events.insert', reason: 'invalid', status: 400 });
    const key = randomUUID();
    const answer = await fixture.book(account, ten(staff.id), key);
    expect([answer.status, answer.json.code]).toEqual([502, 'provider_rejected']);
    expect(answer.json.provider).toMatchObject({ message: expect.any(String) });
    expect(await fixture.occupancies(staff.id)).toBe(0);
    await fixture.control.clearFaults();
    expect((await fixture.book(account, ten(staff.id), key)).status).toBe(200);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('B17: free-busy that answers 200 with an error inside is never "all free"', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.addFault({ does: 'inner_errors', on: 'freebusy.query', reason: 'internalError' });
    const slots = await fixture.slots(account, staff.id, date);
    expect([slots.status, slots.json.code]).toEqual([503, 'provider_unavailable']);
    expect((await fixture.book(account, ten(staff.id))).status).toBe(503);
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
    await fixture.settleAll();
    expect(await fixture.occupancies(staff.id)).toBe(0);
  });

  test('B18: down for the whole request: 503, the slot kept while undoing, then free; the key books anew', async () => {
    const staff = await fixture.staff(account);
    const key = randomUUID();
    await fixture.control.addFault({ does: 'reset' });
    const answer = await fixture.book(account, ten(staff.id), key);
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
    expect((await fixture.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['undoing']);
    const meanwhile = await fixture.book(account, ten(staff.id), key);
    expect([meanwhile.status, meanwhile.json.code]).toEqual([409, 'idempotency_in_progress']);
    const rival = await fixture.book(account, ten(staff.id));
    expect([rival.status, rival.json.code]).toEqual([409, 'slot_unavailable']);
    await fixture.control.clearFaults();
    await fixture.settleAll();
    expect(await fixture.occupancies(staff.id)).toBe(0);
    expect((await fixture.book(account, ten(staff.id), key)).status).toBe(200);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('B18: an insert that lands after the request gave up leaves no event', async () => {
    const staff = await fixture.staff(account);
    const key = randomUUID();
    await fixture.control.addFault({ does: 'land_late', on: 'events.insert' });
    expect((await fixture.book(account, ten(staff.id), key)).status).toBe(503);
    await fixture.control.clearFaults();
    await fixture.settleAll();
    expect((await fixture.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['undone']);
    expect(await fixture.control.land()).toBeGreaterThan(0);
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
    expect((await fixture.book(account, ten(staff.id), key)).status).toBe(200);
    await fixture.control.land();
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });
});

describe('the meeting link', () => {
  test('B13: pending first: waited for', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.set({ conference: { kind: 'pending', readsUntilSuccess: 2 } });
    const { json } = await fixture.book(account, ten(staff.id));
    expect(json.data.meetingLink).toMatch(/^https:\/\/meet\.google\.com\//);
  });

  test.each([
    { kind: 'pending', readsUntilSuccess: null },
    { kind: 'failure' },
    { kind: 'refused' },
  ] as const)('B13: $kind: the fallback room, in the answer and in the event', async (conference) => {
    const staff = await fixture.staff(account);
    await fixture.control.set({ conference });
    const { json } = await fixture.book(account, ten(staff.id));
    expect(json.data.meetingLink).toMatch(/^https:\/\/meet\.example\/[0-9a-f]{32}$/);
    await fixture.control.finishMeetings();
    expect((await fixture.control.liveEvents(staff.email))[0]).toMatchObject({
      location: json.data.meetingLink,
    });
  });
});
