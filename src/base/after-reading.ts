// Time limits of calls that a process which stood still does not take for unanswered.

/**
 * Acts after `ms`, and after what has arrived by then was read. A process that stood still (a busy machine, a suspended one)
 * finds its timers due first: without this, every call in progress would count as unanswered and be repeated.
 */
export function afterReading(act: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(() => void setImmediate(act), ms);
}
