// Closing of unauthenticated connections that got a response before their body was complete.
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
