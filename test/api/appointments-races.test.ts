// Concurrent bookings: one booking per slot, one booking per key.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { book } from '../../src/appointments/booking/book.ts';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
  plainSchedule,
} from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture({ speed: 1 });
  account = await fixture.account();
});
afterAll(() => fixture.close());

function statuses(responses: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('concurrent requests', () => {
  test('for one slot with fifty keys make one booking and one event, and return 409 with alternatives to the others', async () => {
    const staff = await fixture.staff(account);
    await fixture.slots(account, staff.id, date);
    const body = bookingOf(staff.id, date, '10:00', '10:30');
    const responses = await Promise.all(Array.from({ length: 50 }, () => fixture.book(account, body)));
    expect(statuses(responses)).toEqual({ 200: 1, 409: 49 });
    const losers = responses.filter(({ status }) => status === 409);
    expect(new Set(losers.map(({ json }) => json.code))).toEqual(new Set(['slot_unavailable']));
    expect(losers[0]?.json.alternatives.map(({ from }: { from: string }) => from)).toEqual(
      ['09:00', '09:30', '10:30'].sort(),
    );
    expect(await fixture.bookingRows(staff.id)).toHaveLength(1);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
    expect(await fixture.occupancies(staff.id)).toBe(1);
  });

  test('for partly overlapping slots never make overlapping bookings', async () => {
    const staff = await fixture.staff(account, { schedule: { slotMinutes: 30, slotStepMinutes: 15 } });
    const starts = ['10:00', '10:15', '10:30'];
    const ends = ['10:30', '10:45', '11:00'];
    const responses = await Promise.all(
      Array.from({ length: 45 }, (_, index) =>
        fixture.book(account, bookingOf(staff.id, date, starts[index % 3] ?? '', ends[index % 3] ?? '')),
      ),
    );
    const won = responses.filter(({ status }) => status === 200).map(({ json }) => json.data.from);
    expect([['10:15'], ['10:00', '10:30']]).toContainEqual(won.sort());
    expect(statuses(responses)[409]).toBe(45 - won.length);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(won.length);
  });

  test('for different slots of a date never exceed the daily limit', async () => {
    const staff = await fixture.staff(account, { calendar: 'none', schedule: { dailyLimit: 2 } });
    const starts = ['09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
    const ends = [...starts.slice(1), '12:00'];
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        fixture.book(account, bookingOf(staff.id, date, starts[index % 6] ?? '', ends[index % 6] ?? '')),
      ),
    );
    expect(statuses(responses)).toEqual({ 200: 2, 409: 22 });
  });

  test('never overlap, because the database rejects overlapping occupancies', async () => {
    const staff = await fixture.staff(account, { calendar: 'none' });
    await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
    const other = randomUUID();
    const rival = sql`
      with copied as (insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email,
          phone_number, source, answers, fallback_link)
        select ${other}, account_id, staff_id, 'held', starts_at, ends_at, 'UTC', 'a@b.example', '1', 'x', '[]', 'x'
        from bookings where staff_id = ${staff.id} returning id, account_id, staff_id, starts_at, ends_at)
      insert into occupancies (account_id, staff_id, booking_id, part, during)
      select account_id, staff_id, id, 'kept', tstzrange(starts_at + interval '29 minutes', ends_at + interval '1 hour')
      from copied`;
    await expect(rival.execute(fixture.database.db)).rejects.toMatchObject({ code: '23P01' });
  });
});

describe('two processes', () => {
  test('make one booking and one event per slot, and return 409 to all other requests', async () => {
    const staff = await fixture.staff(account);
    const other = fixture.depsOn(fixture.deps.db, { google: fixture.calendar });
    const bookIn = (deps: AppointmentsFixture['deps'], from: string, to: string) =>
      book(deps, { accountId: account, key: randomUUID(), body: bookingOf(staff.id, date, from, to) }).then(
        () => 'booked',
        (error: { code?: string }) => error.code ?? String(error),
      );
    const wanted = [
      ['09:00', '09:30'],
      ['10:00', '10:30'],
      ['11:00', '11:30'],
    ] as const;
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const [from, to] = wanted[index % 3] ?? wanted[0];
        return bookIn(index % 2 === 0 ? fixture.deps : other, from, to);
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'booked')).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === 'slot_unavailable')).toHaveLength(57);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(3);
    expect(await fixture.occupancies(staff.id)).toBe(3);
  });

  test('a transaction on one staff member delays no bookings of others', async () => {
    const changed = await fixture.staff(account, { calendar: 'none' });
    const removed = await fixture.staff(account, { calendar: 'none' });
    const other = await fixture.staff(account, { calendar: 'none' });
    const bookWith = (staff: { id: string }) =>
      fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
    const waiting = await fixture.database.db.transaction().execute(async (tx) => {
      await sql`update staff set title = 'Dr' where id = ${changed.id}`.execute(tx);
      await sql`update staff set deleted_at = now() where id = ${removed.id}`.execute(tx);
      const begun = [bookWith(changed), bookWith(removed)];
      expect((await bookWith(other)).status).toBe(200);
      return { begun };
    });
    const [first, second] = await Promise.all(waiting.begun);
    expect([first?.status, second?.status, second?.json.code]).toEqual([
      200,
      404,
      'appointment_user_not_found',
    ]);
  });

  test('make one booking for one key, also with different staff members', async () => {
    const first = await fixture.staff(account);
    const second = await fixture.staff(account);
    const other = fixture.depsOn(fixture.deps.db, { google: fixture.calendar });
    const key = randomUUID();
    const responses = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => {
        const staff = index % 2 === 0 ? first : second;
        const body = bookingOf(staff.id, date, '10:00', '10:30');
        return book(index % 4 < 2 ? fixture.deps : other, { accountId: account, key, body });
      }),
    );
    const done = responses.filter(({ status }) => status === 'fulfilled');
    expect(done.length).toBeGreaterThan(0);
    const rows = [...(await fixture.bookingRows(first.id)), ...(await fixture.bookingRows(second.id))];
    expect(rows).toHaveLength(1);
  });
});

