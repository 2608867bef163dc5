// HEAD requests of routes that stream: the headers of the GET, without reading what it would send.
import { Readable } from 'node:stream';
import type { onSendHookHandler } from 'fastify';
import type { Server } from './request.ts';

/** Replaces a stream by an empty one and closes it, as when a caller of the GET disconnects. */
const closeStream: onSendHookHandler = (_request, _reply, payload, done) => {
  if (!(payload instanceof Readable)) return done(null, payload);
  payload.destroy();
  done(null, Readable.from([]));
};

/**
 * Closes the streams of HEAD requests on all routes added from now on. Fastify reads them to their end: an event stream has none, and
 * kept its place among those of its key; an export read every row.
 */
export function closeStreamsOfHead(server: Server): void {
  server.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') route.onSend = [closeStream, ...[route.onSend ?? []].flat()];
  });
}
