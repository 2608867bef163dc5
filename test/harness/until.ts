// Waiting for a condition that other parts of the program fulfill.
import { vi } from 'vitest';

/** Resolves when `condition` no longer throws; rejects with its last error after a timeout that is generous for busy machines. */
export const until = (condition: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(condition, { timeout: 15_000, interval: 10 });
