// A queue of posts to one address over a fixed number of connections. A post is built when a connection is free.
import { Pool } from 'undici';

/** What to post, and who receives the HTTP status (0: no response). */
export interface Post {
  path: string;
  timeoutMs: number;
  /** Called when a connection is free. */
  build: () => { headers: string[]; body: string };
  onStatus: (status: number) => void;
}

export interface CallbackQueue {
  post(post: Post): void;
  close(): Promise<void>;
}

/** A queue to `origin` with at most `connections` connections, one post at a time on each. */
export function createCallbackQueue(origin: string, connections: number): CallbackQueue {
  const pool = new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 30_000 });
  let busy = 0;
  let waiting: Post[] = [];
  let next = 0;

  const run = (post: Post) => {
    busy++;
    dispatch(pool, post, (status) => {
      busy--;
      post.onStatus(status);
      const following = waiting[next];
      if (!following || busy >= connections) return;
      // Removing from the front costs the array's length, so it is cut only when half of it is done.
      if (++next > 1000 && next > waiting.length / 2) {
        waiting = waiting.slice(next);
        next = 0;
      }
      run(following);
    });
  };
  return {
    post: (post) => {
      if (busy < connections) run(post);
      else waiting.push(post);
    },
    close: () => {
      waiting = [];
      return pool.destroy();
    },
  };
}

/** One attempt. `Pool.dispatch` costs about a tenth less than `Pool.request` here. */
function dispatch(pool: Pool, post: Post, onEnd: (status: number) => void): void {
  let status = 0;
  let isReported = false;
  const reportOnce = (result: number) => {
    if (isReported) return;
    isReported = true;
    onEnd(result);
  };
  pool.dispatch(
    {
      method: 'POST',
      path: post.path,
      ...post.build(),
      headersTimeout: post.timeoutMs,
      bodyTimeout: post.timeoutMs,
    },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, code) => {
        status = code;
      },
      onResponseData: () => {},
      onResponseEnd: () => reportOnce(status),
      onResponseError: () => reportOnce(0),
    },
  );
}
