// Traces as the gateway needs them: finished spans of messages and events. Interfaces only.

export interface FinishedSpan {
  /** The message or event (a UUID), which is the trace's id. */
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
  /** A span of a caller's own trace that led to this one. */
  link?: { traceId: string; spanId: string } | undefined;
}

export interface Tracing {
  /** Never throws and never waits. Spans that a slow or missing collector does not take are dropped. */
  record(span: FinishedSpan): void;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}
