// Closing connections of strangers who were answered before their body had arrived.
import type { Server } from './request.ts';

/** Long enough for an honest client to read the answer; what it sends until then is discarded. */
const defaultLingerMs = 5_000;

/**
 * Ends the connection of a request without a caller if its body is still incomplete `lingerMs` after the answer. Closing
 * it at once would reset it, and the client could miss the answer; waiting for the body would keep it open for minutes.
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
