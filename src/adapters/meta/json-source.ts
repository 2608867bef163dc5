// The source text of values within valid JSON: what the platform sent, byte for byte. Pure.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const openingBracket = 0x5b;
const closingBracket = 0x5d;

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** The index after the string that starts at `from`. */
function skipString(text: string, from: number): number {
  for (let at = from + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
}

/** The index after the value that starts at `from`. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = skipString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (code === openingBrace || code === openingBracket) depth += 1;
    else if (code === closingBrace || code === closingBracket) {
      depth -= 1;
      // below 0 it is the parent's end, after a number or word
      if (depth <= 0) return depth < 0 ? at : at + 1;
    } else if (depth === 0 && (code === comma || isSpace(code))) return at;
    at += 1;
  }
  return text.length;
}

/** True if the string from `start` up to `end`, quotation marks included, is `name`. */
function isName(text: string, start: number, end: number, name: string): boolean {
  const length = end - start - 2;
  if (length === name.length) return text.startsWith(name, start + 1);
  // a longer one may have escapes
  const source = length > name.length ? text.slice(start, end) : '';
  return source.includes('\\') && JSON.parse(source) === name;
}

/** Reads the value at an index and returns the index after it. */
type Visit = (at: number, index: number) => number;

/**
 * Visits the members of that name of the object at `from`, in their order: `JSON.parse` takes the last one. Returns the index
 * after the value, which need not be an object. The text must be valid JSON.
 */
export function visitMembers(text: string, from: number, name: string, visit: Visit): number {
  if (text.charCodeAt(from) !== openingBrace) return skipValue(text, from);
  let at = skipSpace(text, from + 1);
  for (let index = 0; text.charCodeAt(at) === quote; index += 1) {
    const keyEnd = skipString(text, at);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const after = isName(text, at, keyEnd, name) ? visit(value, index) : skipValue(text, value);
    at = skipSpace(text, after);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return at + 1;
}

/** Visits the elements of the array at `from`. Returns the index after the value, which need not be an array. */
export function visitElements(text: string, from: number, visit: Visit): number {
  if (text.charCodeAt(from) !== openingBracket) return skipValue(text, from);
  let at = skipSpace(text, from + 1);
  for (let index = 0; at < text.length && text.charCodeAt(at) !== closingBracket; index += 1) {
    at = skipSpace(text, visit(at, index));
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return at + 1;
}

/** The source of the value at `from`. */
export const sourceAt = (text: string, from: number): string => text.slice(from, skipValue(text, from));

/** The index of the whole value of a text. */
export const wholeAt = (text: string): number => skipSpace(text, text.startsWith('\ufeff') ? 1 : 0);
