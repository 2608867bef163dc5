// Many webhook receivers in one process: quick ones that record arrivals, one that is slow, and one that hangs.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs, serveParent } from './child.ts';

const slowMs = 14_000;

/** Hook and message id → when the event first arrived. */
let arrivals = new Map<string, number>();
let slowEvents = 0;
let waiting: { events: number; resolve: () => void }[] = [];

function note(hook: string, body: Buffer): void {
  const { data } = JSON.parse(body.toString('latin1')) as { data: { id: string } };
  const key = `${hook} ${data.id}`;
  if (arrivals.has(key)) return;
  arrivals.set(key, nowMs());
  for (const waiter of waiting) if (arrivals.size >= waiter.events) waiter.resolve();
}

function handleRequest(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const hook = (req.url ?? '').slice(1);
    const respond = () => res.writeHead(200, { 'content-length': 0 }).end();
    if (hook === 'hangs') return;
    if (hook === 'slow') {
      slowEvents += 1;
      setTimeout(respond, slowMs).unref();
      return;
    }
    note(hook, Buffer.concat(chunks));
    respond();
  });
}

const server = createServer({ keepAliveTimeout: 60_000 }, handleRequest);
const listening = new Promise<string>((resolve) => {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
    resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
});

serveParent({
  url: () => listening,
  clear: () => {
    arrivals = new Map();
    slowEvents = 0;
  },
  /** Arrival times, as soon as `events` have arrived or after `withinMs`, and how many events the slow receiver got. */
  until: async (input: { events: number; withinMs: number }) => {
    let timer: NodeJS.Timeout | undefined;
    if (arrivals.size < input.events) {
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, input.withinMs);
        waiting.push({ events: input.events, resolve });
      });
    }
    clearTimeout(timer);
    waiting = [];
    return { arrivals, slowEvents };
  },
});
