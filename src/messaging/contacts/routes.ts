// Routes: contacts.
import type { Clock } from '../../base/clock.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import { ContactItem, ListContactsQuery } from '../../contract/received.ts';
import type { Db } from '../../db/db.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { findContacts, listContacts } from './contacts-store.ts';
import { contactsWith } from './find.ts';
import { contactItem } from './presenter.ts';

/** GET /v1/contacts. */
export function contactRoutes(server: Server, deps: { db: Db; clock: Clock }): void {
  server.get(
    '/v1/contacts',
    {
      schema: {
        querystring: ListContactsQuery,
        response: { 200: success(cursorPage(ContactItem)) },
      },
      config: { scope: 'conversations:read' },
    },
    async (request) => {
      const { limit = 20, cursor, ...filter } = request.query;
      const { accountId } = request.caller;
      const [beforeId] = cursorPosition(cursor, 1) ?? [];
      const ids = await contactsWith(deps.db, accountId, filter);
      const rows =
        ids === undefined
          ? await listContacts(deps.db, accountId, { beforeId, limit: limit + 1 })
          : await findContacts(deps.db, accountId, ids);
      const items = rows.map((row) => contactItem(row, deps.clock.now()));
      return ok(
        'Contacts listed.',
        cursorPageOf(items, limit, (item) => [item._id]),
      );
    },
  );
}
