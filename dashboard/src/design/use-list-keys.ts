// The keyboard of a list: J and K (or arrows, once a row has the focus) move between rows, Enter opens, / goes to the search.
import type { RefObject } from 'react';
import type { PageKey } from './page-keys.ts';
import { usePageKeys } from './use-page-keys.ts';

/** Rows are reached by their link or button `[data-row-link]`, so that focus and Enter are the browser's own. */
export function useListKeys(
  body: RefObject<HTMLElement | null>,
  search?: RefObject<HTMLInputElement | null>,
  text: PageKey['text'] = 'rows',
): void {
  const links = () => [...(body.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])];
  const isInList = () => body.current?.contains(document.activeElement) === true;
  const move = (step: number) => {
    const rows = links();
    const focused = rows.indexOf(document.activeElement as HTMLElement);
    const at = focused === -1 ? rows.findIndex((row) => row.hasAttribute('aria-current')) : focused;
    rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
  };
  usePageKeys([
    {
      text,
      run: {
        j: () => move(1),
        k: () => move(-1),
        // elsewhere they scroll
        ArrowDown: () => isInList() && move(1),
        ArrowUp: () => isInList() && move(-1),
      },
    },
    { text: 'open', run: {}, shown: ['Enter'] },
    { text: 'search', run: { '/': search && (() => search.current?.focus()) } },
  ]);
}
