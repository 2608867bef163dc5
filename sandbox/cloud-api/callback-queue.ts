// Posts to one address over a fixed number of connections; what waits for a free one is not even built yet.
import { Pool } from 'undici';

/** What to post, and who receives its HTTP status (0: none came). */
export interface Post {
  path: string;
  timeoutMs: number;
  /** Called when a connection is free. */
  build: () => { headers: string[]; body: string };
  tell: (status: number) => void;
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
      post.tell(status);
      const following = waiting[next];
      if (!following || busy >= connections) return;
      // Taking from the front of a long array costs its length: it is cut only when half of it is done.
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

/** One try. `Pool.dispatch` costs about a tenth less than `Pool.request` here. */
function dispatch(pool: Pool, post: Post, over: (status: number) => void): void {
  let status = 0;
  let told = false;
  const once = (answer: number) => {
    if (told) return;
    told = true;
    over(answer);
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
      onResponseEnd: () => once(status),
      onResponseError: () => once(0),
    },
  );
}
