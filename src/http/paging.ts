// Paging: page numbers for lists that are counted, opaque cursors for lists that grow without end.
import { invalidRequest } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';

export interface PageQuery {
  page?: number;
  limit?: number;
}

export interface Page<T> {
  items: T[];
  pagination: { page: number; limit: number; total: number; totalPages: number };
}

/** The SQL window of a page: `limit` (1 to 100, default 20) and `offset`. */
export function pageWindow(query: PageQuery): { page: number; limit: number; offset: number } {
  const page = query.page ?? 1;
  const limit = query.limit ?? 20;
  return { page, limit, offset: (page - 1) * limit };
}

/** `data` of a counted list. */
export function pageOf<T>(items: T[], total: number, query: PageQuery): Page<T> {
  const { page, limit } = pageWindow(query);
  return { items, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
}

export interface CursorPage<T> {
  items: T[];
  pagination: { limit: number; nextCursor: string | null };
}

/**
 * `data` of a list by cursor: give it `limit + 1` rows; the extra one only says that there is a next page.
 * `positionOf` answers the ids that the next page starts after; `lookedTo` is where a search stopped that did not fill
 * the page.
 */
export function cursorPageOf<T>(
  rows: T[],
  limit: number,
  positionOf: (row: T) => string[],
  lookedTo?: string[],
): CursorPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const position = rows.length > limit && last !== undefined ? positionOf(last) : lookedTo;
  const nextCursor = position ? Buffer.from(JSON.stringify(position)).toString('base64url') : null;
  return { items, pagination: { limit, nextCursor } };
}

/** The ids in a cursor that `cursorPageOf` made with `length` of them; 400 `invalid_request` for any other text. */
export function cursorPosition(cursor: string | undefined, length: number): string[] | undefined {
  if (cursor === undefined) return undefined;
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const sound =
      Array.isArray(position) &&
      position.length === length &&
      position.every((part) => typeof part === 'string' && isUuid(part));
    if (sound) return position as string[];
  } catch {
    // falls through to the one answer for every malformed cursor
  }
  throw invalidRequest([
    { path: 'cursor', message: 'is not a cursor that this list returned; start again without it' },
  ]);
}
