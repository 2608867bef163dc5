// Looks into the platform's JSON, of which nothing is sure yet. Pure.

export type Json = Record<string, unknown>;

/** Escapes of a NUL character, or of a surrogate, which may lack its other half. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** Digits that a number may have and still be exact, whatever they are: 2^53 has 16. */
const exactDigits = 15;
const quote = 0x22;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/**
 * True if a run of more than `exactDigits` digits is not the beginning of a string, so may be a number that a double
 * cannot hold. Looks at every 16th byte, since such a run covers one of them: it costs 3 to 5 % of parsing.
 */
function mayHoldLongNumber(bytes: Buffer): boolean {
  for (let at = exactDigits; at < bytes.length; at += exactDigits + 1) {
    if (!isDigit(bytes[at])) continue;
    let start = at;
    while (isDigit(bytes[start - 1])) start -= 1;
    let end = at + 1;
    while (isDigit(bytes[end])) end += 1;
    if (end - start > exactDigits && bytes[start - 1] !== quote) return true;
    // on to the first of these bytes that is not in this run
    at = end - 1 - (end % (exactDigits + 1));
  }
  return false;
}

/** A whole number that a double cannot hold becomes the text of its digits, as it was written. */
const exactNumber = (value: number, source: string | undefined): number | string =>
  !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source) ? source : value;

/** Some servers begin with a byte order mark, which receivers may ignore (RFC 8259 section 8.1). */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/**
 * The value of JSON bytes: its texts such as every column can hold, and its whole numbers exact, which beyond 2^53 means
 * as text (the platform writes ids of templates as numbers). Throws SyntaxError.
 */
export function readJson(bytes: Buffer): unknown {
  const text = withoutMark(bytes.toString());
  const isSuspicious = suspicious.test(text);
  if (!isSuspicious && !mayHoldLongNumber(bytes)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'number') return exactNumber(value, context?.source);
    return isSuspicious && typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
  });
}

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The text of a string or a number. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

/** Longest id of a message that is believed: the platform's have about 60 characters, and an index must hold them. */
export const messageIdMax = 512;

/** Longest text of the platform that is kept and told on. */
const textMax = 1_000;

/** A text of the platform as it may be kept. */
export const storableText = (value: unknown): string | undefined =>
  textOf(value)?.slice(0, textMax).toWellFormed();

/** The human explanation of an error: `error_data.details`, or `error_data` itself where it is a plain text. */
export const explanationOf = ({ error_data: data }: Json): string | undefined =>
  storableText(isObject(data) ? data.details : data) || undefined;
