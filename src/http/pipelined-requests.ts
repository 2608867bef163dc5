// Pipelined requests: those of one connection are handled one after another, and only so many wait.
import type { Socket } from 'node:net';
import type { Server } from './request.ts';

/** Requests of a connection that wait for earlier ones. Clients that pipeline send a few. */
const waitingMax = 100;

/**
 * Handles a request only when the responses to the earlier ones of its connection were sent, and closes connections on which more
 * than 100 wait. Node begins all of them immediately, and keeps their responses until they can be sent: a packet of a thousand
 * small requests opened a thousand files, or made a thousand large responses. Call it before other hooks of requests.
 */
export function handleInOrder(server: Server): void {
  const waiting = new WeakMap<Socket, number>();
  server.addHook('onRequest', (request, reply, done) => {
    // a response has no socket while an earlier one has it
    if (reply.raw.socket !== null) return done();
    const { socket } = request.raw;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > waitingMax) {
      socket.destroy();
      return;
    }
    reply.raw.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      done();
    });
  });
}
