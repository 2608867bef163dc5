// Route: the messages from and to a contact.
import { isUuid } from '../../base/ids.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { ContactMessage, ContactMessagesQuery, ContactParams } from '../../contract/received.ts';
import type { Db } from '../../db/db.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import type { Server } from '../../http/request.ts';
import { contactNotFound } from '../contacts/find.ts';
import { identitiesOfContact } from '../contacts/identities-store.ts';
import { namesOf } from '../contacts/identity.ts';
import { showMessages } from '../messages/show.ts';
import { listMessagesTo } from '../messages/store.ts';
import { receivedJson } from '../received/presenter.ts';
import { sendJson } from '../received/routes.ts';
import { listReceived } from '../received/store.ts';

/** GET /v1/contacts/:id/messages. */
export function contactHistoryRoutes(server: Server, { db }: { db: Db }): void {
  server.get(
    '/v1/contacts/:id/messages',
    {
      schema: {
        params: ContactParams,
        querystring: ContactMessagesQuery,
        response: { 200: success(cursorPage(ContactMessage)) },
      },
      config: { scope: 'conversations:read' },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const { id } = request.params;
      const limit = request.query.limit ?? 20;
      const [beforeId] = cursorPosition('contact-messages', request.query.cursor, 1) ?? [];
      const identities = isUuid(id) ? await identitiesOfContact(db, accountId, id) : [];
      if (identities.length === 0) throw contactNotFound();
      const people = identities.map(({ identity }) => identity);
      const [received, sent] = await Promise.all([
        listReceived(db, accountId, { people, beforeId }, limit + 1),
        listMessagesTo(db, accountId, { ...namesOf(people), beforeId }, limit + 1),
      ]);
      const messages = await showMessages(db, request.caller, sent);
      const rows = [
        ...received.rows.map((row) => ({
          id: row.id,
          json: `{"direction":"received","received":${receivedJson(row)},"message":null}`,
        })),
        ...messages.map((message) => ({
          id: message.id,
          json: JSON.stringify({ direction: 'sent', received: null, message }),
        })),
        // ids start with the time
      ].sort((a, b) => (a.id < b.id ? 1 : -1));
      const { items, pagination } = cursorPageOf('contact-messages', rows, limit, (row) => [row.id]);
      const data = `{"items":[${items.map(({ json }) => json).join()}],"pagination":${JSON.stringify(pagination)}}`;
      return sendJson(reply, 'Messages listed.', data);
    },
  );
}
