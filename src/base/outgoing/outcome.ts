// The outcome of an outgoing call by the status of its response, for metrics. Pure.

/** `ok` (1xx to 3xx), `throttled` (429), `rejected` (other 4xx) or `failed` (5xx). */
export function outcomeOf(status: number): string {
  if (status < 400) return 'ok';
  if (status === 429) return 'throttled';
  return status < 500 ? 'rejected' : 'failed';
}
