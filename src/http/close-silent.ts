// Connections on which nothing moves: closed, whether their client sends nothing or reads nothing.
import type { Server } from './request.ts';

/** Longer than any operation takes without a byte: a send waits for up to five minutes. */
const defaultSilenceMs = 10 * 60_000;

/**
 * Closes a connection with a request on which neither side got a byte for `silenceMs`. Without it, a client that reads nothing of
 * a long response keeps its connection and file for ever: TCP asks it again and again whether it takes more.
 */
export function closeSilent(server: Server, silenceMs = defaultSilenceMs): void {
  server.server.setTimeout(silenceMs);
}
