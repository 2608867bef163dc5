// The client of Chatbot Gateway: one method for each operation, with retries, pages and typed errors.
import { failureOf, GatewayConnectionError, GatewayError } from './errors.ts';
import { type Operations, operations } from './generated.ts';
import { PageList } from './pages.ts';
import { delayMs, isRepeatable, mayHaveActed, wait } from './retries.ts';

export interface ClientOptions {
  /** URL of the gateway, such as `https://gateway.example.com`. */
  baseUrl: string;
  /** Omit it in a page that is signed in with a session's cookie. */
  apiKey?: string;
  /** Headers of every request. */
  headers?: Record<string, string>;
  /** Retries after the first attempt. Default: 4. */
  retries?: number;
  /** Time limit of each attempt, in milliseconds. Default: 60,000. Uploads have at least 300,000. */
  timeoutMs?: number;
  /** A replacement for the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** A UUID. Default: a new one for each call that takes one. Use your own to repeat a call after a crash. */
  idempotencyKey?: string;
  /** Additional request headers, such as `Prefer: respond-async`. */
  headers?: Record<string, string>;
  /** Aborts the call; afterwards also the body of a file or stream that it returned. */
  signal?: AbortSignal;
  retries?: number;
  /** Time limit of each attempt, in milliseconds, also of an upload. */
  timeoutMs?: number;
}

type Input = Record<string, unknown> & { body?: unknown };

interface Call {
  method: string;
  url: string;
  flags: Set<string>;
  headers: Record<string, string>;
  body: string | Blob | FormData | undefined;
  /** What a deletion by id returns. */
  deleted: Record<string, unknown> | undefined;
  options: CallOptions;
}

const uploadTimeoutMs = 300_000;

function newUuid(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?: () => string } };
  if (crypto?.randomUUID) return crypto.randomUUID();
  // Node 18 has no global crypto; a key must be unique, not secret
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () =>
    Math.floor(Math.random() * 16).toString(16),
  );
}

function formOf(body: Record<string, unknown>): FormData {
  const form = new FormData();
  // the gateway reads the fields that precede the file
  const entries = Object.entries(body).sort(
    ([, a], [, b]) => Number(a instanceof Blob) - Number(b instanceof Blob),
  );
  for (const [name, value] of entries) {
    if (value instanceof Blob) form.append(name, value, (value as { name?: string }).name ?? 'file');
    else if (value !== undefined) form.append(name, String(value));
  }
  return form;
}

/** True if the gateway reported that the named object does not exist. */
const isMissing = (error: unknown): boolean =>
  error instanceof GatewayError && error.status === 404 && error.code.endsWith('_not_found');

