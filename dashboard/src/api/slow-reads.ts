// Reads that a page waits for: whether one takes long, and beginning them again.
import { notifyManager, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { abortReads } from './client.ts';

const slowMs = 10_000;

/** True if a page has nothing to show before the read ends. */
const isAwaited = (query: Query): boolean =>
  query.isActive() && query.state.status === 'pending' && query.state.fetchStatus === 'fetching';

/** True while a page waits for a read for ten seconds or more. */
export function useSlowReads(): boolean {
  const cache = useQueryClient().getQueryCache();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    /** When each read began. */
    const begins = new WeakMap<object, number>();
    const beginOf = (read: object): number => {
      const begin = begins.get(read) ?? Date.now();
      begins.set(read, begin);
      return begin;
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      clearTimeout(timer);
      const awaited = cache.getAll().filter(isAwaited);
      const leftMs =
        Math.min(...awaited.map((query) => beginOf(query.promise ?? query))) + slowMs - Date.now();
      setSlow(leftMs <= 0);
      if (leftMs > 0 && awaited.length > 0) timer = setTimeout(check, leftMs);
    };
    check();
    const unsubscribe = cache.subscribe(notifyManager.batchCalls(check));
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [cache]);
  return isSlow;
}

/** Begins the reads that pages wait for again. */
export async function readAgain(queries: QueryClient): Promise<void> {
  const awaited = queries.getQueryCache().getAll().filter(isAwaited);
  await Promise.all(awaited.map((query) => query.cancel({ revert: true })));
  abortReads();
  await queries.refetchQueries({ predicate: (query) => awaited.includes(query) });
}
