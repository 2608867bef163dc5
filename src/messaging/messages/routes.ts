// Routes: messages that were sent.
import type { Clock } from '../../base/clock.ts';
import { isUuid } from '../../base/ids.ts';
import { phoneDigits } from '../../base/phone.ts';
import { idRange } from '../../base/uuid-time.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { ListMessagesQuery, MessageDetail, MessageItem, MessageParams } from '../../contract/messages.ts';
import type { Db } from '../../db/db.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { deliveriesOf } from '../../webhooks/publish.ts';
import { failureRoutes } from './failure-routes.ts';
import { messageNotFound, requireSend } from './find.ts';
import { kindNumber, stateNumber } from './message.ts';
import { showMessage, showMessages } from './show.ts';
import { findKeptMessage, findMessage, listMessages } from './store.ts';

/** The entry in `key=value`. */
function entryOf(text: string): { key: string; value: string } {
  const at = text.indexOf('=');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

/** GET /v1/messages, GET /v1/messages/:id, GET /v1/statistics/failures. */
export function messagesRoutes(server: Server, deps: { db: Db; clock: Clock }): void {
  failureRoutes(server, deps);
  server.get(
    '/v1/messages',
    {
      schema: {
        querystring: ListMessagesQuery,
        response: { 200: success(cursorPage(MessageItem)) },
      },
      config: { scope: 'messages:read' },
    },
    async (request) => {
      const { query } = request;
      const limit = query.limit ?? 20;
      const [beforeId] = cursorPosition('messages', query.cursor, 1) ?? [];
      const { accountId } = request.caller;
      const send = query.sendId === undefined ? undefined : await requireSend(deps, accountId, query.sendId);
      // nothing was sent with an unknown template or by an unknown sender
      if ([query.templateId, query.senderId].some((id) => id !== undefined && !isUuid(id)))
        return ok(
          'Messages listed.',
          cursorPageOf<never>('messages', [], limit, () => []),
        );
      const { rows, scannedTo } = await listMessages(
        deps.db,
        accountId,
        {
          send,
          state: query.status === undefined ? undefined : stateNumber(query.status),
          phone: query.phone === undefined ? undefined : phoneDigits(query.phone),
          templateId: query.templateId,
          kind: kindNumber(query.kind),
          senderId: query.senderId,
          name: query.name,
          metadata: query.metadata === undefined ? undefined : entryOf(query.metadata),
          wamid: query.messageId,
          ...idRange(query),
          beforeId,
        },
        limit + 1,
      );
      const items = await showMessages(deps.db, request.caller, rows);
      return ok(
        'Messages listed.',
        cursorPageOf('messages', items, limit, (item) => [item.id], scannedTo ? [scannedTo] : undefined),
      );
    },
  );

  server.get(
    '/v1/messages/:id',
    {
      schema: {
        params: MessageParams,
        response: { 200: success(MessageDetail) },
      },
      config: { scope: 'messages:read' },
    },
    async (request) => {
      const { id } = request.params;
      const { accountId } = request.caller;
      if (!isUuid(id)) throw messageNotFound();
      const row =
        (await findMessage(deps.db, accountId, id)) ?? (await findKeptMessage(deps.db, accountId, id));
      if (!row) throw messageNotFound();
      const deliveries = await deliveriesOf(deps.db, row.account_id, row.id);
      return ok('Message found.', { ...(await showMessage(deps.db, request.caller, row)), deliveries });
    },
  );
}
