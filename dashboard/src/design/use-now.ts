// The current time for everything that counts: one timer for the whole page, asleep while nobody looks.
import { useSyncExternalStore } from 'react';

const stepMs = 1_000;
let nowMs = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  if (document.visibilityState === 'hidden') return;
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, stepMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time in milliseconds, renewed every second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);
