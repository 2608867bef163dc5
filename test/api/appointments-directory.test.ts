// Departments, staff, schedules, form questions and lists of bookings, each visible to its own account only.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
  plainSchedule,
} from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
const base = '/v1/appointments';

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
});
afterAll(() => fixture.close());

const items = async (account: string, path: string) =>
  (await fixture.must(fixture.call(account, 'GET', `${base}${path}`))).items;
const names = async (account: string, path: string) =>
  (await items(account, path)).map(({ name }: { name: string }) => name);
const problemPaths = ({ json }: { json: { errors: { path: string }[] } }) =>
  json.errors.map(({ path }: { path: string }) => path).sort();

describe('departments', () => {
  test('are added, listed by name while active, changed and removed', async () => {
    const account = await fixture.account();
    const add = (body: object) => fixture.must(fixture.call(account, 'POST', `${base}/departments`, body));
    const heart = await add({ name: ' Cardiology ', description: 'Heart' });
    expect(heart).toMatchObject({ name: 'Cardiology', description: 'Heart', active: true });
    const skin = await add({ name: 'Allergology' });
    expect(await names(account, '/departments')).toEqual(['Allergology', 'Cardiology']);
    await fixture.must(fixture.call(account, 'PATCH', `${base}/departments/${skin._id}`, { active: false }));
    expect(await names(account, '/departments')).toEqual(['Cardiology']);
    expect(await names(account, '/departments?includeInactive=true')).toEqual(['Allergology', 'Cardiology']);
    await fixture.must(fixture.call(account, 'DELETE', `${base}/departments/${skin._id}`));
    expect(await names(account, '/departments?includeInactive=true')).toEqual(['Cardiology']);
  });

  test('are paged and counted', async () => {
    const account = await fixture.account();
    for (const name of ['A', 'B', 'C']) {
      await fixture.must(fixture.call(account, 'POST', `${base}/departments`, { name }));
    }
    const page = await fixture.must(fixture.call(account, 'GET', `${base}/departments?page=2&limit=2`));
    expect(page).toMatchObject({
      items: [{ name: 'C' }],
      pagination: { page: 2, limit: 2, total: 3, totalPages: 2 },
    });
  });

  test('return 409 on removal while they have staff', async () => {
    const account = await fixture.account();
    const { _id } = await fixture.must(
      fixture.call(account, 'POST', `${base}/departments`, { name: 'Heart' }),
    );
    const body = { name: 'Ada', departmentIds: [_id] };
    const staff = await fixture.must(fixture.call(account, 'POST', `${base}/users`, body));
    const kept = await fixture.call(account, 'DELETE', `${base}/departments/${_id}`);
    expect([kept.status, kept.json.code]).toEqual([409, 'department_in_use']);
    expect(kept.json.message).toContain('1 staff member belongs to this department');
    await fixture.must(fixture.call(account, 'PATCH', `${base}/users/${staff._id}`, { departmentIds: [] }));
    expect((await fixture.call(account, 'DELETE', `${base}/departments/${_id}`)).status).toBe(200);
  });
});

