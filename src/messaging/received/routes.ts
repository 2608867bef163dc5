// Routes: inbound messages.
import type { FastifyReply } from 'fastify';
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { lowestUuidAt } from '../../base/uuid-time.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { ListReceivedQuery, ReceivedMessageItem, ReceivedParams } from '../../contract/received.ts';
import type { Db } from '../../db/db.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { identitiesWith } from '../contacts/find.ts';
import { receivedJson } from './presenter.ts';
import { findReceived, listReceived } from './store.ts';

const config = { scope: 'conversations:read' } as const;

export function receivedNotFound(): AppError {
  return new AppError('message_not_found', 'There is no such received message in this account.');
}

/** Sends a success whose data is already JSON: `raw` keeps the platform's own text. */
export function sendJson(reply: FastifyReply, message: string, data: string): FastifyReply {
  const head = JSON.stringify(ok(message, null)).slice(0, -'null}'.length);
  return reply.type('application/json; charset=utf-8').send(`${head}${data}}`);
}

/** GET /v1/messages/received and GET /v1/messages/received/:id. */
export function receivedRoutes(server: Server, deps: { db: Db }): void {
  server.get(
    '/v1/messages/received',
    {
      schema: {
        querystring: ListReceivedQuery,
        response: { 200: success(cursorPage(ReceivedMessageItem)) },
      },
      config,
    },
    async (request, reply) => {
      const { query } = request;
      const limit = query.limit ?? 20;
      const { accountId } = request.caller;
      const [beforeId] = cursorPosition(query.cursor, 1) ?? [];
      const isKnown = query.senderId === undefined || isUuid(query.senderId);
      const people = isKnown ? await identitiesWith(deps.db, accountId, query) : [];
      const { rows, scannedTo } = await listReceived(
        deps.db,
        accountId,
        {
          people,
          senderId: isKnown ? query.senderId : undefined,
          type: query.type,
          fromId: query.from === undefined ? undefined : lowestUuidAt(new Date(query.from)),
          toId: query.to === undefined ? undefined : lowestUuidAt(new Date(query.to)),
          beforeId,
        },
        limit + 1,
      );
      const { items, pagination } = cursorPageOf(
        rows,
        limit,
        ({ id }) => [id],
        scannedTo ? [scannedTo] : undefined,
      );
      const data = `{"items":[${items.map(receivedJson).join()}],"pagination":${JSON.stringify(pagination)}}`;
      return sendJson(reply, 'Received messages listed.', data);
    },
  );

  server.get(
    '/v1/messages/received/:id',
    {
      schema: { params: ReceivedParams, response: { 200: success(ReceivedMessageItem) } },
      config,
    },
    async (request, reply) => {
      const { id } = request.params;
      const row = isUuid(id) ? await findReceived(deps.db, request.caller.accountId, id) : undefined;
      if (!row) throw receivedNotFound();
      return sendJson(reply, 'Received message found.', receivedJson(row));
    },
  );
}
