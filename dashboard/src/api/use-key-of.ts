// The idempotency key of what a page sends.
import { useRef } from 'react';

interface KeyOf {
  /** One key for one content: who presses again after a broken connection sends it once. */
  keyOf: (content: unknown) => string;
  /** After it arrived: the same content is sent again on purpose. */
  renew: () => void;
}

/** Keys for as long as the object is kept. */
export function keyOfContent(): KeyOf {
  let kept: { content: string; key: string } | undefined;
  return {
    keyOf: (given) => {
      const content = JSON.stringify(given);
      if (kept?.content !== content) kept = { content, key: crypto.randomUUID() };
      return kept.key;
    },
    renew: () => {
      kept = undefined;
    },
  };
}

/** Keys for as long as the component is shown. */
export function useKeyOf(): KeyOf {
  const kept = useRef<KeyOf>(undefined);
  kept.current ??= keyOfContent();
  return kept.current;
}