describe('the idempotency key', () => {
  test('makes one booking for fifty concurrent requests; the others get 409 or the same bytes', async () => {
    const staff = await fixture.staff(account);
    const body = bookingOf(staff.id, date, '10:00', '10:30');
    const key = randomUUID();
    const responses = await Promise.all(Array.from({ length: 50 }, () => fixture.book(account, body, key)));
    const done = responses.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    const waiting = responses.filter(({ status }) => status !== 200);
    expect(waiting.every(({ json }) => json.code === 'idempotency_in_progress')).toBe(true);
    expect(await fixture.bookingRows(staff.id)).toHaveLength(1);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('returns the same bytes to a repeat after success, with a header, and creates no second event', async () => {
    const staff = await fixture.staff(account);
    const body = bookingOf(staff.id, date, '10:00', '10:30');
    const key = randomUUID();
    const first = await fixture.book(account, body, key);
    const again = await fixture.book(account, { ...body }, `"${key.toUpperCase()}"`);
    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('returns the same bytes to a repeat with null for fields that the first request left out', async () => {
    const staff = await fixture.staff(account, {
      questions: [{ question: 'Why?', questionType: 'text', isRequired: true }],
    });
    const { source: _, ...body } = bookingOf(staff.id, date, '10:00', '10:30', {
      staticQuestionAnswers: [{ question: 'Why?', answer: 'A check-up' }],
    });
    const key = randomUUID();
    const first = await fixture.book(account, body, key);
    const answers = [
      { _id: null, question: 'Why?', questionType: null, answer: 'A check-up', options: null },
    ];
    const nulls = { name: null, timezone: null, source: null, staticQuestionAnswers: answers };
    const again = await fixture.book(account, { ...body, ...nulls }, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    const other = await fixture.book(account, { ...body, ...nulls, source: 'other' }, key);
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('returns 422 for another body and books nothing', async () => {
    const staff = await fixture.staff(account);
    const key = randomUUID();
    await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'), key);
    const other = await fixture.book(account, bookingOf(staff.id, date, '11:00', '11:30'), key);
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await fixture.startsOf(staff.email)).toEqual([`${date}T10:00:00.000Z`]);
  });

  test('is separate for each account', async () => {
    const staff = await fixture.staff(account);
    const key = randomUUID();
    await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'), key);
    const otherAccount = await fixture.account();
    const theirs = await fixture.staff(otherAccount);
    const booked = await fixture.book(otherAccount, bookingOf(theirs.id, date, '11:00', '11:30'), key);
    expect(booked.status).toBe(200);
    expect(await fixture.control.liveEvents(theirs.email)).toHaveLength(1);
  });

  test('returns 400 when missing or not a UUID, and accepts a quoted UUID', async () => {
    const staff = await fixture.staff(account, { calendar: 'none' });
    const body = bookingOf(staff.id, date, '10:00', '10:30');
    const missing = await fixture.call(account, 'POST', '/v1/appointments/book', body);
    expect([missing.status, missing.json.code]).toEqual([400, 'idempotency_key_missing']);
    const wrong = await fixture.book(account, body, 'abc');
    expect([wrong.status, wrong.json.code]).toEqual([400, 'idempotency_key_invalid']);
    expect((await fixture.book(account, body, `"${randomUUID()}"`)).status).toBe(200);
  });

  test('may be used again after a rejection', async () => {
    const staff = await fixture.staff(account);
    const key = randomUUID();
    const rejected = await fixture.book(account, bookingOf(staff.id, date, '10:10', '10:40'), key);
    expect([rejected.status, rejected.json.code]).toEqual([409, 'slot_unavailable']);
    const booked = await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'), key);
    expect(booked.status).toBe(200);
  });
});

test('slots are computed from a schedule and bookings that were read after the request', async () => {
  const staff = await fixture.staff(account);
  await fixture.control.addFault({ does: 'delay', on: 'freebusy.query', ms: 200, times: 1 });
  const calls = (await fixture.control.calls('freebusy.query')).length;
  const first = fixture.open(account, staff.id, date);
  while ((await fixture.control.calls('freebusy.query')).length === calls);
  const weekly = [{ weekday: 'monday', from: '09:00', to: '10:30' }];
  await fixture.must(
    fixture.call(account, 'PUT', `/v1/appointments/users/${staff.id}/schedule`, { ...plainSchedule, weekly }),
  );
  await addBooking(staff.id, '09:30');
  const second = Promise.all([fixture.open(account, staff.id, date), fixture.open(account, staff.id, date)]);
  expect(await first).toHaveLength(6);
  expect(await second).toEqual([
    ['09:00', '10:00'],
    ['09:00', '10:00'],
  ]);
});

/** Inserts a booking as another process would. */
async function addBooking(staffId: string, from: string) {
  const id = randomUUID();
  const begins = `${date}T${from}:00Z`;
  await sql`
    insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number, source,
      answers, fallback_link)
    values (${id}, ${account}, ${staffId}, 'confirmed', ${begins}, ${begins}::timestamptz + interval '30 minutes', 'UTC',
      'a@b.example', '1', 'x', '[]', 'x')`.execute(fixture.database.db);
  await sql`
    insert into occupancies (account_id, staff_id, booking_id, part, during)
    select account_id, staff_id, id, 'kept', tstzrange(starts_at, ends_at) from bookings where id = ${id}`.execute(
    fixture.database.db,
  );
}
