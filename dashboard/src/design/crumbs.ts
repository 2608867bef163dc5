// Where the page is: the names that follow the name of its room in the top bar, such as of the message that is open.
import { useEffect, useSyncExternalStore } from 'react';

export interface Crumb {
  name: string;
  /** The path of a page between the room and this one. */
  to?: string;
}

const listeners = new Set<() => void>();
let shown: readonly Crumb[] = [];

function show(crumbs: readonly Crumb[]): void {
  shown = crumbs;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says where the page is while it is open. */
export function useCrumbs(crumbs: readonly Crumb[]): void {
  const written = JSON.stringify(crumbs);
  useEffect(() => {
    show(JSON.parse(written));
    return () => show([]);
  }, [written]);
}

export const useShownCrumbs = (): readonly Crumb[] => useSyncExternalStore(subscribe, () => shown);
