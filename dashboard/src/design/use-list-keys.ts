// The keyboard of a list: J and K (or arrows) move between rows, Enter opens, / goes to the search.
import { type RefObject, useEffect } from 'react';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Rows are reached by their link `[data-row-link]`, so that focus and Enter are the browser's own. */
export function useListKeys(
  body: RefObject<HTMLElement | null>,
  search: RefObject<HTMLInputElement | null>,
): void {
  useEffect(() => {
    const move = (step: number) => {
      const links = [...(body.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      const next = links[Math.min(links.length - 1, Math.max(0, at + step))];
      next?.focus();
    };
    const actions: Record<string, () => void> = {
      j: () => move(1),
      k: () => move(-1),
      '/': () => search.current?.focus(),
    };
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [body, search]);
}
