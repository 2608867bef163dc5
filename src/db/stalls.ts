// Whether the database leaves statements of this thread unanswered: commits wait for a standby in vain, or the server does not respond.

/** A stall is over when it was not found again for this long. The pools look every second. */
const overAfterMs = 4_000;

let foundAtMs = Number.NEGATIVE_INFINITY;

/** Notes that a pool has just found one. */
export function noteStall(): void {
  foundAtMs = performance.now();
}

/** Milliseconds since a pool last found one; infinite: never. */
export const msSinceStall = (): number => performance.now() - foundAtMs;

/** True while statements wait for a database that does not answer them. */
export const isStalled = (): boolean => msSinceStall() < overAfterMs;
