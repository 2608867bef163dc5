// Outgoing HTTP: pooled connections, no redirects, timeouts for whole calls, size limits for responses, and the address guard.
import { Readable } from 'node:stream';
import {
  Agent,
  buildConnector,
  type Dispatcher,
  type RequestInit as UndiciRequestInit,
  fetch as undiciFetch,
} from 'undici';
import { afterReading } from '../after-reading.ts';
import { decodeBody, isEncoded } from './coding.ts';
import { abortError, outgoingError } from './error.ts';
import { addressGuard, type GuardRules } from './guard.ts';
import { redactBytes, redactResponse, secretsOf } from './secrets.ts';

export type ResponseHeaders = Record<string, string | string[] | undefined>;

export interface OutgoingRequest {
  method: string;
  url: string | URL;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable;
  /** For the whole call, from waiting for a free connection to the last byte of the response. */
  timeoutMs: number;
  /** Default: 1 MiB for `request`, no limit for `stream`. */
  maxResponseBytes?: number;
  signal?: AbortSignal;
}

export interface OutgoingResponse {
  status: number;
  /** Names are in lower case. */
  headers: ResponseHeaders;
  /** The decoded body, at most `maxResponseBytes`. */
  body: Buffer;
  /** True if the response was longer than `maxResponseBytes`; the rest was not read. */
  truncated: boolean;
  durationMs: number;
}

export interface OutgoingStream {
  status: number;
  headers: ResponseHeaders;
  /** Fails with `OutgoingError` (`timeout`, `too_large`, `reset`, `aborted`). Destroy it to stop early. */
  body: Readable;
}

/**
 * Every call rejects with `OutgoingError` if there is no complete response; any HTTP status is a response. `request` and
 * `stream` redact the request's secrets in the response (`secrets.ts`).
 */
export interface Outgoing {
  request(request: OutgoingRequest): Promise<OutgoingResponse>;
  /** For downloads: resolves when the headers arrive; the timeout covers the whole body. */
  stream(request: OutgoingRequest): Promise<OutgoingStream>;
  /** For vendors' libraries: the same settings and guard, no redirects, with limits for size and time. */
  fetch: typeof globalThis.fetch;
  /** Why a URL may not be called, or undefined. Without a guard, checks only the scheme. */
  checkTarget(url: URL): Promise<string | undefined>;
  /** Closes all connections. Calls in flight fail. */
  close(): Promise<void>;
}

export interface OutgoingOptions {
  /** Null: no limit; the caller must limit its calls. */
  connectionsPerOrigin: number | null;
  keepAliveMs: number;
  connectTimeoutMs?: number;
  /** For `fetch` only. Default 30 s. */
  fetchTimeoutMs?: number;
  /** For `fetch` only, before decoding. Default 10 MiB. */
  fetchMaxResponseBytes?: number;
  guard?: GuardRules;
}

/** Opens a pool of outgoing connections. With `guard`, it connects only to public and allowed addresses. */
export function openOutgoing(options: OutgoingOptions): Outgoing {
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000;
  const guard = options.guard && addressGuard(options.guard, connectTimeoutMs);
  // HTTP/1.1 only: `sent` relies on `onRequestStart` being called directly before the first byte is written
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
        : 'the URL must start with https:// or http://';
    },
    close: async () => {
      await Promise.all([agent.destroy(), fetchAgent.destroy()]);
    },
  };
}

/** Handles the response of a call. Exactly one of `end` and `fail` is called, once. */
interface Sink {
  head(status: number, headers: ResponseHeaders, wire: Dispatcher.DispatchController): void;
  /** Returns false to stop: the connection is then closed, and neither `end` nor `fail` follows. */
  chunk(chunk: Buffer, wire: Dispatcher.DispatchController): boolean;
  end(): void;
  fail(error: Error): void;
}

/** Sends one request and passes its response to `sink`. Returns a function that aborts the call. */
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
  // a call aborted while it waits for a connection is stopped in `onRequestStart`, before anything is written
  const abort = (error: Error) => {
    if (!finish()) return;
    wire?.abort(error);
    sink.fail(error);
  };
  const onAbort = () => abort(abortError('aborted', wire !== undefined, status));
  const onTimeout = () => abort(abortError('timeout', wire !== undefined, status));
  const timer = afterReading(onTimeout, request.timeoutMs);
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) {
    onAbort();
    return abort;
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
        if (over) controller.abort(abortError('aborted', false));
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
        controller.abort(abortError('too_large', true, status));
      },
      onResponseEnd() {
        if (finish()) sink.end();
      },
      onResponseError(_controller, error) {
        if (finish()) sink.fail(outgoingError(error, wire !== undefined, status));
      },
    },
  );
  return abort;
}

