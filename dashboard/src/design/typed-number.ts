// A whole number as people type it. Pure.

/** The zeros of the digits that the page's languages are written with: Arabic, Persian, Devanagari. */
const zeros = [0x660, 0x6f0, 0x966];

function westernDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const zero = zeros.find((one) => code >= one && code < one + 10);
  return zero === undefined ? character : String(code - zero);
}

/** True if the number was typed that has to be; undefined: none has to be. */
export const isTyped = (typed: string, count: number | undefined): boolean =>
  count === undefined || typedNumber(typed) === String(count);

/** The digits of what was typed, in Western digits: `12 101`, `12,101` and `١٢٬١٠١` are `12101`. */
const typedNumber = (typed: string): string => [...typed].map(westernDigit).join('').replace(/\D/g, '');
