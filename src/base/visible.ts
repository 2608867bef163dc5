// Text of a caller's as an error shows it: nothing in it invisible. Pure.

/**
 * Control and format characters (zero-width, bidirectional), what Unicode calls ignorable, unassigned or private, every
 * space but the plain one, and the blank Braille pattern.
 */
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;

const escaped = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
};

/** The text with each invisible character written as its code, such as `\u200b`. */
export const visible = (text: string): string => text.replace(invisible, escaped);
