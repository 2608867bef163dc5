// Phone numbers: E.164 without the plus sign, and the spellings that people write (pure).

const phonePattern = /^[1-9][0-9]{6,14}$/;
/** What people put between digits: a plus sign, spaces, dashes, dots, brackets; the typographic ones too. */
const separators = /[+.()[\]\u2212\p{Zs}\p{Pd}]/gu;

/** What is wrong with a phone and what to do; undefined if nothing is (E.164 without the plus sign). */
export function phoneProblem(phone: string): string | undefined {
  if (phonePattern.test(phone)) return undefined;
  const stray = [...new Set(phone.replace(/[0-9]/g, ''))].map((sign) =>
    sign === ' ' ? 'spaces' : `"${sign}"`,
  );
  if (stray.length > 0) return `must be digits only, with the country code: remove ${stray.join(', ')}`;
  if (phone.startsWith('0')) return 'must begin with the country code, not with 0';
  return 'must have 7 to 15 digits, with the country code';
}

/** A phone without the signs that people write between its digits: `+1 (555) 123-4567` is `15551234567`. */
export const phoneDigits = (phone: string): string => phone.replace(separators, '');
