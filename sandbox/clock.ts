// The sandbox's clock: real time plus an offset that tests and demonstrations set, for expiries after days.

export interface SandboxClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** How far it is ahead of real time, in milliseconds. */
  aheadMs: number;
}

/** A clock that is `aheadMs` ahead of real time; a change of `aheadMs` moves it. */
export function sandboxClock(aheadMs = 0): SandboxClock {
  const clock: SandboxClock = { aheadMs, now: () => Date.now() + clock.aheadMs };
  return clock;
}
