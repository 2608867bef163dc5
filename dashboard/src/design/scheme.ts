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
  for (const listener of listeners) listener();
}

/** Applies the choice before the first paint, and follows the system without one. */
export function followScheme(): void {
  system.addEventListener('change', show);
  show();
}

/** Stores a choice and applies it. */
export function chooseScheme(scheme: Scheme): void {
  chosen = scheme;
  localStorage.setItem(storageKey, scheme);
  show();
}

export const useScheme = (): Scheme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
