// Shutdown of the server: responses close their connections, and accepted requests finish.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from './request.ts';

/** How long requests may take to end where the end was announced: behind a proxy, and not on a terminal. */
const announcedGraceMs = 20_000;
/** A connection that has sent nothing for this long after the end of listening is closed. */
const silentMs = 1_000;
const lookForIdleMs = 25;
/** A turn of the event loop that is shorter has handled nothing. */
const quietTurnMs = 0.2;
const quietWithinMs = 1_000;

/**
 * From the moment that `isDraining` says so, every answer ends its connection (`Connection: close`), so that proxies and
 * clients open their next one elsewhere. Once the server closes, connections without a request are closed.
 */
export function endConnectionsOnDrain(server: Server, isDraining: () => boolean): void {
  /** Connections that no request came on. */
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

  // Node takes a connection without a request for idle (also its own `close` does), although one may be on its way
  const { server: listener } = server;
  const closeIdle = listener.closeIdleConnections.bind(listener);
  listener.closeIdleConnections = () => {
    for (const socket of unused) socket.destroy = () => socket;
    closeIdle();
    for (const socket of unused) Reflect.deleteProperty(socket, 'destroy');
  };

  server.addHook('preClose', async () => {
    await quietTurn(listener);
    // those whose last answer has gone: the platforms' clients would keep them open for minutes
    // after a look at what has come in: a request that is here already is read before its connection is judged
    const closing = setInterval(() => setImmediate(() => listener.closeIdleConnections()), lookForIdleMs);
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
 * Resolves after a turn of the event loop in which nothing came in, or after a second of turns. The system resets the
 * connections that wait to be accepted when a listener closes, so it has to close in a moment when none does.
 */
async function quietTurn(listener: Server['server']): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  listener.on('connection', count);
  const until = performance.now() + quietWithinMs;
  for (let now = performance.now(); now < until; ) {
    const [before, began] = [accepted, now];
    await new Promise<void>((next) => void setImmediate(next));
    now = performance.now();
    if (accepted === before && now - began < quietTurnMs) break;
  }
  listener.off('connection', count);
}

/** Resolves with the work, or after `ms`. */
export const within = (work: Promise<unknown>, ms: number): Promise<unknown> =>
  Promise.race([work, sleep(ms, undefined, { ref: false })]);

/** What a process that ends says of itself. `graceMs`: how long requests may take to end that nobody announced. */
export function openEnding(graceMs: number) {
  let isBegun = false;
  let isAnnounced = false;
  return {
    isBegun: () => isBegun,
    begin() {
      isBegun = true;
    },
    /** Begins, and resolves after `ms`, in which whoever routes requests can learn of it; 0 announces nothing. */
    async announce(ms: number): Promise<void> {
      if (ms <= 0) return;
      isBegun = true;
      isAnnounced = true;
      await sleep(ms);
    },
    requestsEndWithinMs: () => (isAnnounced ? announcedGraceMs : graceMs),
  };
}
