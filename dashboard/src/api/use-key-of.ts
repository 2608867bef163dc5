// The idempotency key of what a page sends.
import { useRef } from 'react';

interface KeyOf {
  /** One key for one content: who presses again after a broken connection sends it once. */
  keyOf: (content: unknown) => string;
  /** After it arrived: the same content is sent again on purpose. */
  renew: () => void;
}

export function useKeyOf(): KeyOf {
  const kept = useRef<{ content: string; key: string }>(undefined);
  return {
    keyOf: (given) => {
      const content = JSON.stringify(given);
      if (kept.current?.content !== content) kept.current = { content, key: crypto.randomUUID() };
      return kept.current.key;
    },
    renew: () => {
      kept.current = undefined;
    },
  };
}
