// The S3 client's request handler on our HTTP client: its pool, its time-outs, no redirects.
import { Readable } from 'node:stream';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';

/** A signed request of the client. */
interface SignedRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number | undefined;
  path: string;
  query?: Record<string, string | string[] | null> | undefined;
  headers: Record<string, string>;
  body?: unknown;
}

/** For one request and its whole response; a file has at most 100 MB. */
const timeoutMs = 300_000;

/** A request handler for `new S3Client({requestHandler})`. */
export function outgoingHandler(outgoing: Outgoing) {
  return {
    async handle(request: SignedRequest, options: { abortSignal?: unknown } = {}) {
      // `host` follows from the address; undici does not support `expect`
      const { host: _host, expect: _expect, Expect: _Expect, ...headers } = request.headers;
      const streamed = await outgoing.stream({
        method: request.method,
        url: urlOf(request),
        headers,
        ...bodyOf(request.body),
        timeoutMs,
        ...(options.abortSignal instanceof AbortSignal ? { signal: options.abortSignal } : {}),
      });
      const { status: statusCode, body } = streamed;
      return { response: { statusCode, headers: plain(streamed.headers), body } };
    },
    // required by the client; this handler takes its settings from the pool
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    destroy() {},
  };
}

function urlOf({ protocol, hostname, port, path, query }: SignedRequest): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) =>
      one === null ? encode(name) : `${encode(name)}=${encode(one)}`,
    ),
  );
  const search = pairs.length > 0 ? `?${pairs.join('&')}` : '';
  return `${protocol}//${hostname}${port ? `:${port}` : ''}${path}${search}`;
}

function bodyOf(body: unknown): { body?: string | Buffer | Readable } {
  if (body === undefined || body === null) return {};
  if (typeof body === 'string' || body instanceof Readable) return { body };
  if (body instanceof Uint8Array) return { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
  throw new Error('The S3 client sent a body of an unsupported type.');
}

function plain(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
