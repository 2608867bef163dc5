// Waiting for a condition that other parts of the program fulfill.
import { vi } from 'vitest';

/** Returns the result of `condition` when it no longer throws; rejects with its last error after a timeout that is generous for busy machines. */
export const until = <T>(condition: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(condition, { timeout: 30_000, interval: 10 });
