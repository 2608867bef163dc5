// Copying to the clipboard, with a mark that stays for a moment.
import { useState } from 'react';

const shownForMs = 1_200;

/** `copy` writes to the clipboard; `isCopied` is true for a moment afterwards. */
export function useCopied(): { isCopied: boolean; copy: (value: string) => Promise<void> } {
  const [isCopied, setCopied] = useState(false);
  async function copy(value: string): Promise<void> {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), shownForMs);
  }
  return { isCopied, copy };
}
