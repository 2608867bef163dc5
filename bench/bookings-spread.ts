// Distinct bookings of many staff members with calendars, in turn with a bare route; then at a constant rate.
import { findRunningEmbedded } from '../src/db/embedded/running.ts';
import { startBenchFixture } from './bench-fixture.ts';
import { distinctBookings } from './booking-calls.ts';
import type { CallersInput, OneCall } from './callers.ts';
import { nowMs } from './child.ts';
import { readConditions, reportConditions } from './conditions.ts';
import { activityBetween, activityRows, readActivity } from './database-activity.ts';
import { type Measured, measureCalls } from './measured-calls.ts';
import { medianOf } from './percentiles.ts';
import { progress, saveFigures, table } from './print.ts';
import { startRpcProcess } from './processes.ts';
import { profileFlags, showProfile } from './show-profile.ts';
import { addStaff, type Staff } from './staff.ts';

interface BookingsSpreadOptions {
  staff: number;
  callers: number;
  /** In each round, and at the constant rate. */
  bookings: number;
  rounds: number;
  /** Rounds are repeated for at least this long. */
  minutes: number;
  profile: boolean;
}

const bareSeconds = 1;
/** The constant rate, as a share of the closed one. */
const openLoopShare = 0.6;
const firstDay = 3;
/** Half of the slots of a date are booked, because a booking's buffer overlaps the next slot. */
const bookingsPerDay = 24;

/** Measures, prints and saves the figures. Fails if a booking was not confirmed exactly once in database and calendar. */
export async function bookingsSpread(options: BookingsSpreadOptions): Promise<void> {
  const { staff: members, callers, bookings, rounds, minutes, profile } = options;
  const fixture = await startBenchFixture({ nodeFlags: profile ? profileFlags('bookings') : [] });
  const window = { fromMs: 0, toMs: 0 };
  const caller = startRpcProcess('callers.ts');
  const bare = startRpcProcess('bare-route.ts');
  try {
    const account = await fixture.account('Bench');
    progress(`${members} staff members with calendars`);
    const staff: Staff[] = [];
    for (let index = 0; index < members; index++)
      staff.push(await addStaff(fixture, account, `staff${index}@bench.example`));
    const bareUrl = await bare.call<string>('open', {
      connection: await findRunningEmbedded(fixture.gateway.dataDir),
    });
    const bareCalls: OneCall[] = [{ method: 'POST', path: '/bookings' }];
    let expected = 0;
    const run = (url: string, calls: OneCall[], more: Partial<CallersInput> = {}) =>
      measureCalls(caller, { url, calls, atOnce: callers, ...more }, fixture.meters);
    let day = firstDay;
    const nextCalls = async () => {
      const calls = await distinctBookings(account, staff, bookings, day);
      day += Math.ceil(bookings / (members * bookingsPerDay));
      expected += calls.length;
      return calls;
    };
    const runBare = () => run(bareUrl, bareCalls, { seconds: bareSeconds });
    progress('warming up');
    await run(fixture.gateway.url, await nextCalls());
    await runBare();
    const conditions = readConditions();
    const measured: { bare: Measured; bookings: Measured }[] = [];
    const activityBefore = await readActivity(fixture.db);
    const [expectedBefore, untilMs] = [expected, nowMs() + minutes * 60_000];
    for (let round = 1; round <= rounds || nowMs() < untilMs; round++) {
      progress(`round ${round}`);
      const calls = await nextCalls();
      const one = { bare: await runBare(), fromMs: nowMs(), bookings: await run(fixture.gateway.url, calls) };
      Object.assign(window, { fromMs: one.fromMs, toMs: nowMs() });
      measured.push(one);
    }
    const activity = activityBetween(activityBefore, await readActivity(fixture.db));
    const bookingsThen = expected - expectedBefore;
    const middle = (of: (round: (typeof measured)[number]) => number | undefined) => medianOf(measured, of);
    const perSecond = Math.round(openLoopShare * middle((round) => round.bookings.perSecond));
    progress(`a constant rate of ${perSecond}/s`);
    const openLoop = await run(fixture.gateway.url, await nextCalls(), { perSecond });
    table(
      `Distinct bookings over ${members} staff with calendars, ${callers} callers, medians of ${measured.length} rounds`,
      [
        ['', 'per second', 'p50 ms', 'p95 ms', 'p99 ms'],
        ...(['bookings', 'bare'] as const).map((name) => [
          name === 'bare' ? 'bare route that commits one row' : name,
          middle((round) => round[name].perSecond),
          ...(['p50', 'p95', 'p99'] as const).map((part) => middle((round) => round[name].ms[part])),
        ]),
        [
          `bookings at a constant rate, from the scheduled start`,
          perSecond,
          openLoop.ms.p50,
          openLoop.ms.p95,
          openLoop.ms.p99,
        ],
        ['bookings to the bare route', middle((round) => round.bookings.perSecond / round.bare.perSecond)],
        ...Object.keys(fixture.meters)
          .filter((name) => name !== 'receiver')
          .map((name) => [`CPU ms per booking: ${name}`, middle((round) => round.bookings.cpu[name])]),
      ],
    );
    table(
      'The database in the meantime, with the rows of the bare route',
      activityRows(activity, bookingsThen, 'booking'),
    );
    const verdict = reportConditions(
      conditions,
      measured.map((round) => round.bare.perSecond),
    );
    const events = await Promise.all(staff.map(({ email }) => fixture.google.liveEvents(email ?? '')));
    const inCalendars = events.reduce((sum, { length }) => sum + length, 0);
    if (inCalendars !== expected) throw new Error(`${inCalendars} events for ${expected} bookings`);
    saveFigures('bookings-spread', options, {
      measured,
      openLoop: { ...openLoop, perSecond },
      activity,
      verdict,
    });
  } finally {
    await Promise.all([caller.stop(), bare.stop()]);
    await fixture.close();
  }
  if (profile) showProfile('bookings', window);
}
