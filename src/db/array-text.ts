// PostgreSQL's text form of arrays: of ids, numbers and booleans, which need no quotation marks, and of texts.

/**
 * Returns `{a,b,NULL}`, for a parameter that is cast to `uuid[]`, `smallint[]` and the like. Not for text: it does not escape.
 * The driver's own conversion escapes every item (measured: 3 % of the gateway's time under load).
 */
export function arrayText(items: readonly (string | number | boolean | null)[]): string {
  let text = '{';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    text += items[index] ?? 'NULL';
  }
  return `${text}}`;
}

const special = /["\\]/;

/** The same for texts, for a parameter that is cast to `text[]`. Escapes only items that need it. */
export function textArray(items: readonly (string | null)[]): string {
  let text = '{';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    const item = items[index];
    if (item === null || item === undefined) text += 'NULL';
    else text += special.test(item) ? `"${item.replace(/["\\]/g, '\\$&')}"` : `"${item}"`;
  }
  return `${text}}`;
}
