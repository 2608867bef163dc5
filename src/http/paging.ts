// Paging: page numbers for lists that are counted, opaque cursors for lists that grow without limit.
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

/** The `data` of a list with page numbers. */
export function pageOf<T>(items: T[], total: number, query: PageQuery): Page<T> {
  const { page, limit } = pageWindow(query);
  return { items, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
}

export interface CursorPage<T> {
  items: T[];
  pagination: { limit: number; nextCursor: string | null };
}

/** The lists with cursors. A cursor names its list, so that no other list takes it for a position of its own. */
type ListName =
  | 'audit'
  | 'bookings'
  | 'contact-messages'
  | 'contacts'
  | 'deliveries'
  | 'media'
  | 'messages'
  | 'opt-outs'
  | 'received'
  | 'recipients'
  | 'replays'
  | 'sends'
  | 'template-history';

/**
 * Separates the position from the name of the list. The decoder of Base64 stops at it, so that a process of an earlier version,
 * whose cursors name no list, reads the position alone.
 */
const nameSeparator = '=';

/**
 * The `data` of a page of `list`. Pass `limit + 1` rows: the extra row shows that there is a next page. `positionOf`
 * returns the ids after which the next page starts; `searchedTo` is the position where a bounded search stopped before it
 * filled the page.
 */
export function cursorPageOf<T>(
  list: ListName,
  rows: T[],
  limit: number,
  positionOf: (row: T) => string[],
  searchedTo?: string[],
): CursorPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const position = rows.length > limit && last !== undefined ? positionOf(last) : searchedTo;
  const nextCursor = position ? cursorAt(position, list) : null;
  return { items, pagination: { limit, nextCursor } };
}

const cursorAt = (position: string[], list: ListName): string =>
  `${Buffer.from(JSON.stringify(position)).toString('base64url')}${nameSeparator}${list}`;

/** True for an instant as `Date.toISOString` writes it. */
export const isInstant = (part: string): boolean =>
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(part) && !Number.isNaN(Date.parse(part));

/** True for a text that a statement can take. */
export const isStorableText = (part: string): boolean => part.isWellFormed() && !part.includes('\0');

/** Checks the part of a cursor that names the order of its list. */
export const isOrder =
  (order: string) =>
  (part: string): boolean =>
    part === order;

/**
 * The parts of a cursor of `list`, which `parts` checks one by one; a number stands for as many ids. A cursor of an earlier version
 * names no list. Throws 400 `invalid_request` for any other text. `orderedBy` names the parameters that decide the order of the
 * list, if any.
 */
export function cursorPosition(
  list: ListName,
  cursor: string | undefined,
  parts: number | readonly ((part: string) => boolean)[],
  orderedBy: readonly string[] = [],
): string[] | undefined {
  if (cursor === undefined) return undefined;
  const checks = typeof parts === 'number' ? Array.from({ length: parts }, () => isUuid) : parts;
  const [encoded = '', name = list] = cursor.split(nameSeparator);
  try {
    const position: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    const isValid =
      name === list &&
      Array.isArray(position) &&
      position.length === checks.length &&
      position.every((part, index) => typeof part === 'string' && checks[index]?.(part));
    if (isValid) return position as string[];
  } catch {
    // the error below covers every malformed cursor
  }
  const message =
    orderedBy.length === 0
      ? 'is not a cursor that this list returned; start again without it'
      : `is not a cursor that this list returned in this order; send it with the same ${orderedBy.join(', ')} as before, or start again without it`;
  throw invalidRequest([{ path: 'cursor', message }]);
}
