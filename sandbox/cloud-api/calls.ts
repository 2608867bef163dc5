// A log of every call to send a message, accepted or not; empty unless the setting `keepCalls` is above 0.

export interface SendCall {
  /** When its body was complete, in milliseconds since the epoch by the real clock. */
  at: number;
  opaque: string | null;
  phone: string | null;
  /** `accepted`, `rejected CODE`, or `not accepted`. */
  outcome: string;
  /** What the caller got: an HTTP status, or the fault injected instead. */
  response: string;
}

export interface CallLog {
  /** Logs a call by its parsed body, while the log has fewer than `keep` entries. */
  record(body: unknown, outcome: string, response: string): void;
  /** Up to `limit` calls after the first `after`, in order of arrival. */
  read(after: number, limit: number): SendCall[];
  clear(): void;
}

/** An empty log. `keep` is read at each call, so that the setting takes effect immediately. */
export function callLog(keep: () => number): CallLog {
  let calls: SendCall[] = [];
  return {
    record(body, outcome, response) {
      if (calls.length >= keep()) return;
      const { biz_opaque_callback_data: opaque, to } = (body ?? {}) as Record<string, unknown>;
      calls.push({
        at: Date.now(),
        opaque: typeof opaque === 'string' ? opaque : null,
        phone: typeof to === 'string' ? to : null,
        outcome,
        response,
      });
    },
    read: (after, limit) => calls.slice(after, after + limit),
    clear() {
      calls = [];
    },
  };
}
