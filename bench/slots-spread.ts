// Open slots of different staff members and dates, in turn with the bare route; then both at a constant rate.
import { findRunningEmbedded } from '../src/db/embedded/running.ts';
import { startBenchFixture } from './bench-fixture.ts';
import type { CallersInput, OneCall } from './callers.ts';
import { nowMs } from './child.ts';
import { readConditions, reportConditions } from './conditions.ts';
import { cpuMs } from './cpu.ts';
import { freeBusyCall } from './free-busy-call.ts';
import { type Measured, measureCalls } from './measured-calls.ts';
import { median, medianOf } from './percentiles.ts';
import { progress, saveFigures, table } from './print.ts';
import { startRpcProcess } from './processes.ts';
import { profileFlags, showProfile } from './show-profile.ts';
import { addSpreadStaff, type SpreadOptions, spreadCalls } from './spread-staff.ts';
import { dateIn } from './staff.ts';

interface SlotsSpreadOptions extends SpreadOptions {
  seconds: number;
  callers: number;
  rounds: number;
  profile: boolean;
}

const subjects = [
  'bare route',
  'with calendars',
  'without calendars',
  'bare route with a calendar call',
  'bare route again',
] as const;
type Subject = (typeof subjects)[number];

/** The constant rate, as a share of the slower one of the closed rates. */
const openLoopShare = 0.5;

/** Headers that a server adds by itself. */
const ownHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive']);

/** The gateway's response to a call, for the bare route to send the same bytes. */
async function sampleOf(url: string, { path, headers = {} }: OneCall) {
  const response = await fetch(`${url}${path}`, { headers });
  const sent = [...response.headers].filter(([name]) => !ownHeaders.has(name));
  return { headers: Object.fromEntries(sent), body: await response.json() };
}

/** Measures, prints and saves the figures. */
export async function slotsSpread(options: SlotsSpreadOptions): Promise<void> {
  const { seconds, callers, rounds, profile } = options;
  const fixture = await startBenchFixture({ nodeFlags: profile ? profileFlags('slots') : [] });
  const window = { fromMs: 0, toMs: 0 };
  const caller = startRpcProcess('callers.ts');
  const bare = startRpcProcess('bare-route.ts');
  try {
    const account = await fixture.account('Bench');
    progress(`${options.staff} staff members with bookings and busy calendars, and as many without`);
    const staff = await addSpreadStaff(fixture, account, options, true);
    const alone = await addSpreadStaff(fixture, account, options, false);
    const calls = spreadCalls(account, staff, options);
    const bareUrl = await bare.call<string>('open', {
      connection: await findRunningEmbedded(fixture.gateway.dataDir),
      sample: await sampleOf(fixture.gateway.url, calls[0] as OneCall),
      calendar: await freeBusyCall(fixture, staff[0]?.email ?? '', dateIn(options.firstDay)),
    });
    const bareCalls: OneCall[] = staff.map(({ id }) => ({ method: 'GET', path: `/bookings/${id}` }));
    const meters = { ...fixture.meters, 'bare route': () => cpuMs(bare.pid) };
    const targets: Record<Subject, { url: string; calls: OneCall[] }> = {
      'bare route': { url: bareUrl, calls: bareCalls },
      'with calendars': { url: fixture.gateway.url, calls },
      'without calendars': { url: fixture.gateway.url, calls: spreadCalls(account, alone, options) },
      'bare route with a calendar call': {
        url: bareUrl,
        calls: staff.map(({ id }) => ({ method: 'GET', path: `/bookings-and-calendar/${id}` })),
      },
      'bare route again': { url: bareUrl, calls: bareCalls },
    };
    const measure = (subject: Subject, more: Partial<CallersInput> = {}) =>
      measureCalls(caller, { ...targets[subject], atOnce: callers, seconds, ...more }, meters);
    progress('warming up');
    for (const subject of subjects.slice(0, -1)) await measure(subject);
    const conditions = readConditions();
    const measured: Record<Subject, Measured>[] = [];
    window.fromMs = nowMs();
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`);
      const one = {} as Record<Subject, Measured>;
      for (const subject of subjects) one[subject] = await measure(subject);
      measured.push(one);
    }
    window.toMs = nowMs();
    const middle = (subject: Subject, of: (one: Measured) => number | undefined) =>
      medianOf(measured, (round) => of(round[subject]));
    const ratioOf = (subject: Subject) => (round: Record<Subject, Measured>) =>
      (2 * round[subject].perSecond) / (round['bare route'].perSecond + round['bare route again'].perSecond);
    const ratios = {
      'with calendars': measured.map(ratioOf('with calendars')),
      'without calendars': measured.map(ratioOf('without calendars')),
      'bare route with a calendar call': measured.map(ratioOf('bare route with a calendar call')),
    };
    table(
      `Slots of ${options.staff} staff members on ${options.days} dates, ${callers} callers, medians of ${rounds} rounds`,
      [
        ['', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'to the bare route', 'smallest', 'largest'],
        ...subjects.map((subject) => {
          const ratio = subject in ratios ? ratios[subject as keyof typeof ratios] : [];
          return [
            subject,
            middle(subject, ({ perSecond }) => perSecond),
            ...(['p50', 'p95', 'p99'] as const).map((part) => middle(subject, ({ ms }) => ms[part])),
            ...(ratio.length > 0 ? [median(ratio), Math.min(...ratio), Math.max(...ratio)] : []),
          ];
        }),
      ],
    );
    const processes = Object.keys(meters).filter((name) => name !== 'receiver');
    table('CPU ms per request', [
      ['', ...processes],
      ...subjects
        .slice(0, -1)
        .map((subject) => [subject, ...processes.map((name) => middle(subject, ({ cpu }) => cpu[name]))]),
    ]);
    const closed = (['bare route', 'with calendars'] as const).map((name) =>
      middle(name, (one) => one.perSecond),
    );
    const perSecond = Math.round(openLoopShare * Math.min(...closed));
    progress(`a constant rate of ${perSecond}/s`);
    const openLoop = {
      'bare route': await measure('bare route', { perSecond }),
      'with calendars': await measure('with calendars', { perSecond }),
      'without calendars': await measure('without calendars', { perSecond }),
    };
    table(`At a constant rate of ${perSecond}/s, from the scheduled start`, [
      ['', 'p50 ms', 'p95 ms', 'p99 ms'],
      ...Object.entries(openLoop).map(([name, { ms }]) => [name, ms.p50, ms.p95, ms.p99]),
    ]);
    const bareRates = measured.flatMap((round) => [
      round['bare route'].perSecond,
      round['bare route again'].perSecond,
    ]);
    const verdict = reportConditions(conditions, bareRates);
    saveFigures('slots-spread', options, { measured, ratios, openLoop: { perSecond, ...openLoop }, verdict });
  } finally {
    await Promise.all([caller.stop(), bare.stop()]);
    await fixture.close();
  }
  if (profile) showProfile('slots', window);
}
