// Declares the keys of a component while it is on the page.
import { useEffect, useRef } from 'react';
import { declareKeys, type PageKey } from './page-keys.ts';

/** They are off while somebody types, with Ctrl, Alt or Meta, and while a dialog is open. */
export function usePageKeys(keys: readonly PageKey[]): void {
  // not an effect event: the list reads them while it renders
  const now = useRef(keys);
  useEffect(() => {
    now.current = keys;
  });
  useEffect(() => declareKeys(() => now.current), []);
}
