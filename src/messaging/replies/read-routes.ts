// Route: marks a received message as read.
import { nullable, success } from '../../contract/envelope.ts';
import { ReceivedParams } from '../../contract/received.ts';
import { MarkedRead, MarkReadBody } from '../../contract/replies.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { markContactRead } from '../contacts/contacts-store.ts';
import { identityOf } from '../contacts/identity.ts';
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
      const identity = identityOf({ phone: row.phone, userId: row.user_id });
      if (identity !== null)
        await markContactRead(deps.db, {
          accountId: request.caller.accountId,
          identity,
          at: row.received_at,
        });
      return ok('Message marked as read.', { _id: row.id, messageId: row.message_ref ?? '', typing });
    },
  );
}
