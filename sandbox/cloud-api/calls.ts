// What became of every call that wanted a message sent, taken or not: kept only where the setting `keepCalls` asks for it.

export interface SendCall {
  /** When its body had come, in milliseconds since the epoch by the real clock. */
  at: number;
  opaque: string | null;
  phone: string | null;
  /** `accepted`, `refused CODE`, or the fault that it met before anything else. */
  became: string;
  /** What the caller got: an HTTP status, or the fault instead of a response. */
  told: string;
}

export interface CallLog {
  /** Notes a call by its parsed body, while fewer than `keep` are kept. */
  note(body: unknown, became: string, told: string): void;
  /** Up to `limit` calls from the `after`-th on, in the order in which they came. */
  read(after: number, limit: number): SendCall[];
  clear(): void;
}

/** An empty log; `keep` is read at each call, so that the setting takes effect immediately. */
export function callLog(keep: () => number): CallLog {
  let calls: SendCall[] = [];
  return {
    note(body, became, told) {
      if (calls.length >= keep()) return;
      const { biz_opaque_callback_data: opaque, to } = (body ?? {}) as Record<string, unknown>;
      calls.push({
        at: Date.now(),
        opaque: typeof opaque === 'string' ? opaque : null,
        phone: typeof to === 'string' ? to : null,
        became,
        told,
      });
    },
    read: (after, limit) => calls.slice(after, after + limit),
    clear() {
      calls = [];
    },
  };
}
