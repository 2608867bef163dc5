// The ceiling of a message's life: the same HTTP exchanges between bare undici and bare node:http, in the same number of processes.
import type { Addresses, CeilingInput } from './ceiling-process.ts';
import { cpuMs, perPiece, type Readings, read } from './cpu.ts';
import { callbacks } from './exchanges.ts';
import { type RpcProcess, startRpcProcess } from './processes.ts';

export interface Ceiling {
  /** Makes the exchanges of all messages once; returns the messages per second. */
  run(): Promise<number>;
  /** CPU milliseconds per message of each process, over all runs. */
  cpu(): Readings;
  close(): Promise<void>;
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

/** Starts the processes, and warms them up with a fifth of the work. */
export async function openCeiling(input: CeilingInput): Promise<Ceiling> {
  const processes = Object.fromEntries(
    roles.map((role) => [role, startRpcProcess('ceiling-process.ts', [role])]),
  ) as Processes;
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
  let messages = 0;
  return {
    async run() {
      const perSecond = await once(processes, addresses, input);
      messages += input.sends * input.recipientsPerSend;
      return perSecond;
    },
    cpu: () => perPiece(before, read(meters), messages),
    async close() {
      await Promise.all(Object.values(processes).map((one) => one.stop()));
    },
  };
}
