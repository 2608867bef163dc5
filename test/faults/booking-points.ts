// The points at which a request for a booking can be halted, and how many of them one process can have before it is killed.
import type { Call } from '../harness/gateway-client.ts';
import type { FrozenGateways } from './frozen-gateways.ts';

/** A halted statement keeps one of the process's twelve connections; a halted call keeps none. */
const statementsAtOnce = 9;
const callsAtOnce = 20;
/**
 * Statements that bookings share with all who come at the same time: while one is halted, no other booking gets past
 * it. In the order in which they can be halted in one process, from the last step to the first.
 */
const shared = [/update bookings b set state/, /set insert_started_at/, /insert into bookings/];

const isCall = /^(POST|GET|PATCH|DELETE|answer to) /;

export interface Job {
  /** Makes what there has to be; answers what is to be halted, which then takes no time: calls wait for 15 s at most. */
  prepare: (call: Call) => Promise<() => Promise<void>>;
  /** What it is halted at: nothing but a call, a statement of its own, or one of the shared ones. */
  at: 'call' | 'statement' | number;
}

/** Runs the jobs, as many to a process as it can have halted, each process killed in the end. */
export async function inKilledProcesses(gateways: Pick<FrozenGateways, 'start'>, jobs: Job[]): Promise<void> {
  const left = (at: Job['at']) => jobs.filter((job) => job.at === at);
  const queues = [
    { jobs: left('call'), atOnce: callsAtOnce },
    { jobs: left('statement'), atOnce: statementsAtOnce },
    ...shared.map((_, index) => ({ jobs: left(index), atOnce: 1 })),
  ];
  while (queues.some(({ jobs }) => jobs.length > 0)) {
    const { program, call } = await gateways.start('api');
    const halts: (() => Promise<void>)[] = [];
    for (const { prepare } of queues.flatMap(({ jobs, atOnce }) => jobs.splice(0, atOnce))) {
      halts.push(await prepare(call));
    }
    for (const halt of halts) await halt();
    program.process.kill('SIGKILL');
    const { signal } = await program.ended;
    if (signal !== 'SIGKILL') throw new Error(`a gateway ended by itself: ${program.err()}`);
  }
}

export interface Point {
  index: number;
  /** The step before which it is halted; `at the end`: all is done, and nobody hears of it. */
  point: string;
  decided: boolean;
  at: Job['at'];
}

/** What of a request decides. */
export interface Deciding {
  /** The step that decides what it comes to: the call that makes the event, or what is written and then committed. */
  decides: RegExp;
  /** The last step to be halted at; else the last of all. */
  last?: RegExp;
}

/** The steps at which a request can be halted, and which of them come after the one that decides. */
export function pointsOf(act: Deciding, steps: string[]): Point[] {
  const decisive = steps.findIndex((step) => act.decides.test(step));
  // what was written counts once its transaction is committed
  const decidedFrom = isCall.test(steps[decisive] ?? '')
    ? decisive
    : steps.findIndex((step, index) => index > decisive && step === 'commit');
  const end = act.last ? steps.findIndex((step) => act.last?.test(step)) : steps.length;
  let at: Job['at'] = 'call';
  const points = [...steps.slice(0, end + 1), ...(act.last ? [] : ['at the end'])].map((step, index) => {
    if (isCall.test(step) || step === 'at the end') at = 'call';
    else {
      const found = shared.findIndex((words) => words.test(step));
      // what follows a shared statement up to its commit is shared too, and undone with it
      if (found >= 0) at = found;
      else if (typeof at !== 'number') at = 'statement';
      else if (step !== 'commit') return undefined;
    }
    return { index, point: `${index} ${step}`, decided: index > decidedFrom, at };
  });
  return points.filter((point) => point !== undefined);
}
