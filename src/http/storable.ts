// Values that no column can store: NUL characters, lone surrogates, and deep nesting. Pure.
import { listedProblemsMax } from '../base/errors.ts';

/** More than any operation needs, and far below the recursion limit. */
const deepest = 64;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

export interface Unstorable {
  /** JSON pointer (RFC 6901). */
  pointer: string;
  message: string;
}

const badText = (pointer: string): Unstorable => ({
  pointer,
  message: 'contains invalid Unicode: a NUL character or half a surrogate pair',
});

/** Returns the strings, keys and nested values of `value` that no column can store; at most one more than a response lists. */
export function unstorableParts(value: unknown): Unstorable[] {
  const found: Unstorable[] = [];
  collect(value, '', 0, found);
  return found;
}

function collect(value: unknown, pointer: string, depth: number, found: Unstorable[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) found.push(badText(pointer));
    return;
  }
  if (value === null || typeof value !== 'object') return;
  if (depth === deepest) {
    found.push({ pointer, message: `is nested deeper than ${deepest} levels` });
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (found.length > listedProblemsMax) return;
    if (!isStorable(key)) found.push(badText(pointer));
    else if (typeof member === 'string' ? !isStorable(member) : member !== null && typeof member === 'object')
      collect(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1, found);
  }
}
