// The only way out over HTTP: pooled connections, no redirects, whole-call time-outs, capped answers, address guard.
import { Readable } from 'node:stream';
import {
  Agent,
  buildConnector,
  type Dispatcher,
  type RequestInit as UndiciRequestInit,
  fetch as undiciFetch,
} from 'undici';
import { decoded, isCoded } from './outgoing-coding.ts';
import { gaveUp, outgoingError } from './outgoing-error.ts';
import { addressGuard, type GuardRules } from './outgoing-guard.ts';
import { cutFromBytes, secretsOf, withoutSecrets } from './outgoing-secrets.ts';

export type ResponseHeaders = Record<string, string | string[] | undefined>;

export interface OutgoingRequest {
  method: string;
  url: string | URL;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable;
  /** For the whole call: waiting for a free connection, connecting, sending, and the last byte of the answer. */
  timeoutMs: number;
  /** Default 1 MiB for `request`, none for `stream`. */
  maxResponseBytes?: number;
  signal?: AbortSignal;
}

export interface OutgoingResponse {
  status: number;
  /** Names in lower case. */
  headers: ResponseHeaders;
  /** At most `maxResponseBytes`, without its content coding. */
  body: Buffer;
  /** True if the answer was longer than `maxResponseBytes`; the rest was not read. */
  truncated: boolean;
  durationMs: number;
}

export interface OutgoingStream {
  status: number;
  headers: ResponseHeaders;
  /** Fails with `OutgoingError` (`timeout`, `too_large`, `reset`, `aborted`); destroy it to stop early. */
  body: Readable;
}

/**
 * Every call rejects with `OutgoingError` when there is no complete answer; any HTTP status is an answer. Answers of
 * `request` and `stream` repeat no secret of theirs (`outgoing-secrets.ts`).
 */
export interface Outgoing {
  request(request: OutgoingRequest): Promise<OutgoingResponse>;
  /** For downloads: resolves at the head of the answer; the time-out runs until the body's last byte. */
  stream(request: OutgoingRequest): Promise<OutgoingStream>;
  /** For vendors' libraries: the same settings and guard, never following redirects, capped and timed. */
  fetch: typeof globalThis.fetch;
  /** Why a URL may not be called, or undefined; without a guard only the scheme is looked at. */
  checkTarget(url: URL): Promise<string | undefined>;
  /** Closes all connections; calls in flight fail. */
  close(): Promise<void>;
}

export interface OutgoingOptions {
  /** Null: no limit; then the caller bounds its calls itself. */
  connectionsPerOrigin: number | null;
  keepAliveMs: number;
  connectTimeoutMs?: number;
  /** For `fetch` alone. Default 30 s. */
  fetchTimeoutMs?: number;
  /** For `fetch` alone, as it comes over the wire. Default 10 MiB. */
  fetchMaxResponseBytes?: number;
  guard?: GuardRules;
}

/** Opens a pool of outgoing connections. With `guard`, only public and allowed addresses are ever connected. */
export function openOutgoing(options: OutgoingOptions): Outgoing {
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000;
  const guard = options.guard && addressGuard(options.guard, connectTimeoutMs);
  // HTTP/1.1 alone: there `onRequestStart` comes directly before the first byte is written, which `sent` rests on.
  const settings = {
    connections: options.connectionsPerOrigin,
    keepAliveTimeout: options.keepAliveMs,
    keepAliveMaxTimeout: options.keepAliveMs,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    connect: guard?.connect ?? buildConnector({ timeout: connectTimeoutMs, allowH2: false }),
  };
  const agent = new Agent(settings);
  const fetchAgent = new Agent({
    ...settings,
    maxResponseSize: options.fetchMaxResponseBytes ?? 10 * 1024 * 1024,
  });
  return {
    request: (request) => requestOver(agent, request),
    stream: (request) => streamOver(agent, request),
    fetch: fetchOver(fetchAgent, options.fetchTimeoutMs ?? 30_000),
    checkTarget: async (url) => {
      if (guard) return guard.checkTarget(url);
      return ['https:', 'http:'].includes(url.protocol)
        ? undefined
        : 'the URL must begin with https:// or http://';
    },
    close: async () => {
      await Promise.all([agent.destroy(), fetchAgent.destroy()]);
    },
  };
}

/** What a call does with its answer. Exactly one of `end` and `fail` is called, once. */
interface Sink {
  head(status: number, headers: ResponseHeaders, wire: Dispatcher.DispatchController): void;
  /** Answers false to say that it has enough: the connection is then given up, and neither `end` nor `fail` follows. */
  chunk(chunk: Buffer, wire: Dispatcher.DispatchController): boolean;
  end(): void;
  fail(error: Error): void;
}

