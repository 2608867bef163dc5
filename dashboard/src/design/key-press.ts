// Which key of the page a press means, if any. Pure.

/** Of a `KeyboardEvent`. */
interface Press {
  key: string;
  code: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  repeat: boolean;
  isComposing: boolean;
}

interface Around {
  /** The focus is in a field. */
  isTyping: boolean;
  isDialogOpen: boolean;
  /** The viewer did not switch them off. */
  areLettersOn: boolean;
}

/** A letter key of another layout is the Latin one in its place. */
function keyOf({ key, code, shiftKey }: Press): string {
  if (key.length > 1) return key;
  if (key === '؟') return '?';
  const [, latin] = /^(?:Key|Digit)(\w)$/.exec(code) ?? [];
  if (latin && !shiftKey && key > '\u007f') return latin.toLowerCase();
  return shiftKey ? key : key.toLowerCase();
}

/** Keys that go on while they are held down. */
const isRepeated = (key: string): boolean => /^([jk]|Arrow\w+)$/.test(key);

/** The key as pages declare it, such as `t` or `ArrowDown`; undefined: the press is not for the page. */
export function keyPressed(
  press: Press,
  { isTyping, isDialogOpen, areLettersOn }: Around,
): string | undefined {
  const key = keyOf(press);
  if (press.isComposing || press.ctrlKey || press.metaKey || press.altKey) return undefined;
  if (isDialogOpen) return undefined;
  if (isTyping && key !== 'Escape') return undefined;
  if (key.length === 1 && !areLettersOn) return undefined;
  if (press.repeat && !isRepeated(key)) return undefined;
  return key;
}
