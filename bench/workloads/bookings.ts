// Competing requests for one slot, of which one wins, and distinct bookings per second.
import { sql } from 'kysely';
import { type BenchFixture, startBenchFixture } from '../bench-fixture.ts';
import { booking, distinctBookings, openSlots } from '../booking-calls.ts';
import { bookingsSpread } from '../bookings-spread.ts';
import type { CallersInput, CallersResult, OneCall } from '../callers.ts';
import { nowMs } from '../child.ts';
import { perPiece, read } from '../cpu.ts';
import { spread } from '../percentiles.ts';
import { formatSpread, progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { profileFlags, showProfile } from '../show-profile.ts';
import { addStaff, dateIn, type Staff } from '../staff.ts';
import { workload } from '../workload.ts';

async function confirmed(fixture: BenchFixture, staff: Staff): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) n from bookings where staff_id = ${staff.id} and state = 'confirmed'`.execute(fixture.db);
  return rows[0]?.n ?? 0;
}

export default workload({
  about:
    '200 concurrent requests for one slot (one wins), and distinct bookings per second, with and without calendars.',
  options: {
    rivals: { default: 200, about: 'callers who want the same slot at the same time' },
    bookings: { default: 600, about: 'distinct bookings' },
    staff: { default: 10, about: 'staff members that they are spread over' },
    atOnce: { default: 32, about: 'concurrent requests for distinct bookings' },
    spread: {
      default: false,
      about: 'only distinct bookings with calendars: 32 staff, 64 callers, in rounds',
    },
    rounds: { default: 5, about: 'rounds, each in turn with a bare route, with --spread' },
    minutes: { default: 0, about: 'at least as many minutes of rounds, with --spread' },
    profile: { default: false, about: 'write and show a CPU profile of the gateway' },
  },
  async run({ rivals, bookings, staff: staffCount, atOnce, profile, spread: isSpread, rounds, minutes }) {
    if (isSpread) return bookingsSpread({ staff: 32, callers: 64, bookings, rounds, minutes, profile });
    const fixture = await startBenchFixture({ nodeFlags: profile ? profileFlags('bookings') : [] });
    const window = { fromMs: 0, toMs: 0 };
    const caller = startRpcProcess('callers.ts');
    try {
      const account = await fixture.account('Bench');
      progress('staff with calendars');
      const contested = await addStaff(fixture, account, 'wanted@bench.example');
      const staff: Staff[] = [];
      for (let index = 0; index < staffCount; index++)
        staff.push(await addStaff(fixture, account, `staff${index}@bench.example`));
      const alone: Staff[] = [];
      for (let index = 0; index < staffCount; index++) alone.push(await addStaff(fixture, account));
      const run = async (calls: OneCall[], at: number) => {
        const input: CallersInput = { url: fixture.gateway.url, calls, atOnce: at };
        return caller.call<CallersResult>('run', input);
      };
      const competingCalls = async (member: Staff, date: string): Promise<OneCall[]> => {
        const [slot] = await openSlots(account, member, date);
        if (!slot) throw new Error('no slot is open');
        return Array.from({ length: rivals }, () => booking(account, member, date, slot));
      };
      progress('warming up');
      await run(await distinctBookings(account, staff, 40, 3), 8);
      for (const one of staff) await run(await competingCalls(one, dateIn(10)), rivals);

      progress('competing requests');
      const calls = await competingCalls(contested, dateIn(10));
      const beforeRace = read(fixture.meters);
      const race = await run(calls, rivals);
      const raceMs = spread(race.ms);
      const raceCpu = perPiece(beforeRace, read(fixture.meters), rivals);
      const winners = await confirmed(fixture, contested);
      const events = (await fixture.google.liveEvents('wanted@bench.example')).length;
      table(`${rivals} competing requests for one slot`, [
        [
          'responses by HTTP status',
          Object.entries(race.statuses)
            .map(([s, n]) => `${s}: ${n}`)
            .join(', '),
        ],
        ['bookings confirmed, and events in the calendar', `${winners}, ${events}`],
        ['response time', formatSpread(raceMs)],
        ['p95 ms', raceMs.p95],
        ...Object.entries(raceCpu).map(([process, used]) => [`CPU ms per request: ${process}`, used]),
      ]);

      progress('distinct bookings');
      const figures: Record<string, unknown> = {
        race: { statuses: race.statuses, winners, events, ms: raceMs, cpu: raceCpu },
      };
      const problems: string[] = [];
      if (winners !== 1 || events !== 1 || race.statuses[200] !== 1)
        problems.push(`${winners} winners, ${events} events, ${race.statuses[200] ?? 0} times 200`);
      for (const [name, members] of [
        ['with calendars', staff],
        ['without', alone],
      ] as const) {
        const calls = await distinctBookings(account, members, bookings, 20);
        const before = read(fixture.meters);
        const began = nowMs();
        const result = await run(calls, atOnce);
        if (members === staff) Object.assign(window, { fromMs: began, toMs: nowMs() });
        const ms = spread(result.ms);
        const booked = result.statuses[200] ?? 0;
        const perSecond = booked / result.seconds;
        const cpu = perPiece(before, read(fixture.meters), calls.length);
        table(`Distinct bookings ${name}, ${atOnce} at a time over ${members.length} staff`, [
          ['bookings/s', perSecond],
          ['response time', formatSpread(ms)],
          ...Object.entries(cpu).map(([process, used]) => [`CPU ms per booking: ${process}`, used]),
        ]);
        figures[name] = { perSecond, ms, cpu, statuses: result.statuses };
        if (booked !== bookings)
          problems.push(`${name}: ${booked} of ${bookings} taken; ${result.firstRejection}`);
      }
      saveFigures('bookings', { rivals, bookings, staff: staffCount, atOnce }, { ...figures, problems });
      if (problems.length > 0) {
        console.error(`\nThe run was not sound:\n  ${problems.join('\n  ')}`);
        process.exitCode = 1;
      }
    } finally {
      await caller.stop();
      await fixture.close();
    }
    if (profile) showProfile('bookings', window);
  },
});
