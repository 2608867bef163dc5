// The keys of the page that is open: declared by its components, run by one listener, listed by `?`.
import type english from '../../languages/en.json';
import { keyPressed } from './key-press.ts';
import { areLetterKeysOn } from './letter-keys.ts';

/** Runs what a key does; false: it is not for this key now, and the browser gets it. */
type Action = () => unknown;

export interface PageKey {
  /** What it does, in words of the room `shortcuts`. */
  text: keyof (typeof english)['shortcuts'];
  /** By `event.key`, such as `t`, `1` or `ArrowDown`; undefined: not now. */
  run: Record<string, Action | undefined>;
  /** How its keys are shown; default: those that do something now. */
  shown?: string[];
}

const declared = new Set<() => readonly PageKey[]>();

/** Declares keys until the returned function is called. What was declared last comes first. */
export function declareKeys(keys: () => readonly PageKey[]): () => void {
  if (declared.size === 0) document.addEventListener('keydown', onKey);
  declared.add(keys);
  return () => {
    declared.delete(keys);
    if (declared.size === 0) document.removeEventListener('keydown', onKey);
  };
}

/** What can be pressed now, each once. */
export function keysNow(): { text: PageKey['text']; shown: string[] }[] {
  const found = new Map<PageKey['text'], string[]>();
  for (const { text, run, shown } of [...declared].flatMap((keys) => keys())) {
    const active = Object.keys(run).filter((key) => run[key]);
    if (shown ?? active.length > 0) found.set(text, shown ?? active);
  }
  return [...found].map(([text, shown]) => ({ text, shown }));
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const key = keyPressed(event, {
    isTyping: isTyping(event.target),
    isDialogOpen: document.querySelector('dialog:modal') !== null,
    areLettersOn: areLetterKeysOn(),
  });
  if (key === undefined) return;
  for (const keys of [...declared].toReversed())
    for (const { run } of keys())
      if (run[key] && run[key]() !== false) {
        event.preventDefault();
        return;
      }
}
