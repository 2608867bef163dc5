// Parsing and reading of the platform's JSON without trusting its form. Pure.

export type Json = Record<string, unknown>;

/** Escapes of a NUL character or of a surrogate, which may be unpaired. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** How many digits a double always represents exactly: 2^53 has 16. */
const exactDigits = 15;
const minus = 0x2d;
/** What may stand before a number in JSON: the beginning, white space, `,`, `:` or `[` (RFC 8259). */
const beforeNumber = new Set([undefined, 0x09, 0x0a, 0x0d, 0x20, 0x2c, 0x3a, 0x5b]);
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/**
 * True if more than `exactDigits` digits may be a whole number, by what stands before them: in a string it is mostly a quotation mark
 * or, in a person's id, a full stop. Checks every 16th byte only, since such digits cover one of them: measured 3 to 5 % of the
 * time of parsing.
 */
function mayHoldLongNumber(bytes: Buffer): boolean {
  for (let at = exactDigits; at < bytes.length; at += exactDigits + 1) {
    if (!isDigit(bytes[at])) continue;
    let start = at;
    while (isDigit(bytes[start - 1])) start -= 1;
    let end = at + 1;
    while (isDigit(bytes[end])) end += 1;
    const before = bytes[start - 1] === minus ? start - 2 : start - 1;
    if (end - start > exactDigits && beforeNumber.has(bytes[before])) return true;
    // continue at the first checked byte after these digits
    at = end - 1 - (end % (exactDigits + 1));
  }
  return false;
}

/** Returns a whole number that a double cannot represent as the text of its digits. */
const exactNumber = (value: number, source: string | undefined): number | string =>
  !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source) ? source : value;

/** Some servers send a byte order mark, which parsers may ignore (RFC 8259 section 8.1). */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/**
 * Parses JSON bytes. Texts contain only what PostgreSQL can store; whole numbers beyond 2^53 become texts, because the
 * platform writes template ids as numbers. Throws SyntaxError.
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

/** The longest message id that is accepted, so that an index can store it; the platform's have about 60 characters. */
export const messageIdMax = 512;

/** The longest text of the platform that is stored and returned. */
const textMax = 1_000;

/** A text of the platform, truncated and valid for storage. */
export const storableText = (value: unknown): string | undefined =>
  textOf(value)?.slice(0, textMax).toWellFormed();

/** The explanation of an error for people: `error_data.details`, or `error_data` if it is a text. */
export const explanationOf = ({ error_data: data }: Json): string | undefined =>
  storableText(isObject(data) ? data.details : data) || undefined;

/** The last second of the year 9999, the latest instant that we accept. */
export const latestTimestamp = 253_402_300_799;

/** True for epoch seconds that we accept. */
export const isTimestamp = (seconds: number): boolean =>
  Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= latestTimestamp;

/** Epoch seconds; null if the value is no valid instant. */
export function timestampOf(value: unknown): number | null {
  const seconds = Number(textOf(value) || Number.NaN);
  return isTimestamp(seconds) ? seconds : null;
}

/** The platform's id of the number that a change of a callback is about. */
export const phoneNumberIdOf = ({ metadata }: Json): string | undefined =>
  isObject(metadata) ? textOf(metadata.phone_number_id) : undefined;
