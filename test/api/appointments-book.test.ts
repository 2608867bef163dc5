// Booking: the response, and every rejection, which leaves nothing behind.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
  plainSchedule,
} from '../harness/appointments-fixture.ts';
import { nextGap } from '../harness/dates.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture({ speed: 1 });
  account = await fixture.account();
});
afterAll(() => fixture.close());

describe('a booking', () => {
  test('returns the event and its meeting link, and creates the event in the calendar', async () => {
    const staff = await fixture.staff(account);
    const body = bookingOf(staff.id, date, '09:30', '10:00', { name: ' Eve ' });
    const response = await fixture.book(account, body);
    expect(response.status).toBe(200);
    const [event, ...others] = await fixture.control.liveEvents(staff.email);
    expect(others).toEqual([]);
    expect(response.json).toEqual({
      success: true,
      message: expect.any(String),
      data: {
        bookingId: expect.any(String),
        status: 'confirmed',
        appointmentUserId: staff.id,
        date,
        from: '09:30',
        to: '10:00',
        timezone: 'UTC',
        startsAt: `${date}T09:30:00.000Z`,
        endsAt: `${date}T10:00:00.000Z`,
        meetingLink: expect.stringMatching(/^https:\/\/meet\.google\.com\//),
        guestInvited: true,
        calendarEventId: event?.id,
        calendarEventLink: event?.htmlLink,
        email: 'guest@example.com',
        phoneNumber: '15551234567',
        name: 'Eve',
        source: 'test',
        createdAt: expect.any(String),
      },
    });
    expect(event?.attendees).toMatchObject([{ email: 'guest@example.com' }]);
    expect(event?.start.dateTime && Date.parse(event.start.dateTime)).toBe(Date.parse(`${date}T09:30:00Z`));
    const left = await fixture.open(account, staff.id, date);
    expect(left).toEqual(['09:00', '10:00', '10:30', '11:00', '11:30']);
  });

  test("reads times in the caller's time zone", async () => {
    const staff = await fixture.staff(account);
    const slots = await fixture.slots(account, staff.id, date, '&timezone=Asia/Kolkata');
    const { from, to } = slots.json.data.slots[1];
    expect([from, to]).toEqual(['15:00', '15:30']);
    const response = await fixture.book(
      account,
      bookingOf(staff.id, date, from, to, { timezone: 'Asia/Kolkata' }),
    );
    expect(response.json.data).toMatchObject({ date, from, to, startsAt: `${date}T09:30:00.000Z` });
  });

  test('creates no event for staff without a calendar, and returns a meeting link of the gateway', async () => {
    const staff = await fixture.staff(account, { calendar: 'none' });
    const response = await fixture.book(account, bookingOf(staff.id, date, '09:00', '09:30'));
    expect(response.json.data).toMatchObject({
      status: 'confirmed',
      calendarEventId: null,
      calendarEventLink: null,
    });
    expect(response.json.data.meetingLink).toMatch(/^https:\/\/meet\.example\/[0-9a-f]{32}$/);
    expect(await fixture.open(account, staff.id, date)).not.toContain('09:00');
  });
});

describe('rejections', () => {
  test('returns 409 with nearby alternatives for a slot that is not offered', async () => {
    const staff = await fixture.staff(account, { schedule: { minimumNoticeMinutes: 60 } });
    await fixture.slots(account, staff.id, date);
    const wrong = [
      ['10:00', '11:00'],
      ['08:00', '08:30'],
      ['12:00', '12:30'],
      ['25:00', '25:30'],
      ['10', '11'],
    ];
    for (const [from, to] of wrong) {
      const response = await fixture.book(account, bookingOf(staff.id, date, from ?? '', to ?? ''));
      expect([from, response.status, response.json.code]).toEqual([from, 409, 'slot_unavailable']);
    }
    const past = await fixture.book(account, bookingOf(staff.id, '2020-01-06', '10:00', '10:30'));
    expect([past.status, past.json.alternatives]).toEqual([409, []]);
    const near = await fixture.book(account, bookingOf(staff.id, date, '11:10', '11:40'));
    expect(near.json.alternatives.map(({ from }: { from: string }) => from)).toEqual([
      '10:30',
      '11:00',
      '11:30',
    ]);
    const tooLong = await fixture.book(account, bookingOf(staff.id, date, '10:00', '11:00'));
    expect(tooLong.json.alternatives.map(({ from }: { from: string }) => from)).toContain('10:00');
    expect(await fixture.bookingRows(staff.id)).toEqual([]);
  });

  test('returns 409 and frees the key for a time that a clock change skips, and one within the minimum notice', async () => {
    const { timezone, day } = nextGap();
    const weekly = plainSchedule.weekly.map(({ weekday }) => ({ weekday, from: '00:00', to: '24:00' }));
    const schedule = { timezone, weekly, bookingWindowDays: 365 };
    const staff = await fixture.staff(account, { calendar: 'none', schedule });
    const key = randomUUID();
    const inGap = await fixture.book(account, bookingOf(staff.id, day, '02:00', '02:30'), key);
    expect([inGap.status, inGap.json.code]).toEqual([409, 'slot_unavailable']);
    expect(inGap.json.alternatives.map(({ from }: { from: string }) => from)).toContain('03:00');
    expect((await fixture.book(account, bookingOf(staff.id, day, '03:00', '03:30'), key)).status).toBe(200);

    const soon = Temporal.Now.zonedDateTimeISO(timezone).add({ hours: 30 });
    const next = soon.round({ smallestUnit: 'hour', roundingMode: 'ceil' });
    const clock = (minutes: number) => next.add({ minutes }).toPlainTime().toString().slice(0, 5);
    const requested = bookingOf(staff.id, next.toPlainDate().toString(), clock(0), clock(30));
    const path = `/v1/appointments/users/${staff.id}/schedule`;
    const noticed = (minimumNoticeMinutes: number) =>
      fixture.must(
        fixture.call(account, 'PUT', path, { ...plainSchedule, ...schedule, minimumNoticeMinutes }),
      );
    await noticed(2 * 24 * 60);
    const second = randomUUID();
    const inNotice = await fixture.book(account, requested, second);
    expect([inNotice.status, inNotice.json.code]).toEqual([409, 'slot_unavailable']);
    await noticed(60);
    expect((await fixture.book(account, requested, second)).status).toBe(200);
  });

  test('returns 409 and writes nothing when the calendar became busy after the slots were listed', async () => {
    const staff = await fixture.staff(account);
    expect(await fixture.open(account, staff.id, date)).toContain('10:00');
    await fixture.control.addEvent(staff.email, {
      start: { dateTime: `${date}T10:15:00Z` },
      end: { dateTime: `${date}T10:45:00Z` },
    });
    const response = await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
    expect([response.status, response.json.code]).toEqual([409, 'slot_unavailable']);
    expect(response.json.alternatives.map(({ from }: { from: string }) => from)).toEqual([
      '09:00',
      '09:30',
      '11:00',
    ]);
    expect(await fixture.bookingRows(staff.id)).toEqual([]);
    expect(await fixture.occupancies(staff.id)).toBe(0);
    expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('returns 409, leaves no booking and updates the status when the authorization was revoked', async () => {
    const staff = await fixture.staff(account);
    await fixture.control.revokeGrants({ account: staff.email });
    const response = await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
    expect([response.status, response.json.code]).toEqual([409, 'calendar_not_connected']);
    const status = await fixture.call(
      account,
      'GET',
      `/v1/appointments/ext-calendar/status?appointmentUserId=${staff.id}`,
    );
    expect(status.json.data).toMatchObject({ connected: false, error: expect.stringContaining('Reconnect') });
    expect(await fixture.bookingRows(staff.id)).toEqual([]);
    await fixture.connect(account, staff.id);
    expect((await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'))).status).toBe(200);
  });

  test('returns 409 when the calendar was never connected', async () => {
    const staff = await fixture.staff(account, { calendar: 'unconnected' });
    const response = await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
    expect([response.status, response.json.code]).toEqual([409, 'calendar_not_connected']);
  });

  test("returns 404 for unknown staff, another account's staff and inactive staff", async () => {
    const theirs = await fixture.staff(await fixture.account(), { calendar: 'none' });
    const inactive = await fixture.staff(account, { calendar: 'none' });
    const path = `/v1/appointments/users/${inactive.id}`;
    await fixture.must(fixture.call(account, 'PATCH', path, { active: false }));
    for (const id of ['nonsense', randomUUID(), theirs.id, inactive.id]) {
      const response = await fixture.book(account, bookingOf(id, date, '10:00', '10:30'));
      expect(response.status).toBe(404);
    }
  });

  test('returns 400 with every problem of an invalid body', async () => {
    const staff = await fixture.staff(account, { calendar: 'none' });
    const response = await fixture.book(account, {
      ...bookingOf(staff.id, date, '10:00', '10:30', { email: 'nobody', surprise: 1 }),
      phoneNumber: undefined,
    });
    expect(response.status).toBe(400);
    expect(response.json.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      'email',
      'phoneNumber',
      'surprise',
    ]);
    const impossible = await fixture.book(account, bookingOf(staff.id, '2027-02-30', '10:00', '10:30'));
    expect([impossible.status, impossible.json.errors[0].path]).toEqual([400, 'date']);
    for (const [given, words] of [
      [{ phoneNumber: '030 1234' }, 'must start with the country code, not with 0'],
      [{ phoneNumber: '+1 555 x' }, 'remove "x"'],
      [{ email: 'müller@example.com' }, 'ASCII'],
    ] as const) {
      const rejected = await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30', given));
      expect([rejected.status, rejected.json.errors[0]]).toEqual([
        400,
        { path: Object.keys(given)[0], message: expect.stringContaining(words) },
      ]);
    }
  });

  test('accepts a formatted phone number, an address in any script, and null for optional fields', async () => {
    const staff = await fixture.staff(account);
    const guest = { email: 'ada@Müller.example', phoneNumber: '+49 (30) 1234-567', name: null, source: null };
    const body = bookingOf(staff.id, date, '10:00', '10:30', { ...guest, timezone: null });
    const made = await fixture.book(account, { ...body, staticQuestionAnswers: null });
    expect(made.json.data).toMatchObject({
      ...{ email: 'ada@müller.example', phoneNumber: '49301234567' },
      ...{ name: null, source: 'api', timezone: 'UTC' },
    });
    const [event] = await fixture.control.liveEvents(staff.email);
    expect(event?.attendees?.map(({ email }) => email)).toContain('ada@xn--mller-kva.example');
    const found = async (filter: string) =>
      (await fixture.must(fixture.call(account, 'GET', `/v1/appointments/bookings?${filter}`))).items.length;
    for (const filter of [
      'phoneNumber=49301234567',
      'phoneNumber=+49301234567',
      `phoneNumber=${encodeURIComponent('+49 30 1234567')}`,
      `email=${encodeURIComponent('ada@MÜLLER.example')}`,
      'email=ada@xn--mller-kva.example',
    ]) {
      expect([filter, await found(filter)]).toEqual([filter, 1]);
    }
    const path = `/v1/appointments/bookings/${made.json.data.bookingId}`;
    const to = { date, from: '11:00', to: '11:30', timezone: null };
    expect((await fixture.call(account, 'POST', `${path}/reschedule`, to)).status).toBe(200);
    expect((await fixture.call(account, 'POST', `${path}/cancel`, { reason: null })).status).toBe(200);
  });
});

describe('form questions', () => {
  test('returns 400 naming the question for a missing, blank or unknown answer, and stores valid answers', async () => {
    const staff = await fixture.staff(account, {
      calendar: 'none',
      questions: [
        { question: 'What is it about?', questionType: 'textarea', isRequired: true },
        { question: 'Which days?', questionType: 'multiselect', isRequired: false, options: ['Mon', 'Tue'] },
        { question: 'Do you agree?', questionType: 'checkbox', isRequired: true },
      ],
    });
    const answered = (staticQuestionAnswers: object[]) =>
      fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30', { staticQuestionAnswers }));
    const missing = await answered([]);
    expect([missing.status, missing.json.message]).toEqual([
      400,
      expect.stringContaining('What is it about?'),
    ]);
    const blank = await answered([{ question: 'What is it about?', isRequired: false, answer: '  ' }]);
    expect(blank.status).toBe(400);
    const unknown = await answered([
      { question: 'What is it about?', answer: 'Knee' },
      { question: 'Shoe size?', answer: '42' },
    ]);
    expect([unknown.status, unknown.json.message]).toEqual([400, expect.stringContaining('Shoe size?')]);
    const unticked = await answered([
      { question: 'What is it about?', answer: 'Knee' },
      { question: 'Do you agree?', answer: 'false' },
    ]);
    expect([unticked.status, unticked.json.message]).toEqual([
      400,
      expect.stringContaining('"Do you agree?" must be true'),
    ]);
    const valid = await answered([
      { question: ' What is it about? ', questionType: 'textarea', isRequired: true, answer: 'Knee' },
      { question: 'Which days?', answer: '["Tue"]' },
      { _id: null, question: 'Do you agree?', answer: true, options: null, placeholder: null },
    ]);
    expect(valid.status).toBe(200);
    const stored = await fixture.call(
      account,
      'GET',
      `/v1/appointments/bookings/${valid.json.data.bookingId}`,
    );
    expect(stored.json.data.staticQuestionAnswers).toMatchObject([
      { question: 'What is it about?', answer: 'Knee' },
      { question: 'Which days?', answer: '["Tue"]' },
      { question: 'Do you agree?', answer: 'true' },
    ]);
  });
});
