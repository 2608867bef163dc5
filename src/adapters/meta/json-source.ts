// The source text of values within valid JSON: what the platform sent, byte for byte. Pure.

/** A value's place in the text: from `start` up to, not including, `end`. */
export interface Span {
  start: number;
  end: number;
}

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
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
}

/** The index after the value that starts at `from`. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const char = text[at];
    if (char === '"') at = skipString(text, at);
    else {
      if (char === '{' || char === '[') depth += 1;
      else if (char === '}' || char === ']') depth -= 1;
      // the end of a number or word, which the parent's next character follows
      else if (depth === 0 && (char === ',' || isSpace(text.charCodeAt(at)))) return at;
      if (depth < 0) return at;
      at += 1;
    }
    if (depth === 0 && (char === '"' || char === '}' || char === ']')) return at;
  }
  return text.length;
}

/** The places of an array's elements; none if the value is no array. The text must be valid JSON. */
export function elementsOf(text: string, { start, end }: Span): Span[] {
  const found: Span[] = [];
  if (text[start] !== '[') return found;
  for (let at = skipSpace(text, start + 1); at < end - 1; at = skipSpace(text, at)) {
    const after = skipValue(text, at);
    found.push({ start: at, end: after });
    at = skipSpace(text, after) + 1;
  }
  return found;
}

/** The place of an object's member, the last one of that name, as `JSON.parse` takes it; undefined if there is none. */
export function memberOf(text: string, { start, end }: Span, name: string): Span | undefined {
  let found: Span | undefined;
  if (text[start] !== '{') return found;
  for (let at = skipSpace(text, start + 1); at < end - 1; at = skipSpace(text, at)) {
    const keyEnd = skipString(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const from = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const after = skipValue(text, from);
    if (key === name) found = { start: from, end: after };
    at = skipSpace(text, after) + 1;
  }
  return found;
}

/** The place of the whole value in a text. */
export function wholeOf(text: string): Span {
  const start = skipSpace(text, text.startsWith('\ufeff') ? 1 : 0);
  return { start, end: skipValue(text, start) };
}

export const sourceOf = (text: string, { start, end }: Span): string => text.slice(start, end);
