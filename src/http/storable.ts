// What no column can keep: NUL characters, halves of surrogate pairs, and values nested without end. Pure.

/** Deeper than anything that a caller could mean; far less than what recursion can bear. */
const deepest = 64;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

export interface Unstorable {
  /** JSON pointer (RFC 6901). */
  pointer: string;
  message: string;
}

const badText = (pointer: string): Unstorable => ({
  pointer,
  message: 'holds a NUL character or half a surrogate pair, which no text may',
});

/** Every text or key in `value` that no column could hold, and what is nested too deep; usually none. */
export function unstorableParts(value: unknown, pointer = '', depth = 0): Unstorable[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [badText(pointer)];
  if (value === null || typeof value !== 'object') return [];
  if (depth === deepest) return [{ pointer, message: `is nested deeper than ${deepest} levels` }];
  const found: Unstorable[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) found.push(badText(pointer));
    else if (
      typeof member === 'string' ? !isStorable(member) : member !== null && typeof member === 'object'
    ) {
      const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      found.push(...unstorableParts(member, at, depth + 1));
    }
  }
  return found;
}
