// Callbacks of the simulated platform: their payloads, one or several statuses each, and the record of their results.
import { callbackTarget } from './callback-target.ts';
import { createJobs } from './jobs.ts';
import type { Accepted, Step } from './ledger.ts';
import { contactOf } from './person.ts';
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
  /** Posts a callback that is not a status: about a template, or about a number as a whole. */
  postTemplate(callback: TemplateCallback): void;
  /** Posts the callbacks that `holdCallbacks` held back. */
  release(): void;
  close(): Promise<void>;
}

/** A poster with at most `connections` connections to each address. */
export function createPoster(state: State, connections = 128): Poster {
  const jobs = createJobs(state, connections);
  const batches = new Map<string, StatusPost[]>();

  const sendStatuses = (posts: StatusPost[]) => {
    const onResult = (status: number, isLast: boolean) => {
      for (const { message, step, index } of posts) {
        if (isLast) state.record(['done', message.seq, index, status]);
        else step.answers.push(status);
      }
    };
    const { appId = '', wabaId = '' } = posts[0]?.message ?? {};
    jobs.send({
      appId,
      wabaId,
      field: 'messages',
      body: () => statusBody(state, posts),
      attempts: 0,
      onResult,
    });
  };
  const flush = (key: string) => {
    const posts = batches.get(key) ?? [];
    batches.delete(key);
    if (posts.length > 0) sendStatuses(posts);
  };
  return {
    post(status) {
      if (state.settings.batchSize <= 1) return sendStatuses([status]);
      const { appId, wabaId } = status.message;
      // one post goes to one address
      const key = `${appId} ${callbackTarget(state, { wabaId, field: 'messages' })}`;
      const batch = batches.get(key);
      if (!batch) {
        batches.set(key, [status]);
        setTimeout(flush, state.settings.batchWaitMs, key).unref();
      } else if (batch.push(status) >= state.settings.batchSize) flush(key);
    },
    postTemplate({ id, appId, body }) {
      const onResult = (_status: number, isLast: boolean) => {
        if (isLast) state.record(['callback-done', id]);
      };
      const of = subjectOf(body);
      jobs.send({ appId, ...of, body: () => withNumericIds(body), attempts: 0, onResult });
    },
    release: jobs.release,
    close: jobs.close,
  };
}

/** The business account and the field of a callback with one change. */
function subjectOf(body: unknown): { wabaId: string; field: string } {
  const [entry] = (body as { entry: { id: string; changes: { field: string }[] }[] }).entry;
  return { wabaId: entry?.id ?? '', field: entry?.changes[0]?.field ?? '' };
}

/** ECMAScript 2026, "JSON.parse source text access"; not in TypeScript's library yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON: (json: string) => object };

/**
 * The body with its template ids as JSON numbers with every digit, as the platform writes them. The journal stores them
 * as strings, because numbers beyond 2^53 would be rounded.
 */
function withNumericIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumericIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === 'message_template_id' && typeof one === 'string' ? rawJSON(one) : withNumericIds(one),
    ]),
  );
}

/** The payload of statuses of one app: one entry per business account, one change per number. */
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

/** The people of statuses other than `failed` ("Business-scoped user IDs": status messages webhooks). */
function contactsOf({ settings, conversations }: State, posts: StatusPost[]): object {
  if (!settings.statusContacts) return {};
  const people = posts
    .filter(({ step }) => step.status !== 'failed')
    .map(({ message: { phoneNumberId, waId, userId: named, wabaId } }) => {
      const userId = named ?? conversations.last(phoneNumberId, { phone: waId })?.userId;
      const person = { ...(waId === '' ? {} : { phone: waId }), ...(userId === undefined ? {} : { userId }) };
      return contactOf(person, wabaId);
    });
  return people.length === 0 ? {} : { contacts: people };
}

function change(state: State, phoneNumberId: string, posts: StatusPost[]): unknown {
  return {
    value: {
      messaging_product: 'whatsapp',
      metadata: {
        display_phone_number: state.numbers.get(phoneNumberId)?.displayPhoneNumber.replace(/\D/g, ''),
        phone_number_id: phoneNumberId,
      },
      ...contactsOf(state, posts),
      statuses: posts.map(({ message, step }) => statusItem(message, step, state.settings)),
    },
    field: 'messages',
  };
}
