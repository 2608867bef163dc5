// The spans of messages and sends that requests, callbacks and the feeder record, if traces are on.
import { machineMs } from '../../base/steady.ts';
import { rootSpanOf } from '../../base/trace-ids.ts';
import type { StatusReport } from '../../ports/platform.ts';
import type { FinishedSpan, Tracing } from '../../ports/tracing.ts';

/** The request of a send, reply or campaign, as the first span of the trace of each subject. `startMs`: when it came. */
export function traceRequest(
  tracing: Tracing,
  subjectIds: readonly string[],
  { name, startMs, attributes = {}, links = [] }: Omit<FinishedSpan, 'subjectId' | 'kind' | 'endMs'>,
): void {
  const endMs = Date.now();
  for (const subjectId of subjectIds)
    tracing.record({ subjectId, isRoot: true, name, kind: 'server', startMs, endMs, attributes, links });
}

/** A request that changed a campaign, in the campaign's trace. */
export function traceChange(
  tracing: Tracing,
  sendId: string,
  { name, startMs, links = [] }: Pick<FinishedSpan, 'name' | 'startMs' | 'links'>,
): void {
  tracing.record({ subjectId: sendId, name, kind: 'server', startMs, endMs: Date.now(), links });
}

/** A portion of a campaign that entered the queue, and the first span of each message's trace that has none. */
export function traceFeed(
  tracing: Tracing,
  sendId: string,
  { count, firstIds, startMs }: { count: number; firstIds: readonly string[]; startMs: number },
): void {
  const feed = { name: 'feed', kind: 'internal', startMs, endMs: Date.now() } as const;
  tracing.record({ ...feed, subjectId: sendId, attributes: { 'gateway.messages': count } });
  const of = { attributes: { 'gateway.send': sendId }, links: [rootSpanOf(sendId)] };
  for (const subjectId of firstIds) tracing.record({ ...feed, ...of, subjectId, isRoot: true });
}

/** The callbacks that moved a message, from their first arrival (of `machineMs`) to the commit. */
export function traceCallback(
  tracing: Tracing,
  subjectId: string,
  reports: readonly StatusReport[],
  arrivedAtMs: number,
): void {
  const endMs = Date.now();
  tracing.record({
    ...{ subjectId, name: 'callback', kind: 'server', endMs, startMs: endMs - (machineMs() - arrivedAtMs) },
    attributes: { statuses: reports.map(({ status }) => status).join() },
  });
}
