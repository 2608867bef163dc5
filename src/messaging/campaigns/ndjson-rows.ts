// Recipients from NDJSON: one JSON object a line.

import { rowMaxBytes, rowTooLarge } from '../../http/upload-stream.ts';
import type { UploadedRow } from './csv-rows.ts';

/** Yields a row for each line that is not empty. Throws 413 for a line over the limit. */
export async function* ndjsonRows(text: AsyncIterable<string>): AsyncGenerator<UploadedRow> {
  let row = 0;
  let rest = '';
  for await (const part of text) {
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      row += 1;
      if (line.trim() !== '') yield rowOf(line, row);
    }
    if (Buffer.byteLength(rest) > rowMaxBytes) throw rowTooLarge(row + 1);
  }
  if (rest.trim() !== '') yield rowOf(rest, row + 1);
}

function rowOf(line: string, row: number): UploadedRow {
  if (Buffer.byteLength(line) > rowMaxBytes) throw rowTooLarge(row);
  try {
    return { row, value: JSON.parse(row === 1 ? line.replace(/^\uFEFF/, '') : line) };
  } catch {
    return { row, value: undefined, problem: { path: '', message: 'is not a JSON object' } };
  }
}
