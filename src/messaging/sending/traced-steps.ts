// The spans of messages that requests and callbacks record, if traces are on.
import { machineMs } from '../../base/steady.ts';
import type { StatusReport } from '../../ports/platform.ts';
import type { FinishedSpan, Tracing } from '../../ports/tracing.ts';

/** The send or reply, as the first span of each message's trace. `startMs`: when the request came. */
export function traceRequest(
  tracing: Tracing,
  messageIds: readonly string[],
  { name, startMs, attributes, link }: Pick<FinishedSpan, 'name' | 'startMs' | 'attributes' | 'link'>,
): void {
  const endMs = Date.now();
  for (const subjectId of messageIds)
    tracing.record({
      ...{ subjectId, isRoot: true, name, kind: 'server', startMs, endMs, link },
      ...(attributes ? { attributes } : {}),
    });
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
