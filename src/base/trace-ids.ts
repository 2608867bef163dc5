// The ids of traces. The trace of a message, booking or send has its id, so that every process knows it, without storing it. Pure.

/** The trace of a message, booking, send or event: its UUID without hyphens. */
export const traceIdOf = (subjectId: string): string => subjectId.replaceAll('-', '').toLowerCase();

/** The first span of that trace, the parent of all others: the second half of the UUID, which is random. */
export const rootSpanIdOf = (subjectId: string): string => traceIdOf(subjectId).slice(16);

/** The first span of the trace of `subjectId`, for links from other traces. */
export const rootSpanOf = (subjectId: string): { traceId: string; spanId: string } => ({
  traceId: traceIdOf(subjectId),
  spanId: rootSpanIdOf(subjectId),
});

/** The header `traceparent` of a span (W3C Trace Context), sampled. */
export const traceparentOf = (subjectId: string, spanId: string): string =>
  `00-${traceIdOf(subjectId)}-${spanId}-01`;

const traceparentPattern = /^00-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/;

/** The ids in a caller's `traceparent`; undefined if it is not valid. */
export function parseTraceparent(text: unknown): { traceId: string; spanId: string } | undefined {
  const [, traceId = '', spanId = ''] = traceparentPattern.exec(String(text)) ?? [];
  return /[^0]/.test(traceId) && /[^0]/.test(spanId) ? { traceId, spanId } : undefined;
}
