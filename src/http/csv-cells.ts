// Cells of CSV files that spreadsheets open: formulas are escaped in exports, and the escape is removed in imports. Pure.

/** How a cell begins that a spreadsheet may run as a formula, or that an import would read as escaped. */
const risky = /^[=+\-@\t\r']/;
const escaped = /^'[=+\-@\t\r']/;

/** The text of an imported cell: exactly one `'` before a risky character is removed. */
export const cellText = (cell: string): string => (escaped.test(cell) ? cell.slice(1) : cell);

/** A cell of an export (RFC 4180), quoted where needed; null is an empty cell. */
export function cellOf(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = String(value);
  const safe = risky.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of an export. */
export const lineOf = (values: readonly (string | number | boolean | null)[]): string =>
  `${values.map(cellOf).join(',')}\r\n`;
