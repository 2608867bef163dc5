// The keys of the page that is open: declared by its components, run by one listener, listed by `?`.
import type english from '../../languages/en.json';
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

/** A letter key of another layout is the Latin one in its place. */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length > 1) return key;
  if (key === '؟') return '?';
  const [, latin] = /^(?:Key|Digit)(\w)$/.exec(code) ?? [];
  if (latin && !shiftKey && key > '\u007f') return latin.toLowerCase();
  return shiftKey ? key : key.toLowerCase();
}

/** Keys that go on while they are held down. */
const isRepeated = (key: string): boolean => /^([jk]|Arrow\w+)$/.test(key);

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = keyOf(event);
  if (isTyping(event.target) && key !== 'Escape') return;
  if (key.length === 1 && !areLetterKeysOn()) return;
  if (event.repeat && !isRepeated(key)) return;
  if (document.querySelector('dialog:modal')) return;
  for (const keys of [...declared].toReversed())
    for (const { run } of keys())
      if (run[key] && run[key]() !== false) {
        event.preventDefault();
        return;
      }
}
