// The retry policy: whether a call is retried, and after which delay.
import { GatewayConnectionError, GatewayError } from './errors.ts';

/** The longest Retry-After that the client waits for; callers decide about longer ones. */
const retryAfterMaxMs = 60_000;
const firstDelayMs = 500;
const delayMaxMs = 8_000;

/** Waits; rejects if the signal aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** True if the request can be repeated without acting twice. */
export function isRepeatable(
  error: unknown,
  { method, headers }: { method: string; headers: Record<string, string> },
): boolean {
  const isSafe = method !== 'POST' || 'Idempotency-Key' in headers;
  if (error instanceof GatewayConnectionError) return isSafe;
  if (!(error instanceof GatewayError)) return false;
  const { status, code, retryAfterSeconds } = error;
  // the gateway did nothing
  if (status === 429 || (status === 409 && retryAfterSeconds !== undefined)) return true;
  return isSafe && (status === 408 || status === 503 || (status >= 500 && code === 'unknown'));
}

/** True if the failed request may have been executed. */
export const mayHaveActed = (error: unknown): boolean =>
  error instanceof GatewayConnectionError ||
  (error instanceof GatewayError && (error.status === 408 || error.status >= 500));

/** Milliseconds before attempt `attempt + 2`; undefined if the gateway asks for a longer wait than a call should take. */
export function delayMs(error: unknown, attempt: number): number | undefined {
  const jitter = 0.5 + Math.random() / 2;
  const requestedMs = error instanceof GatewayError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  if (requestedMs > retryAfterMaxMs) return undefined;
  const own = Math.min(delayMaxMs, firstDelayMs * 2 ** attempt) * jitter;
  return requestedMs > 0 ? requestedMs + own * 0.5 : own;
}
