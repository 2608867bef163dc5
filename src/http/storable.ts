// Text that PostgreSQL cannot keep: NUL characters and halves of surrogate pairs. Pure.

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** JSON pointers (RFC 6901) of every text or key in `value` that no column could hold; usually none. */
export function unstorableTexts(value: unknown, pointer = ''): string[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [pointer];
  if (value === null || typeof value !== 'object') return [];
  const found: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) found.push(pointer);
    else if (
      typeof member === 'string' ? !isStorable(member) : member !== null && typeof member === 'object'
    ) {
      found.push(...unstorableTexts(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`));
    }
  }
  return found;
}
