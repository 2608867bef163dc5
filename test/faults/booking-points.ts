// The points at which a booking request can be halted, and how many requests one process can have halted before it is killed.
import type { Call } from '../harness/gateway-client.ts';
import type { FrozenGateways, Step } from './frozen-gateways.ts';

/** A halted statement keeps one of the process's twelve connections; a halted call keeps none. */
const maxHaltedStatements = 9;
const maxHaltedCalls = 20;
/**
 * Statements that concurrent bookings share: while one is halted, no other booking gets past it. They can be halted in one
 * process in this order, from the last step to the first.
 */
export const sharedStatements = ['confirmHolds', 'startInserts', 'insertHolds'];

const isCall = /^(POST|GET|PATCH|DELETE|answer to) /;

export interface Job {
  /** Creates what the request needs. The returned function halts the request. */
  prepare: (call: Call) => Promise<() => Promise<void>>;
  /** Where the request is halted: at a call, at its own statement, or at a shared one (its index). */
  at: 'call' | 'statement' | number;
}

/** Runs the jobs in processes, each with as many halted requests as possible, and kills each process in the end. */
export async function inKilledProcesses(gateways: Pick<FrozenGateways, 'start'>, jobs: Job[]): Promise<void> {
  const left = (at: Job['at']) => jobs.filter((job) => job.at === at);
  const queues = [
    { jobs: left('call'), atOnce: maxHaltedCalls },
    { jobs: left('statement'), atOnce: maxHaltedStatements },
    ...sharedStatements.map((_, index) => ({ jobs: left(index), atOnce: 1 })),
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
  /** The step at which the request is halted; undefined: at the end. */
  step: Step | undefined;
  /** The step before which the request is halted. `at the end`: everything is done, and the response is lost. */
  point: string;
  decided: boolean;
  at: Job['at'];
}

/** The steps that matter for a request: a statement by its name, or a call by its method and path. */
export interface Deciding {
  /** The step that decides the result: the call that creates the event, or a statement once it is committed. */
  decides?: string | RegExp;
  /** The last step at which the request is halted; default: the last one. */
  last?: string;
}

const matches = (step: string, wanted: string | RegExp | undefined): boolean =>
  wanted instanceof RegExp ? wanted.test(step) : step === wanted;

/** The step at this index by its name. */
export function stepAt(steps: readonly string[], index: number): Step {
  const name = steps[index] ?? '';
  return { name, occurrence: steps.slice(0, index + 1).filter((step) => step === name).length };
}

/** The steps at which a request can be halted, and which of them come after the deciding one. */
export function pointsOf(act: Deciding, steps: string[]): Point[] {
  const decisive = steps.findIndex((step) => matches(step, act.decides));
  // a statement takes effect when its transaction commits
  const decidedFrom = isCall.test(steps[decisive] ?? '')
    ? decisive
    : steps.findIndex((step, index) => index > decisive && step === 'commit');
  const end = act.last ? steps.indexOf(act.last) : steps.length;
  let at: Job['at'] = 'call';
  const points = [...steps.slice(0, end + 1), ...(act.last ? [] : ['at the end'])].map((step, index) => {
    if (isCall.test(step) || step === 'at the end') at = 'call';
    else {
      const found = sharedStatements.indexOf(step);
      // the statements between a shared one and its commit are shared too, and rolled back with it
      if (found >= 0) at = found;
      else if (typeof at !== 'number') at = 'statement';
      else if (step !== 'commit') return undefined;
    }
    const point = { point: `${index} ${step}`, decided: index > decidedFrom, at };
    return { ...point, step: index < steps.length ? stepAt(steps, index) : undefined };
  });
  return points.filter((point) => point !== undefined);
}
