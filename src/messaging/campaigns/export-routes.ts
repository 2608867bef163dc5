// Routes: exports as CSV, streamed. A failure in the middle aborts the connection, so that no client takes a part for the whole.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { csvFile, ExportMessagesQuery } from '../../contract/campaigns.ts';
import { SendParams } from '../../contract/sends.ts';
import type { Db } from '../../db/db.ts';
import type { Server } from '../../http/request.ts';
import { requireSend } from '../sending/find-send.ts';
import { kindNumber } from '../sending/message.ts';
import { messageLines, openExports, recipientLines } from './export.ts';

export interface ExportRoutesDeps {
  db: Db;
  clock: Clock;
  log: Log;
}

/** GET /v1/sends/:sendId/recipients.csv and GET /v1/messages.csv. */
export function exportRoutes(server: Server, deps: ExportRoutesDeps): void {
  const exports = openExports();

  const stream = (
    request: FastifyRequest,
    reply: FastifyReply,
    { name, lines }: { name: string; lines: () => AsyncIterable<string> },
  ): FastifyReply => {
    const end = exports.begin(request.caller.keyId);
    const body = Readable.from(lines());
    // also after a broken connection: the stream is destroyed then
    body.once('close', end);
    body.once('error', (error) => deps.log.error({ err: error, reqId: request.id }, 'export.failed'));
    const { accountId, keyId } = request.caller;
    deps.log.info({ reqId: request.id, accountId, keyId, file: name }, 'export.begun');
    return reply
      .type('text/csv; charset=utf-8')
      .header('Content-Disposition', `attachment; filename="${name}"`)
      .send(body as never);
  };

  server.get(
    '/v1/sends/:sendId/recipients.csv',
    {
      schema: { params: SendParams, response: { 200: csvFile('The recipients.') } },
      config: { scope: 'messages:read' },
    },
    async (request, reply) => {
      const send = await requireSend(deps, request.caller.accountId, request.params.sendId);
      const lines = () => recipientLines(deps.db, send);
      return stream(request, reply as FastifyReply, { name: `recipients-${send.id}.csv`, lines });
    },
  );

  server.get(
    '/v1/messages.csv',
    {
      schema: { querystring: ExportMessagesQuery, response: { 200: csvFile('The messages.') } },
      config: { scope: 'messages:read' },
    },
    async (request, reply) => {
      const { from, to } = request.query;
      const range = {
        from: from ? new Date(from) : undefined,
        to: to ? new Date(to) : undefined,
        kind: kindNumber(request.query.kind),
      };
      const lines = () => messageLines(deps, request.caller.accountId, range);
      return stream(request, reply as FastifyReply, { name: 'messages.csv', lines });
    },
  );
}
