// A minimal webhook receiver that counts valid signatures, repeats and stages out of order, and records arrival times.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs, serveParent } from './child.ts';

const positions: Record<string, number> = { sent: 0, delivered: 1, read: 2 };
const stageCount = 3;
const keepAliveMs = 60_000;

const secrets = new Map<string, string>();
/** Hook and message id → when each stage first arrived. */
let arrivals = new Map<string, number[]>();
let counts = emptyCounts();
let waiting: { stages: number; resolve: () => void }[] = [];

function emptyCounts() {
  return {
    requests: 0,
    stages: 0,
    complete: 0,
    repeated: 0,
    outOfOrder: 0,
    badSignature: 0,
    other: 0,
    bytes: 0,
    lastAtMs: 0,
  };
}

interface Event {
  event: string;
  data: { id?: string; _id?: string; status?: string };
}

function receive(hook: string, signature: string | undefined, body: Buffer): number {
  const at = nowMs();
  counts.requests += 1;
  counts.bytes += body.length;
  const right = createHmac('sha256', secrets.get(hook) ?? '')
    .update(body)
    .digest('hex');
  if (signature !== `sha256=${right}`) {
    counts.badSignature += 1;
    return 401;
  }
  const event = JSON.parse(body.toString('latin1')) as Event;
  // an inbound message has one event
  const isReceived = event.event === 'messages.received';
  const place = isReceived ? 0 : positions[event.data.status ?? ''];
  const id = isReceived ? event.data._id : event.data.id;
  if (id === undefined || place === undefined) {
    counts.other += 1;
    return 200;
  }
  const key = `${hook}/${id}`;
  const known = arrivals.get(key) ?? [];
  arrivals.set(key, known);
  if (known[place] !== undefined) {
    counts.repeated += 1;
    return 200;
  }
  if (place > 0 && known[place - 1] === undefined) counts.outOfOrder += 1;
  known[place] = at;
  counts.stages += 1;
  counts.lastAtMs = at;
  if (place === stageCount - 1) counts.complete += 1;
  for (const waiter of waiting) if (counts.stages >= waiter.stages) waiter.resolve();
  return 200;
}

function handleRequest(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const status = receive(
      (req.url ?? '').slice('/hooks/'.length),
      req.headers['x-webhook-signature'] as string,
      body,
    );
    res.writeHead(status, { 'content-length': 0 }).end();
  });
}

const server = createServer({ keepAliveTimeout: keepAliveMs }, handleRequest);
const listening = new Promise<string>((resolve) => {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
    resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
});

export type ReceiverCounts = ReturnType<typeof emptyCounts>;

serveParent({
  url: () => listening,
  secret: (input: { hook: string; secret: string }) => void secrets.set(input.hook, input.secret),
  /** Clears all records. */
  clear: () => {
    arrivals = new Map();
    counts = emptyCounts();
  },
  counts: () => counts,
  /** Returns the counts as soon as `stages` have arrived, or after `withinMs`. */
  until: async (input: { stages: number; withinMs: number }) => {
    if (counts.stages < input.stages) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, input.withinMs);
        waiting.push({ stages: input.stages, resolve });
      });
      clearTimeout(timer);
      waiting = [];
    }
    return counts;
  },
  /** Arrival times of the stages of messages whose id has this ending; of several hooks, those of the last. */
  times: (input: { ending: string }) =>
    new Map(
      [...arrivals]
        .filter(([key]) => key.endsWith(input.ending))
        .map(([key, times]) => [key.slice(key.indexOf('/') + 1), times]),
    ),
});
