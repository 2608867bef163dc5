// What a running backup costs senders: rounds of whole lives of messages without and with one, in turn.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sendTarget, startBenchFixture } from '../bench-fixture.ts';
import { readConditions } from '../conditions.ts';
import { familyCpuMs } from '../cpu.ts';
import { fillDeliveries, fillMessages } from '../filling.ts';
import { type Lives, type LivesTarget, measureLives, sumOf } from '../lives.ts';
import { medianOf } from '../percentiles.ts';
import { format, progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { workload } from '../workload.ts';

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** Runs one backup of the gateway of `dataDir` after the other, until `stop`. Their CPU time is that of the shell's family. */
function startBackups(dataDir: string, to: string, megabytesPerSecond: number) {
  const one = `"${process.execPath}" "${cli}" backup "${to}/" --keep 1 > /dev/null`;
  const shell: ChildProcess = spawn('sh', ['-c', `while ${one}; do :; done`], {
    cwd: to,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, BACKUP_MB_PER_SECOND: String(megabytesPerSecond) },
  });
  const ended = new Promise((resolve) => shell.once('exit', resolve));
  const pid = shell.pid as number;
  return {
    cpuMs: () => familyCpuMs(pid),
    isRunning: () => shell.exitCode === null,
    async stop() {
      process.kill(-pid, 'SIGTERM');
      await ended;
    },
  };
}

/** CPU seconds per second of the backup's process, and of PostgreSQL more than without it. */
const coresOf = ({ without, beside }: { without: Lives; beside: Lives }): number =>
  ((beside.cpu.backup ?? 0) + (beside.cpu.postgres ?? 0) - (without.cpu.postgres ?? 0)) *
  (beside.perSecond / 1000);

export default workload({
  about: 'What a running backup costs: whole lives of messages without and with one, in turn.',
  options: {
    messages: { default: 4_000, about: 'messages in each round' },
    rounds: { default: 5, about: 'pairs of rounds' },
    beneath: { default: 100_000, about: 'messages stored before the run, each with a delivery' },
    megabytesPerSecond: { default: 8, about: 'BACKUP_MB_PER_SECOND; 0: no limit' },
    perSecond: { default: 0, about: 'messages per second, instead of the full rate' },
    recipients: { default: 100, about: 'recipients of each send' },
  },
  async run({ messages, rounds: count, beneath, megabytesPerSecond, perSecond, recipients }) {
    const fixture = await startBenchFixture();
    const caller = startRpcProcess('load.ts');
    const folder = await mkdtemp(join(tmpdir(), 'bench-backup-'));
    try {
      const account = await fixture.account('Bench');
      const numbers = await fixture.numbers(account, 4);
      await fixture.endpoint(account, 'bench');
      progress(`storing ${format(beneath)} messages`);
      await fillMessages(fixture, account, numbers, 0, beneath);
      await fillDeliveries(fixture, account, beneath);
      const target: LivesTarget = {
        caller,
        ...sendTarget(fixture.gateway.url, account, numbers),
        recipientsPerSend: recipients,
        atOnce: perSecond > 0 ? 64 : 16,
      };
      const sends = Math.max(1, Math.round(messages / recipients));
      const live = (backup?: () => number | undefined): Promise<Lives> =>
        measureLives(
          fixture,
          [target],
          { sends, ...(perSecond > 0 ? { perSecond } : {}) },
          {
            meters: { ...fixture.meters, caller: caller.cpuMs, ...(backup ? { backup } : {}) },
          },
        );
      progress('warming up');
      await live();
      const conditions = readConditions();
      const pairs: { without: Lives; beside: Lives }[] = [];
      const besideBackup = async (): Promise<Lives> => {
        const backups = startBackups(fixture.gateway.dataDir, folder, megabytesPerSecond);
        const lives = await live(backups.cpuMs);
        if (!backups.isRunning()) throw new Error('a backup failed');
        await backups.stop();
        return lives;
      };
      for (let round = 1; round <= count; round++) {
        progress(`pair ${round} of ${count}`);
        // the first of a pair has a smaller database
        if (round % 2 === 0) {
          const beside = await besideBackup();
          pairs.push({ beside, without: await live() });
        } else {
          const without = await live();
          pairs.push({ without, beside: await besideBackup() });
        }
      }
      const names = ['gateway', 'postgres', 'platform', 'receiver', 'caller', 'backup'];
      const cpuOf = (kind: 'without' | 'beside') =>
        Object.fromEntries(names.map((name) => [name, medianOf(pairs, (pair) => pair[kind].cpu[name] ?? 0)]));
      const row = (kind: 'without' | 'beside') => {
        const cpu = cpuOf(kind);
        return [
          medianOf(pairs, (pair) => pair[kind].perSecond),
          sumOf(cpu),
          ...names.map((name) => cpu[name]),
        ];
      };
      table(`Whole lives; ${count} pairs, CPU milliseconds per message (medians)`, [
        ['', 'messages/s', 'all', ...names],
        ['without a backup', ...row('without')],
        ['beside a backup', ...row('beside')],
      ]);
      table('Beside a backup, compared with the same pair without', [
        ['pair', ...pairs.map((_pair, index) => String(index + 1))],
        ['messages/s', ...pairs.map(({ without, beside }) => beside.perSecond / without.perSecond)],
        ['CPU per message', ...pairs.map(({ without, beside }) => sumOf(beside.cpu) / sumOf(without.cpu))],
        ['cores that the backup uses', ...pairs.map(coresOf)],
      ]);
      saveFigures('backup', { messages, beneath, megabytesPerSecond, perSecond }, { pairs, conditions });
    } finally {
      await caller.stop();
      await fixture.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
});
