// Light or dark: the viewer's choice, or the system's. `tokens.css` has both colours of each token.
import { useSyncExternalStore } from 'react';

export type Scheme = 'light' | 'dark';

const storageKey = 'scheme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen = storedChoice();

function storedChoice(): Scheme | undefined {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
}

const current = (): Scheme => chosen ?? (system.matches ? 'dark' : 'light');

function show(): void {
  if (chosen) document.documentElement.dataset.scheme = chosen;
  else delete document.documentElement.dataset.scheme;
  for (const listener of listeners) listener();
}

/** Applies the choice before the first paint, and follows the system without one. */
export function followScheme(): void {
  system.addEventListener('change', show);
  show();
}

/** Stores a choice and applies it; undefined follows the system again. */
export function chooseScheme(scheme: Scheme | undefined): void {
  chosen = scheme;
  if (scheme) localStorage.setItem(storageKey, scheme);
  else localStorage.removeItem(storageKey);
  show();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useScheme = (): Scheme => useSyncExternalStore(subscribe, current);
/** The viewer's choice; undefined: the system's. */
export const useSchemeChoice = (): Scheme | undefined => useSyncExternalStore(subscribe, () => chosen);
