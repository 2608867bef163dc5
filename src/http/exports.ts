// Exports as CSV, streamed, one at a time for each key or session. A failure in the middle aborts the connection, so that no client takes a part for the whole.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';

/** The exports of this process by key or session: one at a time. */
export function openExports() {
  const running = new Set<string>();
  return {
    /** Begins an export of a key or session; returns what ends it. Throws 429 `rate_limited` while another one runs. */
    begin(callerId: string): () => void {
      if (running.has(callerId))
        throw new AppError('rate_limited', 'Another export of this key is running. Export one at a time.', {
          retryAfterSeconds: 10,
        });
      running.add(callerId);
      return () => running.delete(callerId);
    },
  };
}

export interface ExportDeps {
  log: Log;
  exports: ReturnType<typeof openExports>;
}

/** Streams an export's lines as a file. */
export function sendExport(
  { log, exports }: ExportDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, lines }: { name: string; lines: () => AsyncIterable<string> },
): FastifyReply {
  const { accountId, kind, id } = request.caller;
  const end = exports.begin(id);
  const body = Readable.from(lines());
  // also after a broken connection: the stream is destroyed then
  body.once('close', end);
  body.once('error', (error) => log.error({ err: error, reqId: request.id }, 'export.failed'));
  log.info({ reqId: request.id, accountId, [`${kind}Id`]: id, file: name }, 'export.begun');
  return reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${name}"`)
    .send(body as never);
}
