// Messages per second through their whole life, in turn with a ceiling of the same HTTP exchanges.
import { sendTarget, startBenchFixture } from '../bench-fixture.ts';
import { openCeiling } from '../ceiling.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { type Readings, residentBytes } from '../cpu.ts';
import { activityRows } from '../database-activity.ts';
import { fillDeliveries, fillMessages } from '../filling.ts';
import { type Amount, findLost, type Lives, type LivesTarget, measureLives, sumOf } from '../lives.ts';
import { median, medianOf } from '../percentiles.ts';
import { format, formatSpread, progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { profileFlags, showProfile } from '../show-profile.ts';
import { countUnrecorded } from '../unrecorded.ts';
import { workload } from '../workload.ts';

/** A round of the gateway, and the ceiling right before and after it. */
interface Round {
  lives: Lives;
  ceilings: [number, number];
}

const processNames = ['gateway', 'postgres', 'platform', 'receiver', 'caller'];
const ratioOf = ({ lives, ceilings }: Round) => (2 * lives.perSecond) / (ceilings[0] + ceilings[1]);

function showRounds(rounds: readonly Round[], ceilingCpu: Readings): { ratio: number } {
  const ratios = rounds.map(ratioOf);
  const ceilings = rounds.flatMap((round) => round.ceilings);
  table(`Whole lives: send, platform call, three callbacks, three webhooks; ${rounds.length} rounds`, [
    ['', 'median', 'smallest', 'largest'],
    ...(
      [
        ['messages/s', rounds.map(({ lives }) => lives.perSecond)],
        ['ceiling, messages/s', ceilings],
        ['ratio to the ceiling before and after', ratios],
      ] as const
    ).map(([name, values]) => [name, median(values), Math.min(...values), Math.max(...values)]),
  ]);
  const middle = Object.fromEntries(
    processNames.map((name) => [name, medianOf(rounds, ({ lives }) => lives.cpu[name])]),
  );
  table('CPU milliseconds per message', [
    ['', 'all', ...processNames],
    ['lifecycle', sumOf(middle), ...processNames.map((name) => middle[name])],
    ['ceiling', sumOf(ceilingCpu), ...processNames.map((name) => ceilingCpu[name])],
  ]);
  return { ratio: median(ratios) };
}

function showDatabase(measured: readonly Lives[]): void {
  const sum = (of: (lives: Lives) => number) => measured.reduce((all, lives) => all + of(lives), 0);
  const total = {
    checkpoints: sum(({ activity }) => activity.checkpoints),
    vacuums: sum(({ activity }) => activity.vacuums),
    walBytes: sum(({ activity }) => activity.walBytes),
    fullPageImages: sum(({ activity }) => activity.fullPageImages),
    transactions: sum(({ activity }) => activity.transactions),
  };
  table('The database in the meantime', [
    ['seconds', sum(({ seconds }) => seconds)],
    ...activityRows(
      total,
      sum(({ messages }) => messages),
      'message',
    ),
  ]);
}

export default workload({
  about: 'Messages per second through the whole lifecycle, in turn with the same HTTP exchanges alone.',
  options: {
    messages: { default: 6_000, about: 'messages in each round' },
    minutes: { default: 0, about: 'length of all rounds together, instead of a number of messages' },
    rounds: { default: 3, about: 'rounds, each between two runs of the ceiling' },
    perSecond: { default: 0, about: 'messages per second, with --minutes, instead of the full rate' },
    beneath: { default: 0, about: 'messages stored before the run, each with a delivery' },
    warmUp: { default: 1_000, about: 'messages of the warm-up' },
    senders: { default: 4, about: 'numbers, with 1,000 messages per second each' },
    atOnce: { default: 16, about: 'concurrent sends' },
    recipients: { default: 100, about: 'recipients of each send' },
    ceiling: { default: true, about: 'measure the ceiling (--no-ceiling)' },
    half: { default: true, about: 'then measure latency at half the rate (--no-half)' },
    profile: { default: false, about: 'write and show a CPU profile of the gateway' },
    flags: { default: '', about: 'additional Node flags for the gateway, separated by spaces' },
  },
  async run(options) {
    const { recipients, senders, atOnce, rounds: count } = options;
    const sendsFor = (messages: number) => Math.max(1, Math.round(messages / recipients));
    const nodeFlags = [
      ...options.flags.split(' ').filter((flag) => flag !== ''),
      ...(options.profile ? profileFlags('lifecycle') : []),
    ];
    const ceiling = options.ceiling
      ? await openCeiling({
          recipientsPerSend: recipients,
          sends: sendsFor(options.messages),
          atOnce,
          platformConnections: Math.min(128, 64 * senders),
          callbackConnections: 128,
          webhookConnections: 64,
        })
      : undefined;
    const fixture = await startBenchFixture({ nodeFlags });
    const caller = startRpcProcess('load.ts');
    let window = { fromMs: 0, toMs: 0 };
    try {
      const account = await fixture.account('Bench');
      const numbers = await fixture.numbers(account, senders);
      await fixture.endpoint(account, 'bench');
      const target: LivesTarget = {
        caller,
        ...sendTarget(fixture.gateway.url, account, numbers),
        recipientsPerSend: recipients,
        atOnce,
      };
      if (options.beneath > 0) {
        progress(`storing ${format(options.beneath)} messages`);
        await fillMessages(fixture, account, numbers, 0, options.beneath);
        await fillDeliveries(fixture, account, options.beneath);
      }
      const live = (amount: Amount) =>
        measureLives(fixture, [amount.perSecond ? { ...target, atOnce: 64 } : target], amount, {
          meters: { ...fixture.meters, caller: caller.cpuMs },
        });
      progress('warming up');
      const warmUp = await live({ sends: sendsFor(options.warmUp) });
      const conditions = readConditions();
      const amount: Amount = {
        ...(options.minutes > 0
          ? { seconds: (options.minutes * 60) / count }
          : { sends: sendsFor(options.messages) }),
        ...(options.perSecond > 0 ? { perSecond: options.perSecond } : {}),
      };
      const rounds: Round[] = [];
      let before = (await ceiling?.run()) ?? Number.NaN;
      for (let round = 1; round <= count; round++) {
        progress(`round ${round} of ${count}`);
        const lives = await live(amount);
        const after = (await ceiling?.run()) ?? Number.NaN;
        rounds.push({ lives, ceilings: [before, after] });
        before = after;
      }
      const full = rounds.map(({ lives }) => lives);
      window = (full.at(-1) as Lives).window;
      const memoryBytes = residentBytes(fixture.gateway.pid);
      const perSecond = medianOf(full, (lives) => lives.perSecond);
      const half: Lives[] = [];
      if (options.half) {
        progress('messages at half that rate');
        const sends = sendsFor(Math.min(options.messages, perSecond * 10));
        half.push(await live({ perSecond: perSecond / 2, sends }));
      }
      await countUnrecorded(fixture.db);
      const { ratio } = showRounds(rounds, ceiling?.cpu() ?? {});
      table('From callback to webhook', [
        ...full.map((lives) => [`at ${format(lives.perSecond)}/s`, formatSpread(lives.callbackToWebhook)]),
        ...half.map((lives) => [
          `at a constant ${format(lives.perSecond)}/s`,
          formatSpread(lives.callbackToWebhook),
        ]),
      ]);
      showDatabase(full);
      const problems = await findLost(fixture, [warmUp, ...full, ...half], options.beneath);
      const bare = rounds.flatMap((round) => round.ceilings).filter((one) => !Number.isNaN(one));
      const verdict = bare.length > 0 ? reportConditions(conditions, bare) : undefined;
      saveFigures('lifecycle', options, { ratio, rounds, half, memoryBytes, problems, verdict });
    } finally {
      await Promise.all([caller.stop(), ceiling?.close()]);
      await fixture.close();
    }
    if (options.profile) showProfile('lifecycle', window);
  },
});