describe('staff', () => {
  test('are listed by department, without inactive ones', async () => {
    const account = await fixture.account();
    const { _id: heart } = await fixture.must(
      fixture.call(account, 'POST', `${base}/departments`, { name: 'Heart' }),
    );
    const add = (body: object) => fixture.must(fixture.call(account, 'POST', `${base}/users`, body));
    const ada = await add({ name: 'Ada', title: 'Surgeon', departmentIds: [heart] });
    const bo = await add({ name: 'Bo' });
    expect(await items(account, '/users')).toMatchObject([
      {
        _id: ada._id,
        name: 'Ada',
        title: 'Surgeon',
        departmentIds: [heart],
        timezone: 'UTC',
        slotMinutes: 30,
        calendarConnected: false,
      },
      { name: 'Bo', departmentIds: [] },
    ]);
    expect(await names(account, `/users?departmentId=${heart}`)).toEqual(['Ada']);
    await fixture.must(fixture.call(account, 'PATCH', `${base}/users/${bo._id}`, { active: false }));
    expect(await names(account, '/users')).toEqual(['Ada']);
    for (const unknown of ['x', randomUUID()]) {
      expect((await fixture.call(account, 'GET', `${base}/users?departmentId=${unknown}`)).status).toBe(404);
    }
  });

  test('return 400 naming each unknown department', async () => {
    const account = await fixture.account();
    const body = { name: 'Ada', departmentIds: [randomUUID(), 'x'] };
    const response = await fixture.call(account, 'POST', `${base}/users`, body);
    expect([response.status, problemPaths(response)]).toEqual([
      400,
      ['departmentIds[0]', 'departmentIds[1]'],
    ]);
    expect(await names(account, '/users?includeInactive=true')).toEqual([]);
  });

  test('return 409 on removal while they have future bookings, and keep past ones afterwards', async () => {
    const account = await fixture.account();
    const staff = await fixture.staff(account);
    const date = comingMonday();
    const booked = await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
    const { bookingId } = booked.json.data;
    const path = `${base}/users/${staff.id}`;
    const kept = await fixture.call(account, 'DELETE', path);
    expect([kept.status, kept.json.code]).toEqual([409, 'conflict']);
    expect(await names(account, '/users')).toEqual(['Ada Okafor']);
    await fixture.must(fixture.call(account, 'POST', `${base}/bookings/${bookingId}/cancel`));
    await fixture.must(fixture.call(account, 'DELETE', path));
    expect(await names(account, '/users?includeInactive=true')).toEqual([]);
    expect((await fixture.slots(account, staff.id, date)).status).toBe(404);
    const link = `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${staff.id}`;
    for (const [method, at] of [['GET', link] as const, ['DELETE', path] as const])
      expect((await fixture.call(account, method, at)).status).toBe(404);
    expect(await items(account, '/bookings')).toMatchObject([{ bookingId, status: 'cancelled' }]);
    expect((await fixture.control.calls('oauth.revoke')).length).toBe(1);
  });

  test('and departments of another account return 404', async () => {
    const [ours, theirs] = [await fixture.account(), await fixture.account()];
    const staff = await fixture.staff(theirs, { calendar: 'none' });
    const { _id } = await fixture.must(
      fixture.call(theirs, 'POST', `${base}/departments`, { name: 'Heart' }),
    );
    expect(await names(ours, '/users')).toEqual([]);
    for (const id of [staff.id, 'x', randomUUID()]) {
      const requests: [string, string, unknown?][] = [
        ['GET', `/form-questions?appointmentUserId=${id}`],
        ['GET', `/users/${id}/schedule`],
        ['PUT', `/users/${id}/schedule`, plainSchedule],
        ['PUT', `/users/${id}/form-questions`, []],
        ['PATCH', `/users/${id}`, { name: 'Eve' }],
        ['DELETE', `/users/${id}`],
        ['DELETE', `/users/${id}/ext-calendar`],
        ['GET', `/ext-calendar/status?appointmentUserId=${id}`],
        ['GET', `/ext-calendar/auth-url?appointmentUserId=${id}`],
        ['GET', `/bookings?appointmentUserId=${id}`],
      ];
      for (const [method, path, body] of requests) {
        const { status } = await fixture.call(ours, method, `${base}${path}`, body);
        expect([method, path, status]).toEqual([method, path, 404]);
      }
    }
    const change = await fixture.call(ours, 'PATCH', `${base}/departments/${_id}`, { name: 'Eve' });
    expect(change.status).toBe(404);
    expect((await fixture.call(ours, 'DELETE', `${base}/departments/${_id}`)).status).toBe(404);
    expect(await names(theirs, '/departments')).toEqual(['Heart']);
  });
});

