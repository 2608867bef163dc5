// Measured calls: a run of the callers' process, with its rate, response times and CPU time.
import type { CallersInput, CallersResult } from './callers.ts';
import { type Meters, perPiece, type Readings, read } from './cpu.ts';
import { type Spread, spread } from './percentiles.ts';
import type { RpcProcess } from './processes.ts';

export interface Measured {
  perSecond: number;
  ms: Spread;
  /** Milliseconds per call. */
  cpu: Readings;
}

/** Runs the calls in `caller`, the process of `callers.ts`. Throws the first response that was not 200, unless `mayReject`. */
export async function measureCalls(
  caller: RpcProcess,
  input: CallersInput,
  meters: Meters,
  mayReject = false,
): Promise<Measured> {
  const before = read(meters);
  const result = await caller.call<CallersResult>('run', input);
  if (result.firstRejection !== undefined && !mayReject) throw new Error(result.firstRejection);
  const cpu = perPiece(before, read(meters), result.ms.length);
  return { perSecond: result.ms.length / result.seconds, ms: spread(result.ms), cpu };
}
