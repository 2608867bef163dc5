// Looks into the platform's JSON, of which nothing is sure yet. Pure.

export type Json = Record<string, unknown>;

/** Escapes of a NUL character, or of a surrogate, which may lack its other half. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** The value of JSON bytes, its texts such as every column can hold. Throws SyntaxError. */
export function readJson(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (!suspicious.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  );
}

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The text of a string or a number. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

/** Longest text of the platform that is kept and told on. */
const textMax = 1_000;

/** A text of the platform as it may be kept. */
export const told = (value: unknown): string | undefined => textOf(value)?.slice(0, textMax).toWellFormed();

/** The human explanation of an error: `error_data.details`, or `error_data` itself where it is a plain text. */
export const explanationOf = ({ error_data: data }: Json): string | undefined =>
  told(isObject(data) ? data.details : data) || undefined;