describe('schedules', () => {
  test('are returned as set, with defaults for omitted fields', async () => {
    const account = await fixture.account();
    const { _id } = await fixture.must(fixture.call(account, 'POST', `${base}/users`, { name: 'Ada' }));
    const path = `${base}/users/${_id}/schedule`;
    expect(await fixture.must(fixture.call(account, 'GET', path))).toMatchObject({
      timezone: 'UTC',
      weekly: [],
    });
    const given = {
      timezone: 'Europe/Berlin',
      slotMinutes: 45,
      weekly: [{ weekday: 'friday', from: '22:00', to: '02:00' }],
      overrides: [{ date: '2027-01-01', windows: [] }],
    };
    const set = await fixture.must(fixture.call(account, 'PUT', path, given));
    expect(set).toEqual({
      ...given,
      slotStepMinutes: 45,
      bufferBeforeMinutes: 0,
      bufferAfterMinutes: 0,
      minimumNoticeMinutes: 0,
      bookingWindowDays: 60,
      dailyLimit: null,
    });
    expect(await fixture.must(fixture.call(account, 'GET', path))).toEqual(set);
  });

  test('return 400 with every problem and stay unchanged when invalid', async () => {
    const account = await fixture.account();
    const { id } = await fixture.staff(account, { calendar: 'none' });
    const path = `${base}/users/${id}/schedule`;
    const put = (more: object) => fixture.call(account, 'PUT', path, { ...plainSchedule, ...more });
    const shape = await put({
      slotMinutes: 0,
      weekly: [{ weekday: 'someday', from: '24:00', to: '9' }],
      dailyLimit: 0,
    });
    expect(problemPaths(shape)).toEqual([
      'dailyLimit',
      'slotMinutes',
      'weekly[0].from',
      'weekly[0].to',
      'weekly[0].weekday',
    ]);
    expect(shape.json.errors).toContainEqual({
      path: 'weekly[0].from',
      message: 'must be written like "09:00"',
    });
    const values = await put({
      timezone: 'Mars/Base',
      overrides: [
        { date: '2027-02-30', windows: [] },
        { date: '2027-02-28', windows: [] },
        { date: '2027-02-28', windows: [] },
      ],
    });
    expect(problemPaths(values)).toEqual(['overrides[0].date', 'overrides[2].date', 'timezone']);
    const empty = await put({
      weekly: [
        { weekday: 'monday', from: '09:00', to: '09:00' },
        { weekday: 'tuesday', from: '00:00', to: '24:00' },
      ],
      overrides: [{ date: '2027-02-28', windows: [{ from: '00:00', to: '00:00' }] }],
    });
    expect(problemPaths(empty)).toEqual(['overrides[0].windows[0].to', 'weekly[0].to']);
    expect(empty.json.errors[0].message).toContain('write 00:00 to 24:00');
    expect(await fixture.must(fixture.call(account, 'GET', path))).toMatchObject(plainSchedule);
  });
});

describe('form questions', () => {
  const questions = [
    { question: 'Your insurer?', questionType: 'select', isRequired: true, options: ['A', 'B'] },
    { question: 'Anything else?', questionType: 'textarea', isRequired: false, placeholder: 'optional' },
  ];

  test('are listed in order, and keep their id when replaced by the same text', async () => {
    const account = await fixture.account();
    const { id } = await fixture.staff(account, { calendar: 'none', questions });
    const path = `/form-questions?appointmentUserId=${id}`;
    const first = await items(account, path);
    expect(first).toEqual([
      { _id: expect.any(String), ...questions[0], placeholder: null },
      { _id: expect.any(String), ...questions[1], options: [] },
    ]);
    const turned = [questions[1], { ...questions[0], isRequired: false }];
    await fixture.must(fixture.call(account, 'PUT', `${base}/users/${id}/form-questions`, turned));
    const second = await items(account, path);
    expect(second.map(({ _id }: { _id: string }) => _id)).toEqual([first[1]._id, first[0]._id]);
    await fixture.must(fixture.call(account, 'PUT', `${base}/users/${id}/form-questions`, []));
    expect(await items(account, path)).toEqual([]);
  });

  test('return 400 with every problem when invalid', async () => {
    const account = await fixture.account();
    const { id } = await fixture.staff(account, { calendar: 'none' });
    const response = await fixture.call(account, 'PUT', `${base}/users/${id}/form-questions`, [
      { question: 'Same?', questionType: 'text', isRequired: true, options: ['x'] },
      { question: ' Same? ', questionType: 'select', isRequired: true },
    ]);
    expect([response.status, problemPaths(response)]).toEqual([
      400,
      ['[0].options', '[1].options', '[1].question'],
    ]);
    const optionsGet = async (options: string[]) =>
      problemPaths(
        await fixture.call(account, 'PUT', `${base}/users/${id}/form-questions`, [
          { question: 'Which?', questionType: 'select', isRequired: true, options },
        ]),
      );
    expect(await optionsGet(['A', ' A'])).toEqual(['[0].options']);
    expect(await optionsGet([' '])).toEqual(['[0].options[0]']);
  });

  test('trim the text of questions and options', async () => {
    const account = await fixture.account();
    const { id } = await fixture.staff(account, { calendar: 'none' });
    const response = await fixture.call(account, 'PUT', `${base}/users/${id}/form-questions`, [
      { question: ' Which? ', questionType: 'select', isRequired: true, options: [' A', 'B '] },
    ]);
    expect(response.json.data.items).toMatchObject([{ question: 'Which?', options: ['A', 'B'] }]);
  });
});
