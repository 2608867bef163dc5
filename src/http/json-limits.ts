// Limits of a JSON text, checked before parsing: parsing deep nesting or a huge object takes far longer than this scan. Pure.

/** Far more than any operation needs; `storable.ts` enforces the exact limit on the parsed value. */
const depthMax = 100;
/** More than the largest map of any operation, a recipient's `variables`. */
const membersMax = 600;
/** Shorter texts are parsed in less than a millisecond in any case. */
const scannedMinLength = 8 * 1024;

const code = (character: string) => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const [openArray, closeArray, openObject, closeObject, colon] = [...'[]{}:'].map(code);

/** Index of the quote that ends the string that starts before `from`; the text's length if there is none. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/**
 * Returns the problem of a long JSON text that is nested too deeply or has an object with too many members; otherwise
 * undefined. Takes about 2 ms for 1 MB. The parser rejects text that is not JSON.
 */
export function jsonLimitProblem(text: string): string | undefined {
  if (text.length < scannedMinLength) return undefined;
  const members = new Uint32Array(depthMax + 1);
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at + 1);
    else if (character === openArray || character === openObject) {
      if (depth === depthMax) return `is nested deeper than ${depthMax} levels`;
      depth += 1;
      members[depth] = 0;
    } else if (character === closeArray || character === closeObject) depth = Math.max(0, depth - 1);
    else if (character === colon) {
      const count = (members[depth] ?? 0) + 1;
      if (count > membersMax) return `has an object with more than ${membersMax} members`;
      members[depth] = count;
    }
  }
  return undefined;
}
