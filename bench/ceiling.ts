// The ceiling of a message's life: the same HTTP exchanges between bare undici and bare node:http, in the same number of processes.
import type { Addresses, CeilingInput } from './ceiling-process.ts';
import { cpuMs, perPiece, type Readings, read } from './cpu.ts';
import { callbacks } from './exchanges.ts';
import { median } from './percentiles.ts';
import { type RpcProcess, startRpcProcess } from './processes.ts';

export interface Ceiling {
  /** Messages per second of each run, and their median. */
  runs: number[];
  perSecond: number;
  /** CPU milliseconds per message of each process, over all runs. */
  cpu: Readings;
}

const roles = ['gateway', 'platform', 'receiver', 'caller'] as const;
type Processes = Record<(typeof roles)[number], RpcProcess>;

async function once(processes: Processes, addresses: Addresses, input: CeilingInput): Promise<number> {
  const count = input.sends * input.recipientsPerSend;
  await processes.receiver.call('expect', { count: count * callbacks.length });
  const began = await processes.caller.call<number>('load', { addresses, input });
  const ended = await processes.receiver.call<number>('reached');
  return count / ((ended - began) / 1000);
}

/** Measures `runs` times after a warm-up of a fifth of the work. */
export async function measureCeiling(input: CeilingInput, runs = 3): Promise<Ceiling> {
  const processes = Object.fromEntries(
    roles.map((role) => [role, startRpcProcess('ceiling-process.ts', [role])]),
  ) as Processes;
  try {
    const addresses: Addresses = {
      gateway: await processes.gateway.call('url'),
      platform: await processes.platform.call('url'),
      receiver: await processes.receiver.call('url'),
    };
    for (const role of ['gateway', 'platform', 'receiver'] as const)
      await processes[role].call('prepare', { addresses, input });
    await once(processes, addresses, { ...input, sends: Math.ceil(input.sends / 5) });
    const meters = Object.fromEntries(roles.map((role) => [role, () => cpuMs(processes[role].pid)]));
    const before = read(meters);
    const measured: number[] = [];
    for (let run = 0; run < runs; run++) measured.push(await once(processes, addresses, input));
    const messages = runs * input.sends * input.recipientsPerSend;
    return {
      runs: measured,
      perSecond: median(measured),
      cpu: perPiece(before, read(meters), messages),
    };
  } finally {
    await Promise.all(Object.values(processes).map((one) => one.stop()));
  }
}
