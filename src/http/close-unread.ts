// Limits of unauthenticated connections whose body does not arrive: the time for a body, and for what follows a response.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';
import { sendFailure } from './reply.ts';
import type { Server } from './request.ts';

/** Time for the client to read the response; its remaining body is discarded until then. */
const defaultLingerMs = 5_000;

/**
 * Closes the connection of an unauthenticated request if its body is still incomplete `lingerMs` after the response. Closing
 * it immediately would reset it, and the client could miss the response; waiting for the body could take minutes.
 */
export function closeUnread(server: Server, lingerMs = defaultLingerMs): void {
  server.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request;
    if (!raw.complete && !raw.destroyed && request.caller === undefined) {
      raw.resume();
      const timer = setTimeout(() => {
        if (!raw.complete) raw.socket.destroy();
      }, lingerMs);
      raw.socket.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/** The time for a body of a few KB; the server's own limit for a request is as long as uploads need. */
const bodyTimeoutMs = 10_000;

/** A hook for a route without authentication: responds with 408 to a request whose body is incomplete after `timeoutMs`. */
export const limitBodyTime =
  (timeoutMs = bodyTimeoutMs) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { raw } = request;
    const timer = setTimeout(() => {
      if (raw.complete || reply.sent) return;
      const message = `The body was incomplete after ${timeoutMs / 1000} s. Send the request again.`;
      sendFailure(new AppError('request_timeout', message), request, reply);
    }, timeoutMs);
    raw.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
    done();
  };
