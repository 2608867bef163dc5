// The rows of a list that updates itself: a first page that is read again, and older rows that are kept. Pure.

export interface Page<T> {
  items: T[];
  pagination: { nextCursor: string | null };
}

/** What is known of a list, from its first row on without a gap. */
export interface Rows<T> {
  items: T[];
  /** Where the next older page begins; null: there is none. */
  next: string | null;
}

/**
 * The rows after the first page was read again. Rows that new ones pushed out of it stay, and so do older pages; rows that moved to
 * the top leave their earlier place. If no row of the page was known, something is missing between them: then the list begins again.
 */
export function withFirst<T>(
  before: Rows<T> | undefined,
  { items, pagination }: Page<T>,
  idOf: (row: T) => string,
): Rows<T> {
  const fresh = { items, next: pagination.nextCursor };
  if (!before || pagination.nextCursor === null) return fresh;
  const places = new Map(before.items.map((row, index) => [idOf(row), index]));
  const last = items.map((row) => places.get(idOf(row))).findLast((place) => place !== undefined);
  if (last === undefined) return fresh;
  const ids = new Set(items.map(idOf));
  const rest = before.items.slice(last + 1).filter((row) => !ids.has(idOf(row)));
  return rest.length === 0 ? fresh : { items: [...items, ...rest], next: before.next };
}

/** The rows with an older page after them. */
export function withOlder<T>(
  before: Rows<T>,
  { items, pagination }: Page<T>,
  idOf: (row: T) => string,
): Rows<T> {
  const ids = new Set(before.items.map(idOf));
  return {
    items: [...before.items, ...items.filter((row) => !ids.has(idOf(row)))],
    next: pagination.nextCursor,
  };
}

/** The rows with newer states of some of them. */
export function withChanged<T>(before: Rows<T>, changed: readonly T[], idOf: (row: T) => string): Rows<T> {
  const byId = new Map(changed.map((row) => [idOf(row), row]));
  return { ...before, items: before.items.map((row) => byId.get(idOf(row)) ?? row) };
}
