// Routes: contacts with their conversations and messages.
import type { Clock } from '../../base/clock.ts';
import { isUuid } from '../../base/ids.ts';
import { ContactItem, ListContactsQuery } from '../../contract/contacts.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { ContactParams } from '../../contract/received.ts';
import type { Db } from '../../db/db.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { contactNotFound } from '../contacts/find.ts';
import { contactHistoryRoutes } from './history-routes.ts';
import { pageOfContacts } from './list.ts';
import { findContacts } from './list-store.ts';
import { contactItem } from './presenter.ts';

const config = { scope: 'conversations:read' } as const;

/** GET /v1/contacts, GET /v1/contacts/:id and GET /v1/contacts/:id/messages. */
export function conversationRoutes(server: Server, deps: { db: Db; hot: Db; clock: Clock }): void {
  const { hot, clock } = deps;
  contactHistoryRoutes(server, deps);
  server.get(
    '/v1/contacts',
    {
      schema: {
        querystring: ListContactsQuery,
        response: { 200: success(cursorPage(ContactItem)) },
      },
      config,
    },
    async ({ caller, query }) => {
      const { limit = 20, ...filter } = query;
      const now = clock.now();
      const { items, pagination } = await pageOfContacts(hot, caller.accountId, { ...filter, limit }, now);
      return ok('Contacts listed.', { items: items.map((row) => contactItem(row, now)), pagination });
    },
  );
  server.get(
    '/v1/contacts/:id',
    { schema: { params: ContactParams, response: { 200: success(ContactItem) } }, config },
    async ({ caller, params: { id } }) => {
      const [row] = isUuid(id) ? await findContacts(hot, caller.accountId, [id]) : [];
      if (!row) throw contactNotFound();
      return ok('Contact found.', contactItem(row, clock.now()));
    },
  );
}
