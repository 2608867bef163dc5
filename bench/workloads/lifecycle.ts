// Messages per second through their whole life, compared with a ceiling of the same HTTP exchanges.

import { sql } from 'kysely';
import { type BenchFixture, startBenchFixture } from '../bench-fixture.ts';
import { type Ceiling, measureCeiling } from '../ceiling.ts';
import { cpuMs, perPiece, type Readings, read, residentBytes } from '../cpu.ts';
import { fillDeliveries, fillMessages } from '../filling.ts';
import type { LoadInput, LoadResult } from '../load.ts';
import { type Spread, spread } from '../percentiles.ts';
import { format, formatSpread, progress, saveFigures, table } from '../print.ts';
import { type RpcProcess, startRpcProcess } from '../processes.ts';
import type { ReceiverCounts } from '../receiver.ts';
import { profileFlags, showProfile } from '../show-profile.ts';
import { noteStages, stageLatencies } from '../stage-latency.ts';
import { countUnrecorded } from '../unrecorded.ts';
import { workload } from '../workload.ts';

const stagesPerMessage = 3;
const stallMs = 60_000;
/** With more messages than this, latencies are sampled from every sixteenth. */
const sampledFrom = 100_000;

interface Phase {
  messages: number;
  seconds: number;
  perSecond: number;
  cpu: Readings;
  callbackToWebhook: Spread;
  sendMs: Spread;
  load: Omit<LoadResult, 'sendMs'>;
  receiver: ReceiverCounts;
  window: { fromMs: number; toMs: number };
}

type Amount = Pick<LoadInput, 'sends' | 'seconds' | 'perSecond'>;

let phones = 491_700_000_000;

async function phase(
  fixture: BenchFixture,
  caller: RpcProcess,
  base: LoadInput,
  amount: Amount,
): Promise<Phase> {
  const input: LoadInput = { ...base, ...amount, firstPhone: phones };
  const expected = (amount.sends ?? sampledFrom * (amount.seconds ? 1 : 0)) * base.recipientsPerSend;
  const ending = expected >= sampledFrom ? '0' : '';
  await noteStages(fixture, ending);
  const meters = { ...fixture.meters, caller: () => cpuMs(caller.pid) };
  const before = read(meters);
  const { sendMs, ...load } = await caller.call<LoadResult>('run', input);
  phones += load.sends * base.recipientsPerSend;
  if (load.rejected > 0) throw new Error(`${load.rejected} sends were rejected: ${load.firstRejection}`);
  const receiver = await awaitStages(fixture, load.messages * stagesPerMessage);
  const cpu = perPiece(before, read(meters), load.messages);
  const seconds = (receiver.lastAtMs - load.startedAtMs) / 1000;
  return {
    messages: load.messages,
    seconds,
    perSecond: load.messages / seconds,
    cpu,
    callbackToWebhook: spread(await stageLatencies(fixture, ending)),
    sendMs: spread(sendMs),
    load,
    receiver,
    window: { fromMs: load.startedAtMs, toMs: receiver.lastAtMs },
  };
}

/** Waits for all stages, or until none has arrived for a minute; the final check then reports the missing ones. */
async function awaitStages(fixture: BenchFixture, stages: number): Promise<ReceiverCounts> {
  for (let known = -1; ; ) {
    const counts = await fixture.receiver.call<ReceiverCounts>('until', { stages, withinMs: stallMs });
    if (counts.stages >= stages || counts.stages === known) return counts;
    known = counts.stages;
  }
}

/** Counts of all messages and deliveries of the run, by state. */
async function countRows(fixture: BenchFixture) {
  const { rows: messages } = await sql<{ state: number; n: number }>`
    select state, count(*) n from messages group by state order by state`.execute(fixture.db);
  const { rows: deliveries } = await sql<{ state: number; n: number; tries: number }>`
    select state, count(*) n, sum(attempts) tries from deliveries group by state order by state`.execute(
    fixture.db,
  );
  const { rows: failures } = await sql<{ n: number }>`select count(*) n from attempts`.execute(fixture.db);
  return { messages, deliveries, failedAttempts: failures[0]?.n ?? 0 };
}

