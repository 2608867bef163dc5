// Posts callbacks to each app's address: signed, many at once, tried again with falling frequency until answered 200.
import { createHmac } from 'node:crypto';
import { createLane, type Lane } from './lane.ts';
import type { Accepted, Step } from './ledger.ts';
import type { App } from './model.ts';
import type { State, TemplateCallback } from './state.ts';
import { statusItem } from './statuses.ts';

/** One status to post; `index` is the step's place in its message. */
export interface StatusPost {
  message: Accepted;
  step: Step;
  index: number;
}

export interface Poster {
  /** Posts a status, or adds it to the next batch. */
  post(status: StatusPost): void;
  postTemplate(callback: TemplateCallback): void;
  /** Posts what `holdCallbacks` kept back. */
  release(): void;
  close(): Promise<void>;
}

/** One POST on its way: what it says and who must be told how it went. */
interface Job {
  appId: string;
  body: () => unknown;
  tried: number;
  /** Called after each try; `over`: no further one follows. */
  answered: (answer: number, over: boolean) => void;
}

/** A poster with at most `connections` connections to each address. */
export function createPoster(state: State, connections = 128): Poster {
  const lanes = new Map<string, Lane>();
  const batches = new Map<string, StatusPost[]>();
  let held: Job[] = [];
  let closed = false;

  const laneTo = (origin: string) => {
    let lane = lanes.get(origin);
    if (!lane) {
      lane = createLane(origin, connections);
      lanes.set(origin, lane);
    }
    return lane;
  };

  const send = (job: Job) => {
    if (closed) return;
    const app = state.apps.get(job.appId);
    // The platform posts nothing for an app that has not subscribed, not even later.
    if (!app?.subscription) {
      job.answered(0, true);
      return;
    }
    if (state.settings.holdCallbacks) {
      held.push(job);
      return;
    }
    const url = new URL(app.subscription.callbackUrl);
    laneTo(url.origin).post({
      path: url.pathname + url.search,
      timeoutMs: state.settings.callbackTimeoutMs,
      build: () => signed(app, job.body()),
      tell: (answer) => {
        if (closed) return;
        const delayMs = state.settings.retryDelaysMs[job.tried++];
        const over = answer === 200 || delayMs === undefined;
        job.answered(answer, over);
        if (!over) setTimeout(send, delayMs, job).unref();
      },
    });
  };

  const sendStatuses = (posts: StatusPost[]) => {
    const appId = posts[0]?.message.appId ?? '';
    const answered = (answer: number, over: boolean) => {
      for (const { message, step, index } of posts) {
        if (over) state.record(['done', message.seq, index, answer]);
        else step.answers.push(answer);
      }
    };
    send({ appId, body: () => statusBody(state, posts), tried: 0, answered });
  };

  const flush = (appId: string) => {
    const posts = batches.get(appId) ?? [];
    batches.delete(appId);
    if (posts.length > 0 && !closed) sendStatuses(posts);
  };

  return {
    post(status) {
      if (closed) return;
      if (state.settings.batchSize <= 1) return sendStatuses([status]);
      const { appId } = status.message;
      const batch = batches.get(appId);
      if (!batch) {
        batches.set(appId, [status]);
        setTimeout(flush, state.settings.batchWaitMs, appId).unref();
      } else if (batch.push(status) >= state.settings.batchSize) flush(appId);
    },
    postTemplate(callback) {
      const answered = (_answer: number, over: boolean) => {
        if (over) state.record(['callback-done', callback.id]);
      };
      send({ appId: callback.appId, body: () => callback.body, tried: 0, answered });
    },
    release() {
      const jobs = held;
      held = [];
      for (const job of jobs) send(job);
    },
    async close() {
      closed = true;
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
    },
  };
}

/** The payload of some statuses of one app: an entry a business account, a change a number. */
function statusBody(state: State, posts: StatusPost[]): unknown {
  const [only] = posts;
  if (posts.length === 1 && only)
    return wrap([[only.message.wabaId, [change(state, only.message.phoneNumberId, posts)]]]);
  const entries = Map.groupBy(posts, (post) => post.message.wabaId);
  return wrap(
    [...entries].map(([wabaId, ofWaba]) => {
      const numbers = Map.groupBy(ofWaba, (post) => post.message.phoneNumberId);
      return [wabaId, [...numbers].map(([numberId, ofNumber]) => change(state, numberId, ofNumber))] as const;
    }),
  );
}

function wrap(entries: ReadonlyArray<readonly [string, unknown[]]>): unknown {
  return {
    object: 'whatsapp_business_account',
    entry: entries.map(([id, changes]) => ({ id, changes })),
  };
}

function change(state: State, phoneNumberId: string, posts: StatusPost[]): unknown {
  return {
    value: {
      messaging_product: 'whatsapp',
      metadata: {
        display_phone_number: state.numbers.get(phoneNumberId)?.displayPhoneNumber.replace(/\D/g, ''),
        phone_number_id: phoneNumberId,
      },
      statuses: posts.map(({ message, step }) => statusItem(message, step)),
    },
    field: 'messages',
  };
}

/** The platform signs, and posts, JSON in which every character past U+007F is escaped. */
export function asciiJson(body: unknown): string {
  const json = JSON.stringify(body);
  return /[\u0080-\uffff]/.test(json)
    ? json.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
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
