// Phone numbers: E.164 without the plus sign, and the spellings that people use. Pure.

const phonePattern = /^[1-9][0-9]{6,14}$/;
/** Characters that people write between digits: plus sign, spaces, dashes, dots, brackets, including typographic ones. */
const separators = /[+.()[\]\u2212\p{Zs}\p{Pd}]/gu;

/** Returns what is wrong with a phone number in E.164 without the plus sign and what to do, or undefined. */
export function phoneProblem(phone: string): string | undefined {
  if (phonePattern.test(phone)) return undefined;
  const stray = [...new Set(phone.replace(/[0-9]/g, ''))].map((sign) =>
    sign === ' ' ? 'spaces' : `"${sign}"`,
  );
  if (stray.length > 0) return `must be digits only, with the country code: remove ${stray.join(', ')}`;
  if (phone.startsWith('0')) return 'must start with the country code, not with 0';
  return 'must have 7 to 15 digits, with the country code';
}

/** Removes the characters that people write between digits: `+1 (555) 123-4567` becomes `15551234567`. */
export const phoneDigits = (phone: string): string => phone.replace(separators, '');
