// A list that updates itself: each change reads the first page again, and of the older rows only those that changed.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { onFrame } from './live.ts';
import {
  arrived,
  type HeldRows,
  type Page,
  type Rows,
  waitingCount,
  withChanged,
  withOlder,
} from './live-rows.ts';

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
  /** The list: another key is another one. */
  name: string;
  page: Page<T> | undefined;
  held: HeldRows<T> | undefined;
  /** Rows that are kept; more once the viewer asked for more. */
  keep: number;
  /** Pages that were searched without a row. */
  emptyPages: number;
}

/** Older rows that are read again for one frame. */
const changedMax = 20;
/** Rows that are kept of a list that grows by itself. */
const keepMin = 200;
/** Pages without a row after which the viewer decides whether to go on. A page searches 20,000 messages or deliveries. */
const emptyPagesMax = 10;

export function useLiveList<T>(options: Options<T>): LiveList<T> {
  const { key, kinds, read, idOf, readOne, intervalMs, isHeld = () => false } = options;
  const name = JSON.stringify(key);
  const first = useQuery({
    queryKey: key,
    queryFn: async () => read(undefined),
    ...(kinds ? { meta: { kinds } } : {}),
    ...(intervalMs ? { refetchInterval: intervalMs } : {}),
  });
  const [, setVersion] = useState(0);
  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const [olderError, setOlderError] = useState<unknown>();
  const known = useRef<Known<T>>(undefined);
  if (known.current?.name !== name)
    known.current = { name, page: undefined, held: undefined, keep: keepMin, emptyPages: 0 };
  const { current } = known;
  if (first.data && first.data !== current.page) {
    current.page = first.data;
    current.held = arrived(current.held, first.data, idOf, { isHeld: isHeld(), keep: current.keep });
  }
  if (current.held?.waiting && !isHeld()) current.held = { shown: current.held.waiting, waiting: undefined };
  const change = (to: (held: HeldRows<T>) => HeldRows<T>) => {
    // another list may be shown by now
    if (known.current !== current || !current.held) return;
    current.held = to(current.held);
    setVersion((version) => version + 1);
  };

  async function loadOlder(cursor: string): Promise<void> {
    setLoadingOlder(true);
    setOlderError(undefined);
    try {
      const page = await read(cursor);
      // what waits is read again with the next change
      change(({ shown }) => ({ shown: withOlder(shown, page, idOf), waiting: undefined }));
      const length = current.held?.shown.items.length ?? 0;
      current.keep = Math.max(current.keep, length);
      current.emptyPages = length === 0 ? current.emptyPages + 1 : 0;
    } catch (error) {
      setOlderError(error);
    } finally {
      setLoadingOlder(false);
    }
  }

  const latest = useRef({ change, readOne, idOf });
  latest.current = { change, readOne, idOf };
  const kind = String(key[0]);
  useEffect(
    () =>
      onFrame((frame) => {
        const { change: changeNow, readOne: readNow, idOf: idNow } = latest.current;
        const { page, held } = known.current ?? {};
        if (!readNow || !page || !held) return;
        const changed = new Set(frame[kind]?.ids);
        const inPage = new Set(page.items.map(idNow));
        const older = held.shown.items.map(idNow).filter((id) => !inPage.has(id));
        const ids = older.filter((id) => changed.has(id)).slice(0, changedMax);
        if (ids.length === 0) return;
        void Promise.allSettled(ids.map(readNow)).then((results) => {
          const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
          const renewed = (rows: Rows<T>) => withChanged(rows, found, idNow);
          changeNow(({ shown, waiting }) => ({
            shown: renewed(shown),
            waiting: waiting && renewed(waiting),
          }));
        });
      }),
    [kind],
  );

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
