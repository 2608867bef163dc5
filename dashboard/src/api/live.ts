// Live updates: the event stream says what changed, and the queries of that kind are read again. Without it, they are polled.
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { mayPass, sessionKey } from './queries.ts';

/** Whether the page follows what happens; `asOf`: when it last heard of the gateway. */
export interface LiveState {
  isLive: boolean;
  asOf: number;
  /** False until the stream opened once. */
  hasBeenLive: boolean;
  /** When the next attempt begins, while not live. */
  retryAt: number | undefined;
}

/** A frame of the stream: the ids of what changed, by kind. */
export type Frame = Record<string, { ids: string[]; more: boolean }>;

const streamPath = '/v1/events/stream';
const firstRetryMs = 1_000;
const lastRetryMs = 30_000;
const pollMs = 10_000;

let state: LiveState = { isLive: false, hasBeenLive: false, asOf: Date.now(), retryAt: undefined };
const listeners = new Set<() => void>();
const frameListeners = new Set<(frame: Frame) => void>();

/** Calls the listener with each frame, until the returned function is called. */
export function onFrame(listener: (frame: Frame) => void): () => void {
  frameListeners.add(listener);
  return () => frameListeners.delete(listener);
}
function set(next: Partial<LiveState>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

export const useLive = (): LiveState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

/**
 * Follows the stream until the returned function is called. Queries whose key begins with a kind, or whose `meta.kinds` names it, are
 * read again when it changes; counts have their own interval. The stream's comments are not visible here: an idle stream is a live one.
 */
export function followEvents(queries: QueryClient): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstRetryMs;

  const readAgain = (kinds: string[]) =>
    void queries.invalidateQueries({
      predicate: ({ queryKey, meta }) =>
        [queryKey[0], ...((meta?.kinds as string[] | undefined) ?? [])].some((kind) =>
          kinds.includes(String(kind)),
        ),
    });
  function opened(): void {
    // what changed in between is not in the stream
    if (!state.isLive) void queries.invalidateQueries();
    waitMs = firstRetryMs;
    set({ isLive: true, hasBeenLive: true, asOf: Date.now(), retryAt: undefined });
    delete document.documentElement.dataset.live;
  }
  function lost(): void {
    source?.close();
    clearTimeout(timer);
    set({ isLive: false, retryAt: Date.now() + waitMs });
    document.documentElement.dataset.live = 'lost';
    // a stream does not say why it ended: the session may have
    void queries.invalidateQueries({ queryKey: [sessionKey] });
    timer = setTimeout(connect, waitMs);
    waitMs = Math.min(waitMs * 2, lastRetryMs);
  }
  function connect(): void {
    source = new EventSource(streamPath);
    source.onopen = opened;
    source.onerror = lost;
    source.onmessage = ({ data }) => {
      set({ asOf: Date.now() });
      const frame = JSON.parse(data) as Frame;
      readAgain(Object.keys(frame));
      for (const listener of frameListeners) listener(frame);
    };
    source.addEventListener('reload', () => void queries.invalidateQueries());
  }
  const poll = setInterval(() => {
    if (document.visibilityState !== 'visible') return;
    // what failed says nothing in the stream
    void queries.invalidateQueries(
      state.isLive ? { predicate: ({ state: { error } }) => error !== null && mayPass(error) } : {},
    );
  }, pollMs);
  connect();
  return () => {
    source?.close();
    clearTimeout(timer);
    clearInterval(poll);
  };
}
