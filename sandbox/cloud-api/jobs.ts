// Callback jobs: posts each callback until the app responds with 200, with increasing delays, and then gives up.
import { createHmac } from 'node:crypto';
import { type CallbackQueue, createCallbackQueue } from './callback-queue.ts';
import { callbackTarget } from './callback-target.ts';
import type { App } from './model.ts';
import type { State } from './state.ts';

/** One callback to post. */
export interface Job {
  appId: string;
  /** The business account and the field of the callback. */
  wabaId: string;
  field: string;
  body: () => unknown;
  attempts: number;
  /** Called after each attempt with the HTTP status (0: no response); `isLast`: no further attempt follows. */
  onResult: (status: number, isLast: boolean) => void;
}

export interface Jobs {
  send(job: Job): void;
  /** Sends the callbacks that `holdCallbacks` held back. */
  release(): void;
  /** Stops sending and reporting. */
  close(): Promise<void>;
}

/** Posts jobs over at most `connections` connections to each address. */
export function createJobs(state: State, connections: number): Jobs {
  const queues = new Map<string, CallbackQueue>();
  let held: Job[] = [];
  let closed = false;
  let nextOrigin = 0;

  const queueFor = (origin: string) => {
    const queue = queues.get(origin) ?? createCallbackQueue(origin, connections);
    queues.set(origin, queue);
    return queue;
  };
  const finishAttempt = (job: Job, status: number) => {
    if (closed) return;
    const delayMs = state.settings.retryDelaysMs[job.attempts++];
    const isLast = status === 200 || delayMs === undefined;
    job.onResult(status, isLast);
    if (!isLast) setTimeout(send, delayMs, job).unref();
  };
  const send = (job: Job) => {
    if (closed) return;
    const app = state.apps.get(job.appId);
    const target = callbackTarget(state, job);
    // the platform posts nothing that is not subscribed to, also not later
    if (!app || target === null) job.onResult(0, true);
    else if (state.settings.holdCallbacks) held.push(job);
    else {
      const url = new URL(target);
      const origins = state.settings.callbackOrigins;
      queueFor(origins[nextOrigin++ % origins.length] ?? url.origin).post({
        path: url.pathname + url.search,
        timeoutMs: state.settings.callbackTimeoutMs,
        build: () => signed(app, job.body()),
        onStatus: (status) => finishAttempt(job, status),
      });
    }
  };
  return {
    send,
    release() {
      const jobs = held;
      held = [];
      for (const job of jobs) send(job);
    },
    async close() {
      closed = true;
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

function signed(app: App, content: unknown): { headers: string[]; body: string } {
  const body = asciiJson(content);
  const signature = createHmac('sha256', app.secret).update(body).digest('hex');
  const headers = [
    'content-type',
    'application/json',
    'user-agent',
    'facebookexternalua',
    'x-hub-signature-256',
    `sha256=${signature}`,
  ];
  return { headers, body };
}

/** The platform signs and posts JSON in which every character beyond U+007F is escaped. */
function asciiJson(body: unknown): string {
  const json = JSON.stringify(body);
  return /[\u0080-\uffff]/.test(json)
    ? json.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
}
