// How tests await what other parts of the program do by and by.
import { vi } from 'vitest';

/** Resolves once the condition holds (throws no more); rejects with its last error when patience ends, which a busy machine must not reach. */
export const until = (condition: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(condition, { timeout: 15_000, interval: 10 });