/** Checkpoints and vacuums of the database. */
async function databaseActivity(fixture: BenchFixture): Promise<{ checkpoints: number; vacuums: number }> {
  const { rows } = await sql<{ checkpoints: number; vacuums: number }>`
    select (select num_timed + num_requested from pg_stat_checkpointer)::int as checkpoints,
      (select sum(autovacuum_count) from pg_stat_user_tables)::int as vacuums`.execute(fixture.db);
  return rows[0] ?? { checkpoints: 0, vacuums: 0 };
}

function findProblems(
  phases: Phase[],
  rowCounts: Awaited<ReturnType<typeof countRows>>,
  beneath: number,
): string[] {
  const total = phases.reduce((sum, one) => sum + one.messages, 0);
  const read = (rowCounts.messages.find((row) => row.state === 5)?.n ?? 0) - beneath;
  const delivered = (rowCounts.deliveries.find((row) => row.state === 1)?.n ?? 0) - beneath;
  const sum = (of: (counts: ReceiverCounts) => number) =>
    phases.reduce((all, { receiver }) => all + of(receiver), 0);
  const checks: [string, number, number][] = [
    ['messages in state read', read, total],
    ['deliveries delivered', delivered, total * stagesPerMessage],
    ['stages received', sum((counts) => counts.stages), total * stagesPerMessage],
    ['messages whose stages were all received', sum((counts) => counts.complete), total],
    ['stages received twice', sum((counts) => counts.repeated), 0],
    ['stages out of order', sum((counts) => counts.outOfOrder), 0],
    ['wrong signatures', sum((counts) => counts.badSignature), 0],
    ['failed attempts', rowCounts.failedAttempts, 0],
  ];
  table('Final check', [
    ['', 'found', 'expected'],
    ...checks.map(([name, found, expected]) => [name, found, expected]),
  ]);
  return checks
    .filter(([, found, expected]) => found !== expected)
    .map(([name, found, expected]) => `${name}: ${found} instead of ${expected}`);
}

const processNames = ['gateway', 'postgres', 'platform', 'receiver', 'caller'];

function showFigures(full: Phase, half: Phase | undefined, ceilings: Ceiling[]): { ratio?: number } {
  const allOf = (cpu: Readings) =>
    Object.values(cpu).reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0);
  const ceiling = ceilings.reduce((sum, one) => sum + one.perSecond, 0) / ceilings.length;
  const ratio = full.perSecond / ceiling;
  table('Whole lifecycle: send, platform call, three callbacks, three webhooks', [
    ['messages', full.messages],
    ['seconds', full.seconds],
    ['messages/s', full.perSecond],
    ...ceilings.map((one, index) => [
      `ceiling ${index === 0 ? 'before' : 'after'}: messages/s, median of ${one.runs.map(format).join(', ')}`,
      one.perSecond,
    ]),
    ...(ceilings.length > 0 ? [['ratio to the ceiling', ratio]] : []),
  ]);
  table('CPU milliseconds per message', [
    ['', 'all', ...processNames],
    ['lifecycle', allOf(full.cpu), ...processNames.map((name) => full.cpu[name])],
    ...ceilings.map((one, index) => [
      `ceiling ${index === 0 ? 'before' : 'after'}`,
      allOf(one.cpu),
      ...processNames.map((name) => one.cpu[name]),
    ]),
  ]);
  table('From callback to webhook', [
    [`at ${format(full.perSecond)}/s`, formatSpread(full.callbackToWebhook)],
    ...(half ? [[`at ${format(half.perSecond)}/s, half of that`, formatSpread(half.callbackToWebhook)]] : []),
  ]);
  return ceilings.length > 0 ? { ratio } : {};
}

