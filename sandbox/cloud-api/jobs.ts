// Posts callbacks until an app answers 200: held back if so set, tried again with falling frequency, then given up.
import { createHmac } from 'node:crypto';
import { type CallbackQueue, createCallbackQueue } from './callback-queue.ts';
import type { App } from './model.ts';
import type { State } from './state.ts';

/** One callback on its way: what it says and who must learn its result. */
export interface Job {
  appId: string;
  body: () => unknown;
  tried: number;
  /** Called after each try with the HTTP status (0: none came); `over`: no further one follows. */
  answered: (answer: number, over: boolean) => void;
}

export interface Jobs {
  send(job: Job): void;
  /** Sends what `holdCallbacks` kept back. */
  release(): void;
  /** After this nothing is sent or reported. */
  close(): Promise<void>;
}

/** Posts jobs over at most `connections` connections to each address. */
export function createJobs(state: State, connections: number): Jobs {
  const queues = new Map<string, CallbackQueue>();
  let held: Job[] = [];
  let closed = false;
  let turn = 0;

  const laneTo = (origin: string) => {
    const queue = queues.get(origin) ?? createCallbackQueue(origin, connections);
    queues.set(origin, queue);
    return queue;
  };
  const after = (job: Job, answer: number) => {
    if (closed) return;
    const delayMs = state.settings.retryDelaysMs[job.tried++];
    const over = answer === 200 || delayMs === undefined;
    job.answered(answer, over);
    if (!over) setTimeout(send, delayMs, job).unref();
  };
  const send = (job: Job) => {
    if (closed) return;
    const app = state.apps.get(job.appId);
    // The platform posts nothing for an app that has not subscribed, not even later.
    if (!app?.subscription) job.answered(0, true);
    else if (state.settings.holdCallbacks) held.push(job);
    else {
      const url = new URL(app.subscription.callbackUrl);
      const behind = state.settings.callbackOrigins;
      laneTo(behind[turn++ % behind.length] ?? url.origin).post({
        path: url.pathname + url.search,
        timeoutMs: state.settings.callbackTimeoutMs,
        build: () => signed(app, job.body()),
        tell: (answer) => after(job, answer),
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

/** The platform signs, and posts, JSON in which every character past U+007F is escaped. */
function asciiJson(body: unknown): string {
  const json = JSON.stringify(body);
  return /[\u0080-\uffff]/.test(json)
    ? json.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
}
