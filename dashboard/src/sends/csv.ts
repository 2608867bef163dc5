// CSV (RFC 4180) in pieces of text, as the import of the API reads it. Pure.

// as in exports and imports of the API: a formula may begin with the text, after `;` and after a line end
const beginning = '(?<=^|[;\\r\\n])';
const sign = "[=+\\-@\\t']";
const risky = new RegExp(`^(?=[\\r\\n])|${beginning}(?=${sign})`, 'g');
const escaped = new RegExp(`^'(?=[\\r\\n])|${beginning}'(?=${sign})`, 'g');

/** The text of a cell: exactly one `'` before each risky character is removed, as in imports of the API. */
const cellText = (cell: string): string => cell.replace(escaped, '');

/** A line of a file that spreadsheets open. */
export const lineOf = (cells: readonly string[]): string =>
  `${cells
    .map((cell) => cell.replace(risky, "'"))
    .map((cell) => (/[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')}\r\n`;

/** The separator that a header line uses: the one of comma, semicolon and tab that is there most often. */
export function separatorOf(line: string): string {
  const count = (separator: string) => line.split(separator).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * Reads records from pieces of a file. `push` returns the records that ended in the piece; `end` returns the last one. An empty line
 * is a record of one empty cell.
 */
export function openCsv(separator: string): { push: (piece: string) => string[][]; end: () => string[][] } {
  let record: string[] = [];
  let cell = '';
  let isQuoted = false;
  /** A quote in a quoted cell: its end, or the first half of an escaped one. */
  let isQuoteBefore = false;
  let isReturnBefore = false;
  let hasBegun = false;

  const endCell = () => {
    record.push(cellText(cell));
    cell = '';
  };
  function push(piece: string): string[][] {
    const records: string[][] = [];
    const endRecord = () => {
      endCell();
      records.push(record);
      record = [];
      hasBegun = false;
    };
    for (const sign of piece) {
      const isLineFeed = sign === '\n';
      if (isReturnBefore && isLineFeed) {
        isReturnBefore = false;
        continue;
      }
      isReturnBefore = false;
      if (isQuoted && !isQuoteBefore) {
        if (sign === '"') isQuoteBefore = true;
        else cell += sign;
        continue;
      }
      if (isQuoteBefore && sign === '"') {
        cell += sign;
        isQuoteBefore = false;
        continue;
      }
      isQuoted = false;
      isQuoteBefore = false;
      if (isLineFeed || sign === '\r') {
        endRecord();
        isReturnBefore = sign === '\r';
        continue;
      }
      hasBegun = true;
      if (sign === separator) endCell();
      else if (sign === '"' && cell === '') isQuoted = true;
      else cell += sign;
    }
    return records;
  }
  return {
    push,
    end: () => (hasBegun ? push('\n') : []),
  };
}