class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Calls an operation by its name. The methods of the client do the same, with types. */
  request(name: keyof Operations, input: Input = {}, options: CallOptions = {}): unknown {
    const [method = '', path = '', ...flags] = operations[name].split(' ');
    const set = new Set(flags);
    const run = (more: Input) =>
      this.#run(this.#call({ method, path, flags: set }, { ...input, ...more }, options));
    return set.has('list') ? new PageList(run, input) : run({});
  }

  #call(
    { method, path, flags }: { method: string; path: string; flags: Set<string> },
    { body, ...named }: Input,
    options: CallOptions,
  ): Call {
    const query = new URLSearchParams();
    const literal = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
      const value = named[name];
      if (value === undefined || value === '') throw new TypeError(`${name} is missing`);
      return encodeURIComponent(String(value));
    });
    for (const [name, value] of Object.entries(named))
      if (value !== undefined && !path.includes(`{${name}}`)) query.set(name, String(value));
    const search = query.size === 0 ? '' : `?${query}`;
    const isForm = flags.has('form');
    const isFile = flags.has('csv') && (typeof body === 'string' || body instanceof Blob);
    const deleted = [...flags].find((flag) => flag.startsWith('deleted:'))?.slice('deleted:'.length);
    const idName = /\{(\w+)\}$/.exec(path)?.[1] ?? '';
    const type = isFile ? (body instanceof Blob && body.type) || 'text/csv' : 'application/json';
    return {
      method,
      url: `${this.#options.baseUrl.replace(/\/+$/, '')}${literal}${search}`,
      flags,
      options,
      deleted: deleted === undefined ? undefined : { [deleted]: named[idName] },
      headers: {
        ...(this.#options.apiKey === undefined ? {} : { 'X-API-Key': this.#options.apiKey }),
        ...this.#options.headers,
        ...(body === undefined || isForm ? {} : { 'Content-Type': type }),
        ...(flags.has('key') ? { 'Idempotency-Key': options.idempotencyKey ?? newUuid() } : {}),
        ...options.headers,
      },
      body:
        body === undefined
          ? undefined
          : isForm
            ? formOf(body as Record<string, unknown>)
            : isFile
              ? body
              : JSON.stringify(body),
    };
  }

  async #run(call: Call): Promise<unknown> {
    const { signal } = call.options;
    const retries = call.options.retries ?? this.#options.retries ?? 4;
    let mayBeDone = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(call);
      } catch (error) {
        // an earlier attempt deleted it, and its response was lost
        if (mayBeDone && call.deleted && isMissing(error)) return call.deleted;
        mayBeDone ||= mayHaveActed(error);
        if (signal?.aborted || attempt >= retries || !isRepeatable(error, call)) throw error;
        const ms = delayMs(error, attempt);
        if (ms === undefined) throw error;
        await wait(ms, signal);
      }
    }
  }

  async #attempt({ method, url, flags, headers, body, options }: Call): Promise<unknown> {
    const generalMs = this.#options.timeoutMs ?? 60_000;
    const isUpload = flags.has('form') || flags.has('csv');
    const limitMs = options.timeoutMs ?? (isUpload ? Math.max(generalMs, uploadTimeoutMs) : generalMs);
    const controller = new AbortController();
    const abort = () => controller.abort(options.signal?.reason);
    if (options.signal?.aborted) abort();
    options.signal?.addEventListener('abort', abort, { once: true });
    const expire = () =>
      controller.abort(new DOMException(`no response within ${limitMs} ms`, 'TimeoutError'));
    const timer = setTimeout(expire, limitMs);
    let isBodyOpen = false;
    try {
      const send = this.#options.fetch ?? globalThis.fetch;
      const init = { method, headers, signal: controller.signal, ...(body === undefined ? {} : { body }) };
      const response = await send(url, init);
      isBodyOpen = response.ok && flags.has('file');
      if (isBodyOpen) return response;
      const text = await response.text();
      if (response.ok) return JSON.parse(text).data;
      throw failureOf(response, text);
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      if (options.signal?.aborted) throw options.signal.reason;
      const reason = controller.signal.aborted ? controller.signal.reason : cause;
      const message = `${method} ${url}: ${(reason as Error).message}`;
      throw new GatewayConnectionError(message, { cause: reason, method });
    } finally {
      clearTimeout(timer);
      if (!isBodyOpen) options.signal?.removeEventListener('abort', abort);
    }
  }
}

for (const name of Object.keys(operations) as (keyof Operations)[]) {
  Object.defineProperty(Client.prototype, name, {
    value(this: Client, input?: Input, options?: CallOptions) {
      return this.request(name, input, options);
    },
  });
}

/** A client of the gateway at `baseUrl`: one method for each operation. */
export type ChatbotGateway = Client & Operations;
export const ChatbotGateway = Client as unknown as new (options: ClientOptions) => ChatbotGateway;

// biome-ignore lint/performance/noBarrelFile: the entry of the package
export { GatewayConnectionError, GatewayError, isGatewayError } from './errors.ts';
export type * from './generated.ts';
export type { Pages } from './pages.ts';
export { WebhookVerificationError } from './webhook-parts.ts';
export { verifySignatureAsync, verifyWebhookAsync } from './webhooks-async.ts';