function requestOver(agent: Agent, request: OutgoingRequest): Promise<OutgoingResponse> {
  const maxBytes = request.maxResponseBytes ?? 1024 * 1024;
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    let status = 0;
    let headers: ResponseHeaders = {};
    let size = 0;
    const chunks: Buffer[] = [];
    const finish = (truncated: boolean) => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      const durationMs = Math.round(performance.now() - startedAt);
      const answer = (content: Buffer) =>
        resolve(redactResponse(request, { status, headers, body: content, truncated, durationMs }));
      if (truncated || !isEncoded(headers)) answer(body);
      else void decodeBody(headers, body, maxBytes).then(answer);
    };
    exchange(agent, request, {
      head(statusCode, head) {
        status = statusCode;
        headers = head;
      },
      chunk(chunk) {
        const remaining = maxBytes - size;
        size += chunk.length;
        if (chunk.length <= remaining) {
          chunks.push(chunk);
          return true;
        }
        chunks.push(chunk.subarray(0, remaining));
        finish(true);
        return false;
      },
      end: () => finish(false),
      fail: reject,
    });
  });
}

/** Maximum size of an error response that `stream` passes on. */
const errorBodyMaxBytes = 1024 * 1024;

function streamOver(agent: Agent, request: OutgoingRequest): Promise<OutgoingStream> {
  const maxBytes = request.maxResponseBytes ?? Number.POSITIVE_INFINITY;
  return new Promise((resolve, reject) => {
    let body: Readable | undefined;
    let size = 0;
    /** The body of an error response: it is passed on when it is complete, with the request's secrets redacted. */
    let errorChunks: Buffer[] | undefined;
    const abort = exchange(agent, request, {
      head(status, headers, wire) {
        if (status >= 300) errorChunks = [];
        body = new Readable({
          read: () => wire.resume(),
          destroy(error, done) {
            abort(error ?? abortError('aborted', true, status));
            done(error);
          },
        });
        // it may fail before its reader listens; later readers still get the error
        body.on('error', () => {});
        resolve({ status, headers, body });
      },
      chunk(chunk, wire) {
        size += chunk.length;
        if (size > (errorChunks ? Math.min(maxBytes, errorBodyMaxBytes) : maxBytes)) {
          body?.destroy(abortError('too_large', true));
          return false;
        }
        if (errorChunks) errorChunks.push(chunk);
        else if (body?.push(chunk) === false) wire.pause();
        return true;
      },
      end() {
        if (errorChunks) body?.push(redactBytes(Buffer.concat(errorChunks), secretsOf(request)));
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
 * Rejects with `OutgoingError`. fetch does not report whether anything was sent, so `sent` is false only for errors without
 * a connection.
 */
function fetchOver(agent: Agent, timeoutMs: number): typeof globalThis.fetch {
  const call = async (input: string, init?: UndiciRequestInit) => {
    const timer = new AbortController();
    afterReading(() => timer.abort(), timeoutMs).unref();
    const signal = init?.signal ? AbortSignal.any([init.signal, timer.signal]) : timer.signal;
    const redirect = init?.redirect === 'error' ? 'error' : 'manual';
    try {
      return await undiciFetch(input, {
        ...(init as UndiciRequestInit),
        signal,
        redirect,
        dispatcher: agent,
      });
    } catch (error) {
      if (timer.signal.aborted) throw abortError('timeout', true);
      if (signal.aborted) throw abortError('aborted', true);
      const cause = (error as Error).cause ?? error;
      throw outgoingError(cause, !isNeverConnected(cause));
    }
  };
  return call as unknown as typeof globalThis.fetch;
}

function isNeverConnected(cause: unknown): boolean {
  const { kind } = outgoingError(cause, true);
  return (
    ['refused', 'dns', 'tls'].includes(kind) ||
    (cause as { code?: unknown }).code === 'UND_ERR_CONNECT_TIMEOUT'
  );
}
