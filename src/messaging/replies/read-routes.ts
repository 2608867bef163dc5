// Route: marks a received message as read.
import { nullable, success } from '../../contract/envelope.ts';
import { ReceivedParams } from '../../contract/received.ts';
import { MarkedRead, MarkReadBody } from '../../contract/replies.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { requireReceived } from '../received/routes.ts';
import { type MarkReadDeps, markRead } from './mark-read.ts';

/** POST /v1/messages/received/:id/read. */
export function readRoutes(server: Server, deps: MarkReadDeps): void {
  server.post(
    '/v1/messages/received/:id/read',
    {
      schema: {
        params: ReceivedParams,
        body: nullable(MarkReadBody),
        response: { 200: success(MarkedRead) },
      },
      config: { scope: 'messages:send' },
    },
    async (request) => {
      const row = await requireReceived(deps, request.caller.accountId, request.params.id);
      const typing = request.body?.typing ?? false;
      await markRead(deps, row, typing);
      return ok('Message marked as read.', { _id: row.id, messageId: row.message_ref ?? '', typing });
    },
  );
}
