// Concurrent callers of any HTTP operation, with the time of each call.
// Bare undici, not the client: its work for each call (URL, JSON, timer, retries) would take CPU from the measured processes.
import { Pool } from 'undici';
import { nowMs, serveParent } from './child.ts';

export interface OneCall {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface CallersInput {
  url: string;
  /** Made in order, once each; with `seconds`, repeatedly. */
  calls: OneCall[];
  /** Concurrent calls; with `perSecond`, the number of connections. */
  atOnce: number;
  seconds?: number;
  /** Calls begin on this schedule, even if earlier ones are still open. Their times count from the scheduled start. */
  perSecond?: number;
}

export interface CallersResult {
  seconds: number;
  /** Milliseconds of each call, and its HTTP status. */
  ms: number[];
  statuses: Record<number, number>;
  /** The first response that was not 200. */
  firstRejection?: string;
}

/** Begins calls at a constant rate. A late timer begins all calls that are due, each with its own scheduled start. */
async function onSchedule(
  perSecond: number,
  take: () => OneCall | undefined,
  make: (call: OneCall, scheduledMs: number) => Promise<void>,
): Promise<void> {
  const began = nowMs();
  const begun: Promise<void>[] = [];
  for (let number = 0; ; number++) {
    const scheduledMs = began + (number * 1000) / perSecond;
    const waitMs = scheduledMs - nowMs();
    if (waitMs > 0) await new Promise((go) => setTimeout(go, waitMs));
    const call = take();
    if (!call) break;
    begun.push(make(call, scheduledMs));
  }
  await Promise.all(begun);
}

async function run(input: CallersInput): Promise<CallersResult> {
  const pool = new Pool(input.url, {
    connections: input.atOnce,
    pipelining: 1,
    keepAliveTimeout: 60_000,
    headersTimeout: 120_000,
  });
  const result: CallersResult = { seconds: 0, ms: [], statuses: {} };
  const began = nowMs();
  const until = began + (input.seconds ?? 0) * 1000;
  let next = 0;
  const take = (): OneCall | undefined => {
    if (input.seconds === undefined) return input.calls[next++];
    return nowMs() < until ? input.calls[next++ % input.calls.length] : undefined;
  };
  const make = async (call: OneCall, from: number) => {
    const response = await pool.request({
      method: call.method as 'GET',
      path: call.path,
      ...(call.headers ? { headers: call.headers } : {}),
      ...(call.body === undefined ? {} : { body: call.body }),
    });
    const text = await response.body.text();
    result.ms.push(nowMs() - from);
    result.statuses[response.statusCode] = (result.statuses[response.statusCode] ?? 0) + 1;
    if (response.statusCode !== 200) result.firstRejection ??= text;
  };
  const line = async () => {
    for (let call = take(); call; call = take()) await make(call, nowMs());
  };
  if (input.perSecond === undefined) await Promise.all(Array.from({ length: input.atOnce }, line));
  else await onSchedule(input.perSecond, take, make);
  result.seconds = (nowMs() - began) / 1000;
  await pool.close();
  return result;
}

serveParent({ run });
