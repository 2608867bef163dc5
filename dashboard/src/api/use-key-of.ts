// The idempotency key of what a component sends.
import { useRef } from 'react';
import { type KeyOf, keyOfContent } from './key-of.ts';

/** Keys for as long as the component is shown. */
export function useKeyOf(): KeyOf {
  const kept = useRef<KeyOf>(undefined);
  kept.current ??= keyOfContent();
  return kept.current;
}
