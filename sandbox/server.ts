// The parts that all sandbox servers share: listening on loopback, JSON bodies and responses, control APIs.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running server of the sandbox. */
export interface RunningServer {
  /** Its base address, such as `http://127.0.0.1:40123`, without a slash at the end. */
  url: string;
  /** Stops it and cuts open calls. Its state is on disk when this resolves. */
  close(): Promise<void>;
}

/** Start options of every sandbox server. */
export interface ServerOptions {
  /** TCP port on 127.0.0.1; 0 or absent: any free one. */
  port?: number;
  /** Folder that stores the state; null or absent: in memory only. */
  dir?: string | null;
}

/** Starts a `node:http` server on loopback only; `port` 0 takes any free one. Rejects if the port is taken. */
export function listen(handle: RequestListener, port = 0): Promise<RunningServer> {
  const server = createServer({ keepAlive: true, keepAliveTimeout: 60_000, requestTimeout: 0 }, handle);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog: 1024 }, () => {
      server.off('error', reject);
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

/** Reads a whole request body; null if it is longer than `maxBytes` or the caller disconnected. */
export function readBody(req: IncomingMessage, maxBytes = 10_000_000): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    });
    req.on('end', () =>
      resolve(size > maxBytes ? null : chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
    req.on('error', () => resolve(null));
    req.on('close', () => resolve(null));
  });
}

/** Responds with JSON, unless the caller has disconnected or a response was already sent. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): void {
  if (res.headersSent || res.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers });
  res.end(bytes);
}

/** A control call that cannot be carried out; the response is `{error}` with its status. */
export class ControlError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Handles a call of a control API: reads the JSON body, runs `act`, responds with its result (`{}` for none).
 * Accepts loopback callers with a loopback `Host` only, so that no web page can reach it by DNS rebinding.
 */
export async function handleControl(
  req: IncomingMessage,
  res: ServerResponse,
  act: (body: unknown) => unknown,
): Promise<void> {
  try {
    if (!isLoopback(req)) throw new ControlError(403, 'the control API is for loopback callers only');
    const bytes = await readBody(req, 50_000_000);
    const body = bytes === null || bytes.length === 0 ? undefined : parseJson(bytes);
    sendJson(res, 200, (await act(body)) ?? {});
  } catch (error) {
    const status = error instanceof ControlError ? error.status : 500;
    sendJson(res, status, { error: error instanceof Error ? error.message : String(error) });
  }
}

/** A route of a control API: its method, its path below `/sandbox/`, and its handler. */
export type ControlRoute<Request extends ControlRequest> = readonly [
  method: string,
  path: RegExp,
  handle: (request: Request) => unknown,
];

/** The request of a control call. */
export interface ControlRequest {
  body: Record<string, unknown>;
  query: URLSearchParams;
  /** The variable part of the path. */
  id: string;
}

/** Handles a call of a control API by the first matching route, which also gets `on`; 404 if none matches. */
export function routeControl<On extends object>(
  routes: ReadonlyArray<ControlRoute<On & ControlRequest>>,
  on: On,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  return handleControl(req, res, (given) => {
    const url = new URL(req.url ?? '', 'http://sandbox');
    const path = url.pathname.slice('/sandbox/'.length);
    for (const [method, pattern, act] of routes) {
      const match = method === req.method ? pattern.exec(path) : null;
      if (!match) continue;
      const body = (given ?? {}) as Record<string, unknown>;
      return act({ ...on, body, query: url.searchParams, id: decodeURIComponent(match[1] ?? '') });
    }
    throw new ControlError(404, `no such control call: ${req.method} ${url.pathname}`);
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ControlError(400, 'the body is not JSON');
  }
}

const loopbackHost = /^(127(\.\d+){3}|localhost|\[::1\])(:\d+)?$/i;

function isLoopback(req: IncomingMessage): boolean {
  const from = req.socket.remoteAddress ?? '';
  const near = from.startsWith('127.') || from === '::1' || from.startsWith('::ffff:127.');
  return near && loopbackHost.test(req.headers.host ?? '') && req.headers.origin === undefined;
}
