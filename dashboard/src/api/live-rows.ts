// The rows of a list that updates itself: a first page that is read again, older rows that are kept, and new ones that wait. Pure.

export interface Page<T> {
  items: T[];
  pagination: { nextCursor: string | null };
}

/** What is known of a list, from its first row on without a gap. */
export interface Rows<T> {
  items: T[];
  /** Where the next older page begins; null: there is none. */
  next: string | null;
  /** Where pages ended: the id of their last row, and the cursor that continues after it. The list can be cut there. */
  ends: ReadonlyMap<string, string>;
}

type IdOf<T> = (row: T) => string;

function endOf<T>({ items, pagination }: Page<T>, idOf: IdOf<T>): [string, string][] {
  const last = items.at(-1);
  return last !== undefined && pagination.nextCursor !== null ? [[idOf(last), pagination.nextCursor]] : [];
}

/** The rows up to the end of the last page within `keep` rows: a list that grows for hours would fill the memory. */
function cut<T>(rows: Rows<T>, keep: number, idOf: IdOf<T>): Rows<T> {
  if (rows.items.length <= keep) return rows;
  const at = rows.items.slice(0, keep).findLastIndex((row) => rows.ends.has(idOf(row)));
  const last = rows.items[at];
  if (last === undefined) return rows;
  const items = rows.items.slice(0, at + 1);
  const ids = new Set(items.map(idOf));
  const ends = new Map([...rows.ends].filter(([id]) => ids.has(id)));
  return { items, next: rows.ends.get(idOf(last)) ?? null, ends };
}

/**
 * The rows after the first page was read again, about `keep` at most. Rows that new ones pushed out of it stay, and so do older pages;
 * rows that moved to the top leave their earlier place. If no row of the page was known, something is missing between them: then
 * the list begins again. An empty page that is not the last one says nothing: the search for a filter may end before its first row.
 */
export function withFirst<T>(
  before: Rows<T> | undefined,
  page: Page<T>,
  idOf: IdOf<T>,
  keep = Number.POSITIVE_INFINITY,
): Rows<T> {
  const { items, pagination } = page;
  const fresh = { items, next: pagination.nextCursor, ends: new Map(endOf(page, idOf)) };
  if (!before || pagination.nextCursor === null) return fresh;
  if (items.length === 0) return before;
  const places = new Map(before.items.map((row, index) => [idOf(row), index]));
  const last = items.map((row) => places.get(idOf(row))).findLast((place) => place !== undefined);
  if (last === undefined) return fresh;
  const ids = new Set(items.map(idOf));
  const rest = before.items.slice(last + 1).filter((row) => !ids.has(idOf(row)));
  if (rest.length === 0) return fresh;
  const restIds = new Set(rest.map(idOf));
  const ends = new Map([...before.ends].filter(([id]) => restIds.has(id)));
  for (const [id, cursor] of fresh.ends) ends.set(id, cursor);
  return cut({ items: [...items, ...rest], next: before.next, ends }, keep, idOf);
}

/** The rows with an older page after them. */
export function withOlder<T>(before: Rows<T>, page: Page<T>, idOf: IdOf<T>): Rows<T> {
  const ids = new Set(before.items.map(idOf));
  return {
    items: [...before.items, ...page.items.filter((row) => !ids.has(idOf(row)))],
    next: page.pagination.nextCursor,
    ends: new Map([...before.ends, ...endOf(page, idOf)]),
  };
}

/** The rows with newer states of some of them. */
export function withChanged<T>(before: Rows<T>, changed: readonly T[], idOf: IdOf<T>): Rows<T> {
  const byId = new Map(changed.map((row) => [idOf(row), row]));
  return { ...before, items: before.items.map((row) => byId.get(idOf(row)) ?? row) };
}

/** A list that may be held, so that nothing moves under the hand. */
export interface HeldRows<T> {
  shown: Rows<T>;
  /** The list with its new rows, while they wait. */
  waiting: Rows<T> | undefined;
}

/** The list with newer states of some rows, in their places. */
export function renewed<T>(
  { shown, waiting }: HeldRows<T>,
  changed: readonly T[],
  idOf: IdOf<T>,
): HeldRows<T> {
  return {
    shown: withChanged(shown, changed, idOf),
    waiting: waiting && withChanged(waiting, changed, idOf),
  };
}

/** The list after the first page was read again: held rows stay in their places, in their newer states. */
export function arrived<T>(
  before: HeldRows<T> | undefined,
  page: Page<T>,
  idOf: IdOf<T>,
  { isHeld, keep }: { isHeld: boolean; keep: number },
): HeldRows<T> {
  const all = withFirst(before?.waiting ?? before?.shown, page, idOf, keep);
  const [shownFirst, first] = [before?.shown.items[0], all.items[0]];
  const isNew = shownFirst !== undefined && first !== undefined && idOf(first) !== idOf(shownFirst);
  if (!before || !isHeld || !isNew) return { shown: all, waiting: undefined };
  return { shown: withChanged(before.shown, page.items, idOf), waiting: all };
}

/** How many new rows wait; with `isMore`, at least so many. */
export function waitingCount<T>(
  { shown, waiting }: HeldRows<T>,
  idOf: IdOf<T>,
): { count: number; isMore: boolean } {
  const [first] = shown.items;
  if (!waiting || first === undefined) return { count: 0, isMore: false };
  const at = waiting.items.findIndex((row) => idOf(row) === idOf(first));
  return at === -1 ? { count: waiting.items.length, isMore: true } : { count: at, isMore: false };
}
