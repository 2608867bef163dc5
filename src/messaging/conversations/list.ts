// Lists of contacts: newest first, by their last message, or by what a search finds.
import { invalidRequest } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { type CursorPage, cursorPageOf, cursorPosition, isStorableText } from '../../http/paging.ts';
import { contactsWith, type PersonFilter } from '../contacts/find.ts';
import { type ContactRow, findContacts, listByLastMessage, listContacts, scanWords } from './list-store.ts';
import { searchOf } from './words.ts';

export interface ContactQuery extends PersonFilter {
  search?: string | undefined;
  sort?: '-createdAt' | '-lastMessageAt' | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** A page of contacts of the account. Throws 400 for a malformed cursor, and for a search together with another filter or order. */
export async function pageOfContacts(
  db: Db,
  accountId: string,
  { search, sort, limit, cursor, ...person }: ContactQuery,
): Promise<CursorPage<ContactRow>> {
  const other = Object.entries({ ...person, sort }).find(([, value]) => value !== undefined);
  if (search !== undefined && other)
    throw invalidRequest([
      {
        path: 'search',
        message: `cannot be combined with \`${other[0]}\`: a search has an order of its own`,
      },
    ]);
  if (search !== undefined) return searchContacts(db, accountId, { search, limit, cursor });
  const [beforeId] = cursorPosition(cursor, [isUuid]) ?? [];
  const ids = await contactsWith(db, accountId, person);
  if (ids !== undefined) return cursorPageOf(await findContacts(db, accountId, ids), limit, ({ id }) => [id]);
  if (sort !== '-lastMessageAt') {
    const rows = await listContacts(db, accountId, { beforeId, limit: limit + 1 });
    return cursorPageOf(rows, limit, ({ id }) => [id]);
  }
  const rows = await listByLastMessage(db, accountId, { beforeId, limit: limit + 1 });
  const { items, pagination } = cursorPageOf(rows, limit, ({ last_id }) =>
    last_id === null ? [] : [last_id],
  );
  return { items: items.flatMap((row) => (row.id === null ? [] : { ...row, id: row.id })), pagination };
}

/** Words that one page scans. */
const scannedMax = 1_000;

/** Contacts in the order of the words by which they are found. The scan is bounded, so that no page is slow. */
async function searchContacts(
  db: Db,
  accountId: string,
  { search, limit, cursor }: { search: string; limit: number; cursor: string | undefined },
): Promise<CursorPage<ContactRow>> {
  const [word, contactId] = cursorPosition(cursor, [isStorableText, isUuid]) ?? [];
  const after = word === undefined || contactId === undefined ? undefined : { word, contactId };
  const terms = searchOf(search);
  const scanned =
    terms.prefixes.length === 0 ? [] : await scanWords(db, accountId, terms, { after, limit: scannedMax });
  const last = scanned.length === scannedMax ? scanned.at(-1) : undefined;
  const { items, pagination } = cursorPageOf(
    scanned.filter(({ isFound }) => isFound),
    limit,
    (one) => [one.word, one.contactId],
    last && [last.word, last.contactId],
  );
  const rows = await findContacts(
    db,
    accountId,
    items.map((one) => one.contactId),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { items: items.flatMap((one) => byId.get(one.contactId) ?? []), pagination };
}
