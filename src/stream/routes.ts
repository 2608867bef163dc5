// Routes: the event stream.
import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Credential } from '../accounts/authenticate.ts';
import type { Clock } from '../base/clock.ts';
import { eventStream } from '../contract/event-stream.ts';
import type { Server } from '../http/request.ts';
import { type BrowserOrigins, sessionTokenOf } from '../http/session-cookie.ts';
import { lastEventTime } from './frames.ts';
import { type Listeners, lookBackSeconds } from './listeners.ts';
import type { Sink } from './stream.ts';

export interface StreamRoutesDeps {
  clock: Clock;
  listeners: Listeners;
  browserOrigins: () => BrowserOrigins;
}

/** A sink that is full while its reader does not read. */
function sinkOf(body: PassThrough): Sink {
  return {
    write: (text) => body.write(text),
    isFull: () => body.writableNeedDrain,
    end: (text) => void body.end(text),
  };
}

/** What the request was authenticated with. */
function credentialOf(request: FastifyRequest, origins: BrowserOrigins): Credential {
  const key = request.headers['x-api-key'];
  if (key !== undefined) return { key: String(key) };
  const { method, host, headers } = request;
  return { token: sessionTokenOf(origins, { method, host, headers }) ?? '' };
}

/** GET /v1/events/stream. */
export function streamRoutes(server: Server, deps: StreamRoutesDeps): void {
  // at the end of the process the server waits for requests in progress
  server.addHook('preClose', async () => deps.listeners.stop());
  server.get(
    '/v1/events/stream',
    { schema: { response: { 200: eventStream } }, config: { scope: 'any', isEndless: true } },
    async (request, reply) => {
      const { listeners } = deps;
      const { caller } = request;
      listeners.requireRoom(caller);
      const since = lastEventTime(request.headers['last-event-id'], deps.clock.now(), lookBackSeconds);
      const body = new PassThrough();
      const credential = credentialOf(request as FastifyRequest, deps.browserOrigins());
      const close = await listeners.open({ caller, credential, sink: sinkOf(body) }, since);
      body.once('close', close);
      return (reply as FastifyReply)
        .type('text/event-stream; charset=utf-8')
        .header('X-Accel-Buffering', 'no')
        .send(body) as never;
    },
  );
}
