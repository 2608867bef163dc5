// Traces as the gateway needs them: finished spans of messages, bookings, campaigns and events. Interfaces only.

/** A span by its ids, both in lower-case hexadecimal digits. */
export interface SpanRef {
  traceId: string;
  spanId: string;
}

export interface FinishedSpan {
  /** The message, booking, send or event (a UUID), which is the trace's id. */
  subjectId: string;
  /** 16 hexadecimal digits; default: random. */
  spanId?: string;
  /** The first span of the trace, the parent of all others. */
  isRoot?: boolean;
  name: string;
  kind: 'server' | 'client' | 'producer' | 'internal';
  /** Milliseconds since the epoch. */
  startMs: number;
  endMs: number;
  attributes?: Record<string, string | number>;
  /** What went wrong. */
  error?: string | undefined;
  /** Spans of other traces that led to this one, such as the caller's. */
  links?: readonly (SpanRef | undefined)[];
}

export interface Tracing {
  /** Never throws and never waits. Spans that a slow or missing collector does not take are dropped. */
  record(span: FinishedSpan): void;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}
