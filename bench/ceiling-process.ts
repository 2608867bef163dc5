// A stand-in for one process of a message's life: the same exchanges over bare undici and node:http, and nothing else.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { nowMs, serveParent } from './child.ts';
import {
  callbackResponse,
  callbacks,
  type Message,
  platformCall,
  platformResponse,
  sendCall,
  sendResponse,
  webhooks,
} from './exchanges.ts';

export interface CeilingInput {
  recipientsPerSend: number;
  sends: number;
  /** Connections of callers, platform calls, callbacks and webhooks. */
  atOnce: number;
  platformConnections: number;
  callbackConnections: number;
  webhookConnections: number;
}

export interface Addresses {
  gateway: string;
  platform: string;
  receiver: string;
}

type Handle = (path: string, respond: (message: Message) => void) => void;

const role = process.argv[2];
const keepAliveMs = 60_000;
let handle: Handle = () => {};
let received = 0;
let expected = 0;
let reached: Promise<number> | undefined;
let onReached: (atMs: number) => void = () => {};

const server = createServer(
  { keepAliveTimeout: keepAliveMs },
  (req: IncomingMessage, res: ServerResponse) => {
    req.on('end', () =>
      handle(req.url ?? '', ({ headers, body }) => {
        res.writeHead(200, { ...headers, 'content-length': body.length });
        res.end(body);
      }),
    );
    req.resume();
  },
);

const listening = new Promise<string>((resolve) => {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
    resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
});

function poolTo(url: string, connections: number): (path: string, message: Message) => Promise<void> {
  const pool = new Pool(url, { connections, pipelining: 1, keepAliveTimeout: keepAliveMs });
  return async (path, { headers, body }) => {
    const response = await pool.request({ method: 'POST', path, headers, body });
    await response.body.dump();
  };
}

/** The gateway's part: a send causes one platform call per recipient, a callback causes a webhook. */
function actGateway(addresses: Addresses, input: CeilingInput): void {
  const toPlatform = poolTo(addresses.platform, input.platformConnections);
  const toReceiver = poolTo(addresses.receiver, input.webhookConnections);
  const responseToSend = sendResponse(input.recipientsPerSend);
  handle = (path, respond) => {
    if (path === '/v1/templates/send') {
      const calls = Array.from({ length: input.recipientsPerSend }, () =>
        toPlatform('/v23.0/30000000001000/messages', platformCall),
      );
      void Promise.all(calls).then(() => respond(responseToSend));
      return;
    }
    respond(callbackResponse);
    void toReceiver('/hooks/bench', webhooks[Number(path.at(-1))] as Message);
  };
}

function actPlatform(addresses: Addresses, input: CeilingInput): void {
  const toGateway = poolTo(addresses.gateway, input.callbackConnections);
  handle = (_path, respond) => {
    respond(platformResponse);
    callbacks.forEach((callback, index) => {
      void toGateway(`/callbacks/messaging/019aa6b2-7c1e-7f6a-9d3b-2f4c5d6e7f8${index}`, callback);
    });
  };
}

const empty: Message = { headers: {}, body: Buffer.alloc(0) };

function actReceiver(): void {
  handle = (_path, respond) => {
    respond(empty);
    received += 1;
    if (received === expected) onReached(nowMs());
  };
}

async function load(addresses: Addresses, input: CeilingInput): Promise<number> {
  const send = poolTo(addresses.gateway, input.atOnce);
  const call = sendCall(input.recipientsPerSend);
  let left = input.sends;
  const began = nowMs();
  const line = async () => {
    while (left-- > 0) await send('/v1/templates/send', call);
  };
  await Promise.all(Array.from({ length: input.atOnce }, line));
  return began;
}

serveParent({
  url: () => listening,
  prepare: ({ addresses, input }: { addresses: Addresses; input: CeilingInput }) => {
    if (role === 'gateway') actGateway(addresses, input);
    else if (role === 'platform') actPlatform(addresses, input);
    else actReceiver();
  },
  /** For the caller: makes all sends, returns when the first one began. */
  load: ({ addresses, input }: { addresses: Addresses; input: CeilingInput }) => load(addresses, input),
  /** For the receiver: sets the expected number of webhooks. */
  expect: ({ count }: { count: number }) => {
    received = 0;
    expected = count;
    reached = new Promise((resolve) => {
      onReached = resolve;
    });
  },
  /** For the receiver: resolves with the time of the last expected webhook. */
  reached: () => reached,
});
