// The sandbox's clock: real time plus what a test or a demonstration has moved it ahead, for expiries of days.

export interface SandboxClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** How far it is ahead of real time, in milliseconds. */
  aheadMs: number;
}

/** A clock that starts `aheadMs` ahead of real time; moving `aheadMs` moves the clock. */
export function sandboxClock(aheadMs = 0): SandboxClock {
  const clock: SandboxClock = { aheadMs, now: () => Date.now() + clock.aheadMs };
  return clock;
}
