// Configurable faults of a sandbox server: for the next N calls or a share of them, by kind of call.
import type { ServerResponse } from 'node:http';
import { ControlError, sendJson } from './server.ts';

export interface Fault {
  /** Kind of call that it affects, as the server names its kinds; absent: every kind. */
  on?: string;
  /** How many calls it affects; absent: all until it is cleared. */
  times?: number;
  /** Share of calls that it affects, 0 to 1 (default 1). */
  share?: number;
  /** `before` (default): the call has no effect. `after`: it is carried out, and the fault replaces its response. */
  when?: 'before' | 'after';
  /**
   * `answer`: responds with `status`, `headers` and `body` (default: empty) or `page` (HTML, as of a proxy or firewall).
   * `hang`: never responds. `reset`: TCP reset. `close`: closes the connection without a response.
   * `drip`: an endless response, one byte every `ms`. `flood`: an endless response, as fast as it is read.
   * `delay`: waits `ms`, or until the faults are cleared, then handles the call normally. `garbage`: bytes that are not HTTP.
   * `cut`: handles the call normally, and closes the connection in the middle of the response's body.
   */
  does: 'answer' | 'hang' | 'reset' | 'close' | 'drip' | 'delay' | 'flood' | 'garbage' | 'cut';
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  page?: string;
  /** Milliseconds of `delay` and `drip` (default 1000). */
  ms?: number;
}

export interface Faults {
  add(fault: unknown): Fault;
  /** The fault for this call, if any; uses up one of its `times`. */
  take(kind: string): Fault | undefined;
  list(): Fault[];
  /** Removes all faults and ends their delays. */
  clear(): void;
  /** Waits as long as a `delay` says. */
  delay(fault: Fault): Promise<void>;
}

const actions = ['answer', 'hang', 'reset', 'close', 'drip', 'delay', 'flood', 'garbage', 'cut'];

/** An empty list of faults; `kinds` are the values that `on` may have (null: any). */
export function faultList(kinds: readonly string[] | null): Faults {
  let faults: Fault[] = [];
  const waiting = new Set<() => void>();
  return {
    add(given) {
      const fault = { ...(given as Fault) };
      if (!actions.includes(fault.does))
        throw new ControlError(400, `does: must be one of ${actions.join(', ')}`);
      if (fault.on !== undefined && kinds && !kinds.includes(fault.on))
        throw new ControlError(400, `on: must be one of ${kinds.join(', ')}`);
      faults.push(fault);
      return fault;
    },
    take(kind) {
      if (faults.length === 0) return undefined;
      const fault = faults.find((f) => (f.on ?? kind) === kind && Math.random() < (f.share ?? 1));
      if (fault?.times !== undefined && --fault.times <= 0) faults = faults.filter((f) => f !== fault);
      return fault;
    },
    list: () => faults,
    clear: () => {
      faults = [];
      for (const go of waiting) go();
    },
    delay: (fault) =>
      new Promise((resolve) => {
        const go = () => {
          clearTimeout(timer);
          waiting.delete(go);
          resolve();
        };
        const timer = setTimeout(go, fault.ms ?? 1000).unref();
        waiting.add(go);
      }),
  };
}

/** Responds as the fault says. For `delay`, the caller awaits `Faults.delay` itself. */
export function injectFault(res: ServerResponse, fault: Fault): void {
  if (res.destroyed || res.headersSent) return;
  switch (fault.does) {
    case 'answer':
      if (fault.page !== undefined)
        res.writeHead(fault.status ?? 502, { 'content-type': 'text/html', ...fault.headers }).end(fault.page);
      else if (fault.body !== undefined) sendJson(res, fault.status ?? 500, fault.body, fault.headers);
      else res.writeHead(fault.status ?? 500, { 'content-length': 0, ...fault.headers }).end();
      return;
    case 'reset':
      res.socket?.resetAndDestroy();
      return;
    case 'close':
      res.socket?.destroy();
      return;
    case 'drip':
      drip(res, fault);
      return;
    case 'flood':
      flood(res, fault);
      return;
    case 'garbage':
      res.socket?.end('\u0000\u0001 this is not HTTP \r\n\r\n'.repeat(20));
      return;
    case 'cut':
      res.writeHead(fault.status ?? 200, { 'content-length': 100, ...fault.headers });
      res.write('x'.repeat(50), () => res.destroy());
      return;
    default:
  }
}

/** Closes the connection of a response when half of its body was sent. */
export function cutMidway(res: ServerResponse): void {
  res.end = ((body: Buffer | string) => {
    res.write(body.slice(0, Math.ceil(body.length / 2)), () => res.destroy());
    return res;
  }) as ServerResponse['end'];
}

function drip(res: ServerResponse, fault: Fault): void {
  res.writeHead(fault.status ?? 200, { 'content-type': 'text/plain', ...fault.headers });
  res.flushHeaders();
  const timer = setInterval(() => res.write('.'), fault.ms ?? 1000);
  res.on('close', () => clearInterval(timer));
}

const floodChunk = Buffer.alloc(256 * 1024, 'x');

/** Announces 8 GB, and starts to send them. */
function flood(res: ServerResponse, fault: Fault): void {
  res.writeHead(fault.status ?? 200, {
    'content-type': 'text/plain',
    'content-length': 8e9,
    ...fault.headers,
  });
  const writeMore = () => {
    while (!res.destroyed && res.write(floodChunk));
  };
  res.on('drain', writeMore);
  writeMore();
}
