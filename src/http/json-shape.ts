// The shape of a JSON text before it is parsed: parsing deep nesting or a huge object takes far longer than this scan. Pure.

/** Nesting that no operation comes near; `storable.ts` draws the exact line on the parsed value. */
const depthMax = 100;
/** More than the largest map of any operation, a recipient's `variables`. */
const membersMax = 600;
/** Shorter texts are parsed in less than a millisecond, whatever their shape. */
const scannedMinLength = 8 * 1024;

const code = (sign: string) => sign.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const [openArray, closeArray, openObject, closeObject, colon] = [...'[]{}:'].map(code);

/** Index of the quote that ends the string which begins before `from`; the length of the text if none does. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/**
 * Says what is wrong with the shape of a long JSON text: nested too deep, or an object with too many members; undefined
 * if nothing is. Costs about 2 ms for 1 MB. Text that is not JSON is left to the parser.
 */
export function shapeProblem(text: string): string | undefined {
  if (text.length < scannedMinLength) return undefined;
  const members = new Uint32Array(depthMax + 1);
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfString(text, at + 1);
    else if (sign === openArray || sign === openObject) {
      if (depth === depthMax) return `is nested deeper than ${depthMax} levels`;
      depth += 1;
      members[depth] = 0;
    } else if (sign === closeArray || sign === closeObject) depth = Math.max(0, depth - 1);
    else if (sign === colon) {
      const count = (members[depth] ?? 0) + 1;
      if (count > membersMax) return `has an object with more than ${membersMax} members`;
      members[depth] = count;
    }
  }
  return undefined;
}
