// Routes: exports of messages and recipients.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/clock.ts';
import { ExportMessagesQuery } from '../../contract/campaigns.ts';
import { csvFile } from '../../contract/files.ts';
import { SendParams } from '../../contract/sends.ts';
import type { Db } from '../../db/db.ts';
import { type ExportDeps, sendExport } from '../../http/exports.ts';
import type { Server } from '../../http/request.ts';
import { requireSend } from '../messages/find.ts';
import { kindNumber } from '../messages/message.ts';
import { messageLines, recipientLines } from './export.ts';

export interface ExportRoutesDeps extends ExportDeps {
  db: Db;
  clock: Clock;
}

/** GET /v1/sends/:sendId/recipients.csv and GET /v1/messages.csv. */
export function exportRoutes(server: Server, deps: ExportRoutesDeps): void {
  server.get(
    '/v1/sends/:sendId/recipients.csv',
    {
      schema: { params: SendParams, response: { 200: csvFile('The recipients.') } },
      config: { scope: 'messages:read' },
    },
    async (request, reply) => {
      const send = await requireSend(deps, request.caller.accountId, request.params.sendId);
      const lines = () => recipientLines(deps.db, send);
      return sendExport(deps, request as FastifyRequest, reply as FastifyReply, {
        name: `recipients-${send.id}.csv`,
        lines,
      });
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
      return sendExport(deps, request as FastifyRequest, reply as FastifyReply, {
        name: 'messages.csv',
        lines,
      });
    },
  );
}
