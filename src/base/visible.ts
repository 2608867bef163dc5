// Texts of callers as errors show them, with invisible characters written as codes. Pure.

/**
 * Control and format characters (zero-width, bidirectional), ignorable, unassigned and private characters, all spaces except
 * the plain one, and the blank Braille pattern.
 */
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;

const escaped = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
};

/** Writes each invisible character of a text as its code, such as `\u200b`. */
export const visible = (text: string): string => text.replace(invisible, escaped);

/** Spaces, control and format characters, ignorable ones, and the blank Braille pattern. */
const blank = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** True if nothing of a text is visible. */
export const isBlank = (text: string): boolean => blank.test(text);
