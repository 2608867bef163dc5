// A list that updates itself: each change reads the first page again, and of the older rows only those that changed.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { onFrame } from './live.ts';
import { type Page, type Rows, withChanged, withFirst, withOlder } from './live-rows.ts';

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
}

interface LiveList<T> {
  rows: T[];
  /** False until the first page was read. */
  isLoaded: boolean;
  error: unknown;
  retry: () => void;
  /** Loads an older page; undefined at the end. */
  loadOlder: (() => void) | undefined;
  isLoadingOlder: boolean;
}

/** Older rows that are read again for one frame. */
const changedMax = 20;

export function useLiveList<T>({ key, kinds, read, idOf, readOne, intervalMs }: Options<T>): LiveList<T> {
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
  const held = useRef<{ name: string; page: Page<T> | undefined; rows: Rows<T> | undefined }>(undefined);
  if (held.current?.name !== name) held.current = { name, page: undefined, rows: undefined };
  const { current } = held;
  if (first.data && first.data !== current.page) {
    current.page = first.data;
    current.rows = withFirst(current.rows, first.data, idOf);
  }
  const change = (to: (rows: Rows<T>) => Rows<T>) => {
    // another list may be shown by now
    if (held.current !== current || !current.rows) return;
    current.rows = to(current.rows);
    setVersion((version) => version + 1);
  };

  async function loadOlder(cursor: string): Promise<void> {
    setLoadingOlder(true);
    setOlderError(undefined);
    try {
      const page = await read(cursor);
      change((rows) => withOlder(rows, page, idOf));
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
        const { page, rows } = held.current ?? {};
        if (!readNow || !page || !rows) return;
        const changed = new Set(frame[kind]?.ids);
        const older = rows.items.slice(page.items.length).map(idNow);
        const ids = older.filter((id) => changed.has(id)).slice(0, changedMax);
        if (ids.length === 0) return;
        void Promise.allSettled(ids.map(readNow)).then((results) => {
          const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
          changeNow((now) => withChanged(now, found, idNow));
        });
      }),
    [kind],
  );

  const next = current.rows?.next;
  return {
    rows: current.rows?.items ?? [],
    isLoaded: current.rows !== undefined,
    error: first.error ?? olderError,
    retry: () => void first.refetch(),
    loadOlder: next ? () => void loadOlder(next) : undefined,
    isLoadingOlder,
  };
}
