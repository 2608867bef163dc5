// Sends of one recipient a call beside sends of 100, with and without keys and media files, of many accounts; and one at a time.
import { startBenchFixture } from '../bench-fixture.ts';
import type { CallersInput, CallersResult, OneCall } from '../callers.ts';
import { nowMs } from '../child.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { perPiece, type Readings, read } from '../cpu.ts';
import { measureLoneSends } from '../lone-sends.ts';
import { median, type Spread, spread } from '../percentiles.ts';
import { progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import type { ReceiverCounts } from '../receiver.ts';
import { addSendingAccounts, type SendKind, sendCalls } from '../send-load.ts';
import { profileFlags, showProfile } from '../show-profile.ts';
import { workload } from '../workload.ts';

const stagesPerMessage = 3;
const stallMs = 30_000;
const large = 100;

const kinds: Record<string, SendKind> = {
  plain: { withKey: false, withMedia: false },
  key: { withKey: true, withMedia: false },
  media: { withKey: false, withMedia: true },
  'key and media': { withKey: true, withMedia: true },
};

interface Measured {
  /** Whole lives, until the last webhook. */
  perSecond: number;
  sendMs: ReturnType<typeof spread>;
  cpu: Readings;
  /** CPU milliseconds a message of gateway and PostgreSQL. */
  cpuMs: number;
}

const targets = { cpu: 1.3, lives: 0.8, p50: 2.5, p99: 8 };

export default workload({
  about:
    'Sends of one recipient a call beside 100 a call, with and without keys and media; and single sends at a low constant rate.',
  options: {
    accounts: { default: 20, about: 'accounts, each with a number with 1,000 messages per second' },
    messages: { default: 2_000, about: 'messages of each measurement' },
    rounds: { default: 5, about: 'rounds, in which every kind and size is measured once' },
    callers: { default: 64, about: 'concurrent calls with one recipient' },
    largeCallers: { default: 16, about: 'concurrent calls with 100 recipients' },
    kinds: { default: 'plain,key,media,key and media', about: 'kinds of sends, separated by commas' },
    perSecond: { default: 10, about: 'the constant rate of single sends' },
    seconds: { default: 30, about: 'how long that rate is measured; 0: not' },
    profile: { default: false, about: 'write and show a CPU profile of the gateway' },
  },
  async run(options) {
    const { messages, rounds, callers, largeCallers, perSecond, seconds, profile } = options;
    const chosen = Object.entries(kinds).filter(([name]) => options.kinds.split(',').includes(name));
    const fixture = await startBenchFixture({ nodeFlags: profile ? profileFlags('sends') : [] });
    const caller = startRpcProcess('callers.ts');
    const window = { fromMs: 0, toMs: 0 };
    let stages = 0;
    const awaitStages = async (more: number): Promise<number> => {
      stages += more * stagesPerMessage;
      const counts = await fixture.receiver.call<ReceiverCounts>('until', { stages, withinMs: stallMs });
      const { repeated, outOfOrder, badSignature } = counts;
      if (counts.stages !== stages || repeated + outOfOrder + badSignature > 0)
        throw new Error(`webhooks: ${JSON.stringify(counts)}, expected ${stages} stages`);
      return counts.lastAtMs;
    };
    const run = async (calls: OneCall[], more: Partial<CallersInput>) => {
      const input: CallersInput = { url: fixture.gateway.url, calls, atOnce: callers, ...more };
      const result = await caller.call<CallersResult>('run', input);
      if (result.firstRejection !== undefined) throw new Error(result.firstRejection);
      return result;
    };
    try {
      progress(`${options.accounts} accounts`);
      const accounts = await addSendingAccounts(fixture, options.accounts);
      const measure = async (kind: SendKind, recipientsPerCall: number): Promise<Measured> => {
        const calls = sendCalls(accounts, kind, { messages, recipientsPerCall });
        const count = calls.length * recipientsPerCall;
        const before = read(fixture.meters);
        const beganMs = nowMs();
        const { ms } = await run(calls, { atOnce: recipientsPerCall === 1 ? callers : largeCallers });
        const lastAtMs = await awaitStages(count);
        const cpu = perPiece(before, read(fixture.meters), count);
        const cpuMs = (cpu.gateway ?? Number.NaN) + (cpu.postgres ?? Number.NaN);
        return { perSecond: (1000 * count) / (lastAtMs - beganMs), sendMs: spread(ms), cpu, cpuMs };
      };
      progress('warming up');
      for (const [, kind] of chosen) for (const size of [large, 1]) await measure(kind, size);
      const conditions = readConditions();
      const measured: Record<string, { one: Measured; large: Measured }>[] = [];
      window.fromMs = nowMs();
      for (let round = 1; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}`);
        const of: (typeof measured)[number] = {};
        for (const [name, kind] of chosen) {
          // which size goes first alternates
          const first = round % 2 === 0 ? await measure(kind, large) : undefined;
          const one = await measure(kind, 1);
          of[name] = { one, large: first ?? (await measure(kind, large)) };
        }
        measured.push(of);
      }
      window.toMs = nowMs();
      const middle = (name: string, size: 'one' | 'large', value: (one: Measured) => number | undefined) =>
        median(measured.map((round) => value(round[name]?.[size] as Measured) ?? Number.NaN));
      const ratios = (name: string, value: (one: Measured) => number) =>
        measured.map((round) => value(round[name]?.one as Measured) / value(round[name]?.large as Measured));
      table(
        `Whole lives of ${options.accounts} accounts, ${callers} callers with one recipient, ${largeCallers} with ${large}; medians of ${rounds} rounds`,
        [
          ['', 'lives/s', 'gateway ms', 'PostgreSQL ms', 'p50 of a send', 'p99'],
          ...chosen.flatMap(([name]) =>
            (['one', 'large'] as const).map((size) => [
              `${name}, ${size === 'one' ? 1 : large} a call`,
              middle(name, size, (one) => one.perSecond),
              middle(name, size, ({ cpu }) => cpu.gateway),
              middle(name, size, ({ cpu }) => cpu.postgres),
              middle(name, size, ({ sendMs }) => sendMs.p50),
              middle(name, size, ({ sendMs }) => sendMs.p99),
            ]),
          ),
        ],
      );
      const spreadOf = (values: number[]) => [median(values), Math.min(...values), Math.max(...values)];
      table('One recipient a call, as a multiple of 100 a call', [
        ['', 'CPU', 'smallest', 'largest', 'lives/s', 'smallest', 'largest'],
        ...chosen.map(([name]) => [
          name,
          ...spreadOf(ratios(name, ({ cpuMs }) => cpuMs)),
          ...spreadOf(ratios(name, (one) => one.perSecond)),
        ]),
        ['target', `≤ ${targets.cpu}`, '', '', `≥ ${targets.lives}`],
      ]);
      const [first] = accounts;
      let alone: Record<string, Spread> = {};
      if (seconds > 0 && first) {
        progress(`single sends at ${perSecond}/s`);
        const input = { fixture, sending: first, perSecond, seconds, run, awaitLives: awaitStages };
        alone = await measureLoneSends(input);
        table(`Single sends at ${perSecond}/s, from the scheduled start (ms)`, [
          ['', 'p50', 'p95', 'p99', 'longest'],
          ...Object.entries(alone).map(([name, ms]) => [name, ms.p50, ms.p95, ms.p99, ms.max]),
          ['target', `≤ ${targets.p50}`, '', `≤ ${targets.p99}`],
        ]);
      }
      const [baseline = 'plain'] = Object.keys(measured[0] ?? {});
      const verdict = reportConditions(
        conditions,
        measured.map((round) => round[baseline]?.large.cpuMs ?? Number.NaN),
      );
      saveFigures('sends', options, { measured, alone, verdict });
    } finally {
      await caller.stop();
      await fixture.close();
    }
    if (profile) showProfile('sends', window);
  },
});
