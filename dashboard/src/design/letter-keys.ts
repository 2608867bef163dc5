// Whether keys of one character do something: the viewer's choice for this browser (WCAG 2.1.4).
import { useSyncExternalStore } from 'react';

const storageKey = 'letterKeys';
const off = 'off';
const listeners = new Set<() => void>();

/** For base.css, which hides what names such keys. */
function show(): void {
  document.documentElement.dataset.letterKeys = areLetterKeysOn() ? 'on' : off;
}
show();

/** True unless the viewer switched them off. */
export function areLetterKeysOn(): boolean {
  return localStorage.getItem(storageKey) !== off;
}

/** Stores the choice and applies it. */
export function switchLetterKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, off);
  show();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLetterKeys = (): boolean => useSyncExternalStore(subscribe, areLetterKeysOn);