/** Sends one request into a sink. Answers a function that gives the call up. */
function exchange(agent: Agent, request: OutgoingRequest, sink: Sink): (error: Error) => void {
  const url = typeof request.url === 'string' ? new URL(request.url) : request.url;
  let wire: Dispatcher.DispatchController | undefined;
  let status: number | undefined;
  let over = false;

  const finish = (): boolean => {
    if (over) return false;
    over = true;
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
    return true;
  };
  // A call given up while it waits for a connection is stopped in `onRequestStart`, before anything is written.
  const giveUp = (error: Error) => {
    if (!finish()) return;
    wire?.abort(error);
    sink.fail(error);
  };
  const onAbort = () => giveUp(gaveUp('aborted', wire !== undefined, status));
  const timer = setTimeout(() => giveUp(gaveUp('timeout', wire !== undefined, status)), request.timeoutMs);
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) {
    onAbort();
    return giveUp;
  }

  agent.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers ?? null,
      body: request.body ?? null,
    },
    {
      onRequestStart(controller) {
        if (over) controller.abort(gaveUp('aborted', false));
        else wire = controller;
      },
      onResponseStart(controller, statusCode, headers) {
        if (over || statusCode < 200) return;
        status = statusCode;
        sink.head(statusCode, headers as ResponseHeaders, controller);
      },
      onResponseData(controller, chunk) {
        if (over || sink.chunk(chunk, controller)) return;
        finish();
        controller.abort(gaveUp('too_large', true, status));
      },
      onResponseEnd() {
        if (finish()) sink.end();
      },
      onResponseError(_controller, error) {
        if (finish()) sink.fail(outgoingError(error, wire !== undefined, status));
      },
    },
  );
  return giveUp;
}

function requestOver(agent: Agent, request: OutgoingRequest): Promise<OutgoingResponse> {
  const maxBytes = request.maxResponseBytes ?? 1024 * 1024;
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    let status = 0;
    let headers: ResponseHeaders = {};
    let size = 0;
    const chunks: Buffer[] = [];
    const settle = (truncated: boolean) => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      const durationMs = Math.round(performance.now() - startedAt);
      const answer = (content: Buffer) =>
        resolve(withoutSecrets(request, { status, headers, body: content, truncated, durationMs }));
      if (truncated || !isCoded(headers)) answer(body);
      else void decoded(headers, body, maxBytes).then(answer);
    };
    exchange(agent, request, {
      head(statusCode, head) {
        status = statusCode;
        headers = head;
      },
      chunk(chunk) {
        const room = maxBytes - size;
        size += chunk.length;
        if (chunk.length <= room) {
          chunks.push(chunk);
          return true;
        }
        chunks.push(chunk.subarray(0, room));
        settle(true);
        return false;
      },
      end: () => settle(false),
      fail: reject,
    });
  });
}

/** Longest answer that is no success and is told on by `stream`. */
const refusalMaxBytes = 1024 * 1024;

function streamOver(agent: Agent, request: OutgoingRequest): Promise<OutgoingStream> {
  const maxBytes = request.maxResponseBytes ?? Number.POSITIVE_INFINITY;
  return new Promise((resolve, reject) => {
    let body: Readable | undefined;
    let size = 0;
    /** Of an answer that is no success: it is told on when it is whole, without the request's secrets. */
    let refusal: Buffer[] | undefined;
    const giveUp = exchange(agent, request, {
      head(status, headers, wire) {
        if (status >= 300) refusal = [];
        body = new Readable({
          read: () => wire.resume(),
          destroy(error, done) {
            giveUp(error ?? gaveUp('aborted', true, status));
            done(error);
          },
        });
        // It may fail before its reader has begun to listen; readers that come later still meet the error.
        body.on('error', () => {});
        resolve({ status, headers, body });
      },
      chunk(chunk, wire) {
        size += chunk.length;
        if (size > (refusal ? Math.min(maxBytes, refusalMaxBytes) : maxBytes)) {
          body?.destroy(gaveUp('too_large', true));
          return false;
        }
        if (refusal) refusal.push(chunk);
        else if (body?.push(chunk) === false) wire.pause();
        return true;
      },
      end() {
        if (refusal) body?.push(cutFromBytes(Buffer.concat(refusal), secretsOf(request)));
        body?.push(null);
      },
      fail(error) {
        if (body) body.destroy(error);
        else reject(error);
      },
    });
  });
}

/**
 * Rejects with `OutgoingError` like the other two. Of `sent`, fetch tells nothing: it is false only where the kind of
 * failure shows that no connection was ever made.
 */
function fetchOver(agent: Agent, timeoutMs: number): typeof globalThis.fetch {
  const call = async (input: string, init?: UndiciRequestInit) => {
    const timer = AbortSignal.timeout(timeoutMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, timer]) : timer;
    const redirect = init?.redirect === 'error' ? 'error' : 'manual';
    try {
      return await undiciFetch(input, {
        ...(init as UndiciRequestInit),
        signal,
        redirect,
        dispatcher: agent,
      });
    } catch (error) {
      if (timer.aborted) throw gaveUp('timeout', true);
      if (signal.aborted) throw gaveUp('aborted', true);
      const cause = (error as Error).cause ?? error;
      throw outgoingError(cause, !neverConnected(cause));
    }
  };
  return call as unknown as typeof globalThis.fetch;
}

function neverConnected(cause: unknown): boolean {
  const { kind } = outgoingError(cause, true);
  return (
    ['refused', 'dns', 'tls'].includes(kind) ||
    (cause as { code?: unknown }).code === 'UND_ERR_CONNECT_TIMEOUT'
  );
}
