// A list that updates itself: each change reads the first page again, and of the older rows only those that changed.
import { type Query, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { onFrame } from './live.ts';
import { arrived, type HeldRows, type Page, renewed, waitingCount, withOlder } from './live-rows.ts';

interface Options<T> {
  /** Begins with the kind of the rows in the event stream. */
  key: readonly unknown[];
  /** Other kinds that change the list. */
  kinds?: string[];
  /** Reads a page; without a cursor the first one. */
  read: (cursor: string | undefined) => PromiseLike<Page<T>>;
  idOf: (row: T) => string;
  /** Reads one row again, if the kind's ids are those of rows. */
  readOne?: (id: string) => Promise<T>;
  /** Also reads the first page at this interval, for changes that the stream does not show. */
  intervalMs?: number;
  /** While true, new rows wait instead of moving what is shown. */
  isHeld?: () => boolean;
}

interface LiveList<T> {
  rows: T[];
  /** False until the first page was read, and while nothing was found yet in a list that has more. */
  isLoaded: boolean;
  error: unknown;
  retry: () => void;
  /** Loads an older page; undefined at the end. */
  loadOlder: (() => void) | undefined;
  isLoadingOlder: boolean;
  /** New rows that wait; with `isMore`, at least so many. */
  waiting: { count: number; isMore: boolean };
  /** Shows them. */
  showWaiting: () => void;
}

interface Known<T> {
  page: Page<T> | undefined;
  held: HeldRows<T> | undefined;
  /** Rows that are kept; more once the viewer asked for more. */
  keep: number;
  /** Pages that were searched without a row. */
  emptyPages: number;
  isLoadingOlder: boolean;
  olderError: unknown;
}

/** What is known of each list, for as long as its first page is: who comes back finds the rows and the place. */
const lists = new WeakMap<Query, Known<unknown>>();
/** How long a list is kept that is not shown. */
const keptMs = 1_800_000;

function knownOf<T>(query: Query): Known<T> {
  const known = (lists.get(query) as Known<T> | undefined) ?? {
    ...{ page: undefined, held: undefined, keep: keepMin, emptyPages: 0 },
    ...{ isLoadingOlder: false, olderError: undefined },
  };
  lists.set(query, known as Known<unknown>);
  return known;
}

/** Older rows that are read again for one frame. */
const changedMax = 20;
/** Rows that are kept of a list that grows by itself. */
const keepMin = 200;
/** Pages without a row after which the viewer decides whether to go on. A page searches 20,000 messages or deliveries. */
const emptyPagesMax = 10;

type Reading<T> = Pick<Options<T>, 'read' | 'idOf'> & {
  change: (to: (held: HeldRows<T>) => HeldRows<T>) => void;
};

/** Reads the pages after the first one again, as far as they are shown. */
async function renewOlder<T>(
  { page, held }: Known<T>,
  { read, idOf, change }: Reading<T>,
  isShown: () => boolean,
): Promise<void> {
  let left = (held?.shown.items.length ?? 0) - (page?.items.length ?? 0);
  let cursor = page?.pagination.nextCursor;
  while (cursor && left > 0 && isShown()) {
    const { items, pagination } = await read(cursor);
    if (items.length === 0) return;
    change((rows) => renewed(rows, items, idOf));
    left -= items.length;
    cursor = pagination.nextCursor;
  }
}

export function useLiveList<T>(options: Options<T>): LiveList<T> {
  const { key, kinds, read, idOf, readOne, intervalMs, isHeld = () => false } = options;
  const first = useQuery({
    queryKey: key,
    queryFn: async () => read(undefined),
    gcTime: keptMs,
    ...(kinds ? { meta: { kinds } } : {}),
    ...(intervalMs ? { refetchInterval: intervalMs } : {}),
  });
  const [, setVersion] = useState(0);
  const show = () => setVersion((version) => version + 1);
  const cache = useQueryClient().getQueryCache();
  const query = cache.find({ queryKey: key, exact: true });
  if (!query) throw new Error('a query that is shown is in the cache');
  const current = knownOf<T>(query);
  const known = useRef(current);
  // rows that wait still do when the viewer comes back: the place is restored after the first rendering
  const isBack = useRef(true);
  if (known.current !== current) isBack.current = true;
  known.current = current;
  if (first.data && first.data !== current.page) {
    current.page = first.data;
    current.held = arrived(current.held, first.data, idOf, { isHeld: isHeld(), keep: current.keep });
  }
  if (current.held?.waiting && !isBack.current && !isHeld())
    current.held = { shown: current.held.waiting, waiting: undefined };
  isBack.current = false;
  const change = (to: (held: HeldRows<T>) => HeldRows<T>) => {
    if (!current.held) return;
    current.held = to(current.held);
    show();
  };

  async function loadOlder(cursor: string): Promise<void> {
    current.isLoadingOlder = true;
    current.olderError = undefined;
    show();
    try {
      const page = await read(cursor);
      // what waits is read again with the next change
      change(({ shown }) => ({ shown: withOlder(shown, page, idOf), waiting: undefined }));
      const length = current.held?.shown.items.length ?? 0;
      current.keep = Math.max(current.keep, length);
      current.emptyPages = length === 0 ? current.emptyPages + 1 : 0;
    } catch (error) {
      current.olderError = error;
    } finally {
      current.isLoadingOlder = false;
      show();
    }
  }

  const latest = useRef({ change, read, readOne, idOf });
  latest.current = { change, read, readOne, idOf };
  // what changed while the list was not shown was not heard
  useEffect(() => {
    let isShown = true;
    void renewOlder(current, latest.current, () => isShown).catch(() => undefined);
    return () => {
      isShown = false;
    };
  }, [current]);
  const kind = String(key[0]);
  useEffect(
    () =>
      onFrame((frame) => {
        const { change: changeNow, readOne: readNow, idOf: idNow } = latest.current;
        const { page, held } = known.current;
        if (!readNow || !page || !held) return;
        const changed = new Set(frame[kind]?.ids);
        const inPage = new Set(page.items.map(idNow));
        const older = held.shown.items.map(idNow).filter((id) => !inPage.has(id));
        const ids = older.filter((id) => changed.has(id)).slice(0, changedMax);
        if (ids.length === 0) return;
        void Promise.allSettled(ids.map(readNow)).then((results) => {
          const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
          changeNow((rows) => renewed(rows, found, idNow));
        });
      }),
    [kind],
  );

  const { isLoadingOlder, olderError } = current;
  const shown = current.held?.shown;
  const next = shown?.next;
  const isSearching = shown?.items.length === 0 && Boolean(next) && current.emptyPages < emptyPagesMax;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page
  useEffect(() => {
    if (isSearching && next && !isLoadingOlder && !olderError) void loadOlder(next);
  }, [isSearching, next, isLoadingOlder]);
  return {
    rows: shown?.items ?? [],
    isLoaded: shown !== undefined && !isSearching,
    error: first.error ?? olderError,
    // again what failed
    retry: () => void (olderError && next ? loadOlder(next) : first.refetch()),
    loadOlder: next
      ? () => {
          current.emptyPages = 0;
          void loadOlder(next);
        }
      : undefined,
    isLoadingOlder,
    waiting: current.held ? waitingCount(current.held, idOf) : { count: 0, isMore: false },
    showWaiting: () =>
      change(({ shown: before, waiting }) => ({ shown: waiting ?? before, waiting: undefined })),
  };
}
