// The ids of traces. A message's trace has its id, so that every process that handles the message knows it, without storing it. Pure.

/** The trace of a message or event: its UUID without hyphens. */
export const traceIdOf = (subjectId: string): string => subjectId.replaceAll('-', '').toLowerCase();

/** The first span of that trace, the parent of all others: the second half of the UUID, which is random. */
export const rootSpanIdOf = (subjectId: string): string => traceIdOf(subjectId).slice(16);

/** The header `traceparent` of a span (W3C Trace Context), sampled. */
export const traceparentOf = (subjectId: string, spanId: string): string =>
  `00-${traceIdOf(subjectId)}-${spanId}-01`;

const traceparentPattern = /^00-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/;

/** The ids in a caller's `traceparent`; undefined if it is not valid. */
export function parseTraceparent(text: unknown): { traceId: string; spanId: string } | undefined {
  const [, traceId = '', spanId = ''] = traceparentPattern.exec(String(text)) ?? [];
  return /[^0]/.test(traceId) && /[^0]/.test(spanId) ? { traceId, spanId } : undefined;
}