export default workload({
  about: 'Messages per second through the whole lifecycle, as a ratio to the same HTTP exchanges alone.',
  options: {
    messages: { default: 2_000, about: 'messages in the measured run' },
    seconds: { default: 0, about: 'duration of the measured run, instead of a number of messages' },
    perSecond: { default: 0, about: 'messages per second, for `seconds`, instead of the full rate' },
    beneath: { default: 0, about: 'messages stored before the run, each with a delivery' },
    warmUp: { default: 1_000, about: 'messages of the warm-up' },
    senders: { default: 4, about: 'numbers, with 1,000 messages per second each' },
    atOnce: { default: 16, about: 'concurrent sends' },
    recipients: { default: 100, about: 'recipients of each send' },
    ceilingRuns: { default: 3, about: 'runs of the ceiling before and after; 0: none' },
    half: { default: true, about: 'then measure latency at half the rate (--no-half)' },
    profile: { default: false, about: 'write and show a CPU profile of the gateway' },
    flags: { default: '', about: 'additional Node flags for the gateway, separated by spaces' },
  },
  async run(options) {
    const { recipients, senders, atOnce } = options;
    const sends = Math.max(1, Math.round(options.messages / recipients));
    const ceilingInput = {
      recipientsPerSend: recipients,
      sends,
      atOnce,
      platformConnections: Math.min(128, 64 * senders),
      callbackConnections: 128,
      webhookConnections: 64,
    };
    const ceilings: Ceiling[] = [];
    const ceiling = async (when: string) => {
      if (options.ceilingRuns === 0) return;
      progress(`the ceiling, ${when}`);
      ceilings.push(await measureCeiling(ceilingInput, options.ceilingRuns));
    };
    await ceiling('before');
    const nodeFlags = [
      ...options.flags.split(' ').filter((flag) => flag !== ''),
      ...(options.profile ? profileFlags('lifecycle') : []),
    ];
    const fixture = await startBenchFixture({ nodeFlags });
    const caller = startRpcProcess('load.ts');
    const phases: Phase[] = [];
    let memoryBytes: number | undefined;
    let kept = { checkpoints: 0, vacuums: 0 };
    let rowCounts: Awaited<ReturnType<typeof countRows>>;
    try {
      const account = await fixture.account('Bench');
      const numbers = await fixture.numbers(account, senders);
      await fixture.endpoint(account, 'bench');
      const base: LoadInput = {
        url: fixture.gateway.url,
        apiKey: account.apiKey,
        templateId: numbers.templateIds.order_update as string,
        senderIds: numbers.senderIds,
        recipientsPerSend: recipients,
        atOnce,
        firstPhone: 0,
      };
      if (options.beneath > 0) {
        progress(`storing ${format(options.beneath)} messages`);
        await fillMessages(fixture, account, numbers, 0, options.beneath);
        await fillDeliveries(fixture, account, options.beneath);
      }
      progress('warming up');
      phases.push(
        await phase(fixture, caller, base, { sends: Math.max(1, Math.round(options.warmUp / recipients)) }),
      );
      const held = options.perSecond > 0 ? { perSecond: options.perSecond } : {};
      progress(held.perSecond ? `${format(held.perSecond)} messages per second` : 'messages at full rate');
      const before = await databaseActivity(fixture);
      const full = await phase(fixture, caller, held.perSecond ? { ...base, atOnce: 64 } : base, {
        ...held,
        ...(options.seconds > 0 ? { seconds: options.seconds } : { sends }),
      });
      phases.push(full);
      const after = await databaseActivity(fixture);
      kept = { checkpoints: after.checkpoints - before.checkpoints, vacuums: after.vacuums - before.vacuums };
      memoryBytes = residentBytes(fixture.gateway.pid);
      if (options.half) {
        progress('messages at half that rate');
        const half = {
          perSecond: full.perSecond / 2,
          sends: Math.min(sends, Math.ceil((full.perSecond * 10) / recipients)),
        };
        phases.push(await phase(fixture, caller, { ...base, atOnce: 64 }, half));
      }
      await countUnrecorded(fixture.db);
      rowCounts = await countRows(fixture);
    } finally {
      await caller.stop();
      await fixture.close();
    }
    await ceiling('after');
    const [, full, half] = phases as [Phase, Phase, Phase?];
    const { ratio } = showFigures(full, half, ceilings);
    console.log(`  the database in the meantime: ${kept.checkpoints} checkpoints, ${kept.vacuums} vacuums`);
    const problems = findProblems(phases, rowCounts, options.beneath);
    if (options.profile) showProfile('lifecycle', full.window);
    saveFigures('lifecycle', options, {
      ratio,
      full,
      half,
      ceilings,
      memoryBytes,
      databaseActivity: kept,
      rowCounts,
      problems,
    });
    if (problems.length === 0) return;
    console.error(`\nThe run failed its final check:\n  ${problems.join('\n  ')}`);
    process.exitCode = 1;
  },
});
