// Whole lives of messages: sends them, waits for the webhooks of all stages at every endpoint, and checks that none is missing.
import { sql } from 'kysely';
import type { BenchFixture } from './bench-fixture.ts';
import { type Meters, perPiece, type Readings, read } from './cpu.ts';
import { activityBetween, type DatabaseActivity, readActivity } from './database-activity.ts';
import type { LoadInput, LoadResult } from './load.ts';
import { type Spread, spread } from './percentiles.ts';
import { table } from './print.ts';
import type { RpcProcess } from './processes.ts';
import type { ReceiverCounts } from './receiver.ts';
import { noteStages, stageLatencies } from './stage-latency.ts';

const stagesPerMessage = 3;
const stallMs = 60_000;
/** With more messages than this, latencies are sampled from every sixteenth. */
const sampledFrom = 100_000;

export interface Lives {
  messages: number;
  seconds: number;
  perSecond: number;
  /** CPU milliseconds per message. */
  cpu: Readings;
  callbackToWebhook: Spread;
  sendMs: Spread;
  loads: Omit<LoadResult, 'sendMs'>[];
  receiver: ReceiverCounts;
  activity: DatabaseActivity;
  window: { fromMs: number; toMs: number };
}

/** Where the messages of one caller go. */
export type LivesTarget = Omit<LoadInput, 'firstPhone' | 'sends' | 'seconds' | 'perSecond'> & {
  caller: Pick<RpcProcess, 'call'>;
};

/** Sends of each caller, or their duration; with `perSecond`, at a constant rate of messages of each. */
export type Amount = Pick<LoadInput, 'sends' | 'seconds' | 'perSecond'>;

let phones = 491_700_000_000;
const phonesPerCaller = 10_000_000;

/** Sends through every target at the same time. `endpoints`: how many receive each stage. Throws if a send was rejected. */
export async function measureLives(
  fixture: BenchFixture,
  targets: readonly LivesTarget[],
  amount: Amount,
  { endpoints = 1, meters = fixture.meters }: { endpoints?: number; meters?: Meters } = {},
): Promise<Lives> {
  const recipients = targets.reduce((sum, one) => sum + one.recipientsPerSend, 0);
  const expected = (amount.sends ?? sampledFrom * (amount.seconds ? 1 : 0)) * recipients;
  const ending = expected >= sampledFrom ? '0' : '';
  await noteStages(fixture, ending);
  const [before, activityBefore] = [read(meters), await readActivity(fixture.db)];
  const results = await Promise.all(
    targets.map(({ caller, ...target }) => {
      const firstPhone = phones;
      phones += phonesPerCaller;
      return caller.call<LoadResult>('run', { ...target, ...amount, firstPhone });
    }),
  );
  const rejected = results.find((one) => one.rejected > 0);
  if (rejected) throw new Error(`${rejected.rejected} sends were rejected: ${rejected.firstRejection}`);
  const messages = results.reduce((sum, one) => sum + one.messages, 0);
  const receiver = await awaitStages(fixture, messages * stagesPerMessage * endpoints);
  const fromMs = Math.min(...results.map((one) => one.startedAtMs));
  const seconds = (receiver.lastAtMs - fromMs) / 1000;
  return {
    messages,
    seconds,
    perSecond: messages / seconds,
    cpu: perPiece(before, read(meters), messages),
    activity: activityBetween(activityBefore, await readActivity(fixture.db)),
    callbackToWebhook: spread(await stageLatencies(fixture, ending)),
    sendMs: spread(results.flatMap(({ sendMs }) => sendMs)),
    loads: results.map(({ sendMs: _, ...load }) => load),
    receiver,
    window: { fromMs, toMs: receiver.lastAtMs },
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
async function countRows({ db }: BenchFixture) {
  const { rows: messages } = await sql<{ state: number; n: number }>`
    select state, count(*) n from messages group by state order by state`.execute(db);
  const { rows: deliveries } = await sql<{ state: number; n: number }>`
    select state, count(*) n from deliveries group by state order by state`.execute(db);
  const { rows: failures } = await sql<{ n: number }>`select count(*) n from attempts`.execute(db);
  return { messages, deliveries, failedAttempts: failures[0]?.n ?? 0 };
}

/**
 * Compares the rows of the database and what arrived with the messages that were sent, and prints both. `beneath`: messages stored
 * before, each with a delivery. Returns the differences.
 */
export async function findLost(
  fixture: BenchFixture,
  measured: readonly (Lives & { endpoints?: number })[],
  beneath = 0,
): Promise<string[]> {
  const rowCounts = await countRows(fixture);
  const total = measured.reduce((sum, one) => sum + one.messages, 0);
  const events = measured.reduce(
    (all, one) => all + one.messages * stagesPerMessage * (one.endpoints ?? 1),
    0,
  );
  const read = (rowCounts.messages.find((row) => row.state === 5)?.n ?? 0) - beneath;
  const delivered = (rowCounts.deliveries.find((row) => row.state === 1)?.n ?? 0) - beneath;
  const sum = (of: (counts: ReceiverCounts) => number) =>
    measured.reduce((all, { receiver }) => all + of(receiver), 0);
  const checks: [string, number, number][] = [
    ['messages in state read', read, total],
    ['deliveries delivered', delivered, events],
    ['stages received', sum((counts) => counts.stages), events],
    ['messages whose stages were all received', sum((counts) => counts.complete), events / stagesPerMessage],
    ['stages received twice', sum((counts) => counts.repeated), 0],
    ['stages out of order', sum((counts) => counts.outOfOrder), 0],
    ['wrong signatures', sum((counts) => counts.badSignature), 0],
    ['failed attempts', rowCounts.failedAttempts, 0],
  ];
  table('Final check', [
    ['', 'found', 'expected'],
    ...checks.map(([name, found, expected]) => [name, found, expected]),
  ]);
  const problems = checks
    .filter(([, found, expected]) => found !== expected)
    .map(([name, found, expected]) => `${name}: ${found} instead of ${expected}`);
  if (problems.length > 0) {
    console.error(`\nThe run failed its final check:\n  ${problems.join('\n  ')}`);
    process.exitCode = 1;
  }
  return problems;
}

/** CPU milliseconds of all processes together; NaN if one is unknown. */
export const sumOf = (cpu: Readings): number =>
  Object.values(cpu).reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0);
