// Open slots of one busy staff member and date with 64 callers, compared with a bare route with one indexed query.

import { candidateStarts, freeStarts, slotsAt } from '../../src/appointments/slots/engine.ts';
import { termsOf } from '../../src/appointments/slots/schedule.ts';
import { findRunningEmbedded } from '../../src/db/embedded/running.ts';
import { type BenchFixture, startBenchFixture } from '../bench-fixture.ts';
import type { CallersInput, OneCall } from '../callers.ts';
import { nowMs } from '../child.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { cpuMs, type Meters } from '../cpu.ts';
import { freeBusyCall } from '../free-busy-call.ts';
import { type Measured, measureCalls } from '../measured-calls.ts';
import { type Spread, spread } from '../percentiles.ts';
import { progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { profileFlags, showProfile } from '../show-profile.ts';
import { slotsSpread } from '../slots-spread.ts';
import { addStaff, dateIn, fillBookings, fillCalendar, schedule } from '../staff.ts';
import { workload } from '../workload.ts';

const dayMs = 86_400_000;
const daysAhead = 20;
const calendarDays = 40;
/** The constant rate, as a share of the slower one of the closed rates. */
const openLoopShare = 0.5;

/** The slots engine alone: milliseconds per day, over 300 days with as many busy times. */
function engineMsPerDay(bookings: number): number {
  const terms = termsOf({
    timezone: schedule.timezone,
    slot_minutes: schedule.slotMinutes,
    slot_step_minutes: null,
    buffer_before_minutes: 0,
    buffer_after_minutes: schedule.bufferAfterMinutes,
    minimum_notice_minutes: 0,
    booking_window_days: schedule.bookingWindowDays,
    daily_limit: schedule.dailyLimit,
    weekly: schedule.weekly,
    overrides: [],
  });
  const now = Date.now();
  const starts = Array.from({ length: bookings }, (_, index) => now + index * 7_200_000);
  const busy = starts.map((from) => ({ from, to: from + 2_100_000 }));
  const today = Math.floor(now / dayMs);
  const days = 300;
  const year = () => {
    for (let day = 1; day <= days; day++) {
      const question = { day: today + day, timezone: terms.timezone, now };
      const candidates = candidateStarts(terms, question);
      slotsAt(terms, freeStarts(terms, candidates, { busy, bookedStarts: starts }), terms.timezone);
    }
  };
  year();
  // the fastest of several runs, because other load only makes it slower
  const years = Array.from({ length: 5 }, () => {
    const began = nowMs();
    year();
    return nowMs() - began;
  });
  return Math.min(...years) / days;
}

/** The calendar's own response time for the gateway's query. */
async function calendarMs(fixture: BenchFixture, email: string, times: number): Promise<Spread> {
  const { url, headers, body } = await freeBusyCall(fixture, email, dateIn(daysAhead));
  const ms: number[] = [];
  for (let index = 0; index < times; index++) {
    const began = nowMs();
    const busy = await fetch(url, { method: 'POST', headers, body });
    const text = await busy.text();
    if (!busy.ok) throw new Error(`freeBusy: ${text}`);
    ms.push(nowMs() - began);
  }
  return spread(ms);
}

export default workload({
  about:
    'Open slots of one staff member with 1,000 bookings and a busy calendar, 64 callers, compared with a bare route.',
  options: {
    seconds: { default: 4, about: 'duration of each measurement' },
    callers: { default: 64, about: 'concurrent callers' },
    bookings: { default: 1_000, about: 'bookings of the staff member' },
    eventsPerDay: { default: 12, about: 'events per day in the calendar' },
    spread: { default: false, about: 'different staff members and dates instead of one' },
    staff: { default: 64, about: 'staff members, with --spread' },
    days: { default: 14, about: 'dates of each staff member, with --spread' },
    rounds: { default: 5, about: 'rounds, each in turn with the bare route, with --spread' },
    profile: { default: false, about: 'write and show a CPU profile of the gateway' },
  },
  async run({
    seconds,
    callers,
    bookings,
    eventsPerDay,
    profile,
    spread: isSpread,
    staff: members,
    ...more
  }) {
    if (isSpread) {
      const filled = { staff: members, bookings: Math.ceil(bookings / 5), eventsPerDay, firstDay: daysAhead };
      return slotsSpread({ ...filled, ...more, seconds, callers, profile });
    }
    const fixture = await startBenchFixture({ nodeFlags: profile ? profileFlags('slots') : [] });
    const window = { fromMs: 0, toMs: 0 };
    const caller = startRpcProcess('callers.ts');
    const bare = startRpcProcess('bare-route.ts');
    try {
      const account = await fixture.account('Bench');
      progress('a staff member with bookings and a busy calendar');
      const email = 'busy@bench.example';
      const staff = await addStaff(fixture, account, email);
      const alone = await addStaff(fixture, account);
      const from = new Date(Date.now() + dayMs);
      for (const one of [staff, alone]) await fillBookings(fixture, account, one, from, bookings);
      await fillCalendar(fixture, email, from, calendarDays, eventsPerDay);
      const bareUrl = await bare.call<string>('open', {
        connection: await findRunningEmbedded(fixture.gateway.dataDir),
      });
      // an invalid id is rejected before any read: the minimum cost of every request
      const floorCall: OneCall = {
        method: 'GET',
        path: '/v1/appointments/form-questions?appointmentUserId=none',
        headers: { 'x-api-key': account.apiKey },
      };
      const measure = (url: string, call: OneCall, meters: Meters, more: Partial<CallersInput> = {}) => {
        const input = { url, calls: [call], atOnce: callers, seconds, ...more };
        return measureCalls(caller, input, meters, call === floorCall);
      };
      const slotsOf = (id: string): OneCall => ({
        method: 'GET',
        path: `/v1/appointments/available-slots?appointmentUserId=${id}&date=${dateIn(daysAhead)}`,
        headers: { 'x-api-key': account.apiKey },
      });
      const bareCall: OneCall = { method: 'GET', path: `/bookings/${staff.id}` };
      const bareMeters = {
        'bare route': () => cpuMs(bare.pid),
        postgres: fixture.meters.postgres ?? (() => undefined),
      };
      progress('warming up');
      await measure(fixture.gateway.url, slotsOf(staff.id), fixture.meters, { seconds: 2 });
      await measure(bareUrl, bareCall, bareMeters, { seconds: 2 });
      progress('callers');
      const conditions = readConditions();
      const bareBefore = await measure(bareUrl, bareCall, bareMeters);
      const calledBefore = (await fixture.google.calls('freebusy.query')).length;
      window.fromMs = nowMs();
      const slots = await measure(fixture.gateway.url, slotsOf(staff.id), fixture.meters);
      window.toMs = nowMs();
      const calendarCalls = (await fixture.google.calls('freebusy.query')).length - calledBefore;
      const withoutCalendar = await measure(fixture.gateway.url, slotsOf(alone.id), fixture.meters);
      const floor = await measure(fixture.gateway.url, floorCall, fixture.meters);
      const bareAfter = await measure(bareUrl, bareCall, bareMeters);
      const perSecond = Math.round(openLoopShare * Math.min(slots.perSecond, bareAfter.perSecond));
      const openLoop = {
        slots: await measure(fixture.gateway.url, slotsOf(staff.id), fixture.meters, { perSecond }),
        bare: await measure(bareUrl, bareCall, bareMeters, { perSecond }),
      };
      const calendar = await calendarMs(fixture, email, 200);
      const engineMs = engineMsPerDay(bookings);
      const ratio = (2 * slots.perSecond) / (bareBefore.perSecond + bareAfter.perSecond);
      const row = (name: string, { perSecond, ms }: Measured) => [name, perSecond, ms.p50, ms.p95, ms.p99];
      table(`Slots of one staff member and date, ${callers} callers`, [
        ['', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms'],
        row('open slots, with the calendar', slots),
        row('open slots, of a staff member without one', withoutCalendar),
        row('a request that is rejected before any read', floor),
        row('bare route before', bareBefore),
        row('bare route after', bareAfter),
        row('open slots at a constant rate, from the scheduled start', openLoop.slots),
        row('bare route at the same rate', openLoop.bare),
        ['ratio to the bare route', ratio],
      ]);
      table('Parts', [
        ["the calendar's own time for the query, one at a time, p50 ms", calendar.p50],
        ['requests per query of the calendar', slots.ms.count / Math.max(1, calendarCalls)],
        ['the engine alone, ms per day', engineMs],
        ...Object.entries(slots.cpu).map(([name, ms]) => [`CPU ms per request: ${name}`, ms]),
        ...Object.entries(bareBefore.cpu).map(([name, ms]) => [`CPU ms per bare request: ${name}`, ms]),
      ]);
      const verdict = reportConditions(conditions, [bareBefore.perSecond, bareAfter.perSecond]);
      saveFigures(
        'slots',
        { seconds, callers, bookings, eventsPerDay },
        {
          slots,
          withoutCalendar,
          floor,
          bareBefore,
          bareAfter,
          ratio,
          calendar,
          calendarCalls,
          engineMs,
          openLoop,
          verdict,
        },
      );
    } finally {
      await Promise.all([caller.stop(), bare.stop()]);
      await fixture.close();
    }
    if (profile) showProfile('slots', window);
  },
});
