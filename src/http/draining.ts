// Graceful shutdown of the server: responses close their connections, and accepted requests finish.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from './request.ts';

/** Time for requests to finish after an announced shutdown. */
const announcedGraceMs = 20_000;
/** A connection that sent nothing for this long after listening ended is closed. */
const silentMs = 1_000;
const idleCheckMs = 25;
/** A shorter turn of the event loop handled nothing. */
const idleTurnMs = 0.2;
const idleTurnTimeoutMs = 1_000;

/**
 * While `isDraining` is true, every response closes its connection (`Connection: close`), so that proxies and clients open
 * their next one elsewhere. When the server closes, connections without a request are closed.
 */
export function endConnectionsOnDrain(server: Server, isDraining: () => boolean): void {
  /** Connections that have not sent a request. */
  const unused = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.server.on('request', ({ socket }) => unused.delete(socket));

  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining()) reply.header('Connection', 'close');
    done(null, payload);
  });

  // Node counts a new connection without a request as idle (its own `close` does too), although a request may be on its way
  const { server: listener } = server;
  const closeIdle = listener.closeIdleConnections.bind(listener);
  listener.closeIdleConnections = () => {
    for (const socket of unused) socket.destroy = () => socket;
    closeIdle();
    for (const socket of unused) Reflect.deleteProperty(socket, 'destroy');
  };

  server.addHook('preClose', async () => {
    await idleTurn(listener);
    // close idle connections: the platforms' clients would keep them open for minutes.
    // setImmediate: requests that have already arrived are read first
    const closing = setInterval(() => setImmediate(() => listener.closeIdleConnections()), idleCheckMs);
    const silent = setTimeout(() => {
      for (const socket of unused) socket.destroy();
    }, silentMs);
    listener.once('close', () => {
      clearInterval(closing);
      clearTimeout(silent);
    });
  });
}

/**
 * Resolves after a turn of the event loop without a new connection, or after a second. When a listener closes, the system
 * resets connections that wait to be accepted, so it must close while none waits.
 */
async function idleTurn(listener: Server['server']): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  listener.on('connection', count);
  const until = performance.now() + idleTurnTimeoutMs;
  for (let now = performance.now(); now < until; ) {
    const [before, began] = [accepted, now];
    await new Promise<void>((next) => void setImmediate(next));
    now = performance.now();
    if (accepted === before && now - began < idleTurnMs) break;
  }
  listener.off('connection', count);
}

/** Resolves when `work` does, or after `ms`. */
export const within = (work: Promise<unknown>, ms: number): Promise<unknown> =>
  Promise.race([work, sleep(ms, undefined, { ref: false })]);

/** The shutdown state of a process. `graceMs`: time for requests to finish after an unannounced shutdown. */
export function openShutdown(graceMs: number) {
  let isBegun = false;
  let isAnnounced = false;
  return {
    isBegun: () => isBegun,
    begin() {
      isBegun = true;
    },
    /** Begins, and resolves after `ms`, in which load balancers notice it; 0 announces nothing. */
    async announce(ms: number): Promise<void> {
      if (ms <= 0) return;
      isBegun = true;
      isAnnounced = true;
      await sleep(ms);
    },
    requestsEndWithinMs: () => (isAnnounced ? announcedGraceMs : graceMs),
  };
}
