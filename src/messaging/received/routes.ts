// Routes: inbound messages.
import type { FastifyReply } from 'fastify';
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { idRange } from '../../base/uuid-time.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { anyFile } from '../../contract/files.ts';
import { ListReceivedQuery, ReceivedMessageItem, ReceivedParams } from '../../contract/received.ts';
import type { Db } from '../../db/db.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok, sendBody } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { identitiesWith } from '../contacts/find.ts';
import { openReceivedMedia, type ReceivedMediaDeps } from './open-media.ts';
import { type ReceivedRow, receivedJson } from './presenter.ts';
import { findReceived, listReceived } from './store.ts';

const config = { scope: 'conversations:read' } as const;

/** Sends a success whose data is already JSON: `raw` keeps the platform's own text. */
export function sendJson(reply: FastifyReply, message: string, data: string): FastifyReply {
  const head = JSON.stringify(ok(message, null)).slice(0, -'null}'.length);
  return sendBody(reply, `${head}${data}}`);
}

export type ReceivedRoutesDeps = ReceivedMediaDeps;

/** GET /v1/messages/received, GET /v1/messages/received/:id and its media. */
export function receivedRoutes(server: Server, deps: ReceivedRoutesDeps): void {
  listRoute(server, deps);
  oneRoute(server, deps);
  mediaRoute(server, deps);
}

/** Finds an inbound message of the account. Throws 404 `message_not_found`. */
export async function requireReceived(
  { db }: { db: Db },
  accountId: string,
  id: string,
): Promise<ReceivedRow> {
  const row = isUuid(id) ? await findReceived(db, accountId, id) : undefined;
  if (!row) throw new AppError('message_not_found', 'There is no such received message in this account.');
  return row;
}

function listRoute(server: Server, deps: ReceivedRoutesDeps): void {
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
      const [beforeId] = cursorPosition('received', query.cursor, 1) ?? [];
      const isKnown = query.senderId === undefined || isUuid(query.senderId);
      const people = isKnown ? await identitiesWith(deps.db, accountId, query) : [];
      const { rows, scannedTo } = await listReceived(
        deps.db,
        accountId,
        {
          people,
          senderId: isKnown ? query.senderId : undefined,
          type: query.type,
          ...idRange(query),
          beforeId,
        },
        limit + 1,
      );
      const { items, pagination } = cursorPageOf(
        'received',
        rows,
        limit,
        ({ id }) => [id],
        scannedTo ? [scannedTo] : undefined,
      );
      const data = `{"items":[${items.map((row) => receivedJson(row)).join()}],"pagination":${JSON.stringify(pagination)}}`;
      return sendJson(reply, 'Received messages listed.', data);
    },
  );
}

function oneRoute(server: Server, deps: ReceivedRoutesDeps): void {
  server.get(
    '/v1/messages/received/:id',
    {
      schema: { params: ReceivedParams, response: { 200: success(ReceivedMessageItem) } },
      config,
    },
    async (request, reply) => {
      const row = await requireReceived(deps, request.caller.accountId, request.params.id);
      return sendJson(reply, 'Received message found.', receivedJson(row));
    },
  );
}

function mediaRoute(server: Server, deps: ReceivedRoutesDeps): void {
  server.get(
    '/v1/messages/received/:id/media',
    {
      schema: {
        params: ReceivedParams,
        response: { 200: anyFile('The file.') },
      },
      config,
    },
    async (request, reply) => {
      const row = await requireReceived(deps, request.caller.accountId, request.params.id);
      const { headers, content } = await openReceivedMedia(deps, row);
      return reply.headers(headers).send(content as never);
    },
  );
}
