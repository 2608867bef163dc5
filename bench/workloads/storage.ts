// Storage: what a message's whole life writes to PostgreSQL's log, and what remains of it on disk.

import { sendTarget, startBenchFixture } from '../bench-fixture.ts';
import { perPiece, type Readings, read } from '../cpu.ts';
import type { LoadInput, LoadResult } from '../load.ts';
import { progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { countUnrecorded } from '../unrecorded.ts';
import { workload } from '../workload.ts';
import {
  logPosition,
  openAsAdministrator,
  relationBytes,
  type WrittenRecords,
  writtenRecords,
} from '../written-bytes.ts';

const stagesPerMessage = 3;
const stallMs = 60_000;
/** Smaller kinds are summed up in one row. */
const shownFrom = 20;

const total = (all: Iterable<number>) => [...all].reduce((sum, one) => sum + one, 0);

function largest(rows: [string, number][]): [string, number][] {
  const sorted = rows.toSorted(([, a], [, b]) => b - a);
  const rest = sorted.filter(([, bytes]) => bytes < shownFrom);
  return [
    ...sorted.filter(([, bytes]) => bytes >= shownFrom),
    ['all others', total(rest.map(([, bytes]) => bytes))],
  ];
}

export default workload({
  about: 'Bytes of WAL and of disk per message through its whole life, by table and index; CPU per message.',
  options: {
    messages: { default: 10_000, about: 'messages' },
    warmUp: { default: 2_000, about: 'messages before' },
    recipients: { default: 100, about: 'recipients of each send' },
    atOnce: { default: 16, about: 'concurrent sends' },
    perSecond: { default: 0, about: 'messages per second, instead of the full rate' },
    records: { default: true, about: 'read the log by kind of record (--no-records)' },
  },
  async run(options) {
    const { recipients, atOnce, messages } = options;
    const fixture = await startBenchFixture();
    const admin = await openAsAdministrator(fixture.gateway.dataDir);
    const caller = startRpcProcess('load.ts');
    try {
      const account = await fixture.account('Bench');
      const numbers = await fixture.numbers(account, 4);
      await fixture.endpoint(account, 'bench');
      const base: LoadInput = {
        ...sendTarget(fixture.gateway.url, account, numbers),
        recipientsPerSend: recipients,
        atOnce,
        firstPhone: 491_700_000_000,
      };
      const run = async (count: number, firstPhone: number) => {
        await fixture.receiver.call('clear');
        const pace = options.perSecond > 0 ? { perSecond: options.perSecond } : {};
        const sends = Math.max(1, Math.round(count / recipients));
        const result = await caller.call<LoadResult>('run', { ...base, ...pace, sends, firstPhone });
        if (result.rejected > 0) throw new Error(`sends were rejected: ${result.firstRejection}`);
        const stages = result.messages * stagesPerMessage;
        const counts = await fixture.receiver.call<{ stages: number }>('until', {
          stages,
          withinMs: stallMs,
        });
        if (counts.stages !== stages) throw new Error(`${counts.stages} of ${stages} stages arrived`);
        if ((await countUnrecorded(fixture.db)) > 0) throw new Error('deliveries stayed unrecorded');
        return result.messages;
      };
      progress('warming up');
      await run(options.warmUp, base.firstPhone);
      progress(`${messages} messages`);
      const sizesBefore = await relationBytes(fixture.db);
      const cpuBefore = read(fixture.meters);
      const from = await logPosition(admin);
      const sent = await run(messages, base.firstPhone + options.warmUp);
      const to = await logPosition(admin);
      const cpu: Readings = perPiece(cpuBefore, read(fixture.meters), sent);
      const sizes = await relationBytes(fixture.db);
      const disk = [...sizes].map(([name, bytes]): [string, number] => [
        name,
        (bytes - (sizesBefore.get(name) ?? 0)) / sent,
      ]);
      const records: WrittenRecords[] = options.records ? await writtenRecords(admin, from, to) : [];
      const wal = records.map(({ relation, kind, records: n, bytes }): [string, number] => [
        `${relation}  ${kind}  ${(n / sent).toFixed(2)} of`,
        bytes / sent,
      ]);
      if (options.records) table('WAL, bytes per message', largest(wal));
      table('Disk, bytes per message', largest(disk));
      const sums = {
        walBytes: (bytesOf(to) - bytesOf(from)) / sent,
        diskBytes: total(disk.map(([, bytes]) => bytes)),
      };
      table('Per message', [
        ['WAL bytes', sums.walBytes],
        ['of those, whole pages', total(records.map(({ pageBytes }) => pageBytes)) / sent],
        ['disk bytes', sums.diskBytes],
        ['CPU ms: gateway', cpu.gateway],
        ['CPU ms: PostgreSQL', cpu.postgres],
      ]);
      saveFigures('storage', options, { ...sums, cpu, wal, disk });
    } finally {
      await caller.stop();
      await admin.destroy();
      await fixture.close();
    }
  },
});

/** The bytes before a position of the log, such as `1/2A3B`. */
function bytesOf(position: string): number {
  const [high = '', low = ''] = position.split('/');
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}
