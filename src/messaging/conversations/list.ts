// Lists of contacts: newest first, by their last message, or by what a search finds.
import { invalidRequest } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { lowestUuidAt } from '../../base/uuid-time.ts';
import type { Db } from '../../db/db.ts';
import { type CursorPage, cursorPageOf, cursorPosition, isOrder, isStorableText } from '../../http/paging.ts';
import { contactsWith, type PersonFilter } from '../contacts/find.ts';
import { windowMs } from '../contacts/window.ts';
import {
  type ContactRow,
  findContacts,
  type ListedRow,
  listByLastMessage,
  listContacts,
  listFiltered,
  listOptedOut,
  scanWords,
} from './list-store.ts';
import { searchOf } from './words.ts';

export interface ContactQuery extends PersonFilter {
  search?: string | undefined;
  state?: 'window_open' | 'unanswered' | 'opted_out' | undefined;
  sort?: '-createdAt' | '-lastMessageAt' | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** What decides the order of contacts, and the names of orders in cursors; the default order has none. */
const orderedBy = ['`sort`', '`state`', '`search`'];
const byLastMessage = '-lastMessageAt';
const byOptOut = '-optedOutAt';

/**
 * A page of contacts of the account at `nowMs`. Throws 400 for a malformed cursor or one of another order, and for a search or a state together with another filter
 * or order.
 */
export async function pageOfContacts(
  db: Db,
  accountId: string,
  { search, state, sort, limit, cursor, ...person }: ContactQuery,
  nowMs: number,
): Promise<CursorPage<ContactRow>> {
  const alone = search !== undefined ? 'search' : state !== undefined ? 'state' : undefined;
  const others = alone === 'search' ? { ...person, state, sort } : { ...person, sort };
  const other = Object.entries(others).find(([, value]) => value !== undefined);
  if (alone && other)
    throw invalidRequest([
      { path: alone, message: `cannot be combined with \`${other[0]}\`: it has an order of its own` },
    ]);
  if (state !== undefined) return contactsIn(db, accountId, { state, limit, cursor }, nowMs);
  if (search !== undefined) return searchContacts(db, accountId, { search, limit, cursor });
  const isByLastMessage = sort === byLastMessage;
  const parts = isByLastMessage ? [isUuid, isOrder(byLastMessage)] : [isUuid];
  const [beforeId] = cursorPosition('contacts', cursor, parts, orderedBy) ?? [];
  const ids = await contactsWith(db, accountId, person);
  if (ids !== undefined)
    return cursorPageOf('contacts', await findContacts(db, accountId, ids), limit, ({ id }) => [id]);
  if (!isByLastMessage) {
    const rows = await listContacts(db, accountId, { beforeId, limit: limit + 1 });
    return cursorPageOf('contacts', rows, limit, ({ id }) => [id]);
  }
  return pageByLastMessage(await listByLastMessage(db, accountId, { beforeId, limit: limit + 1 }), limit);
}

/** Contacts in a state: by their last message, or those that opted out by the opt-out, newest first. */
async function contactsIn(
  db: Db,
  accountId: string,
  {
    state,
    limit,
    cursor,
  }: { state: NonNullable<ContactQuery['state']>; limit: number; cursor: string | undefined },
  nowMs: number,
): Promise<CursorPage<ContactRow>> {
  const order = state === 'opted_out' ? byOptOut : byLastMessage;
  const [beforeId] = cursorPosition('contacts', cursor, [isUuid, isOrder(order)], orderedBy) ?? [];
  const page = { beforeId, limit: limit + 1 };
  if (state === 'opted_out')
    return cursorPageOf('contacts', await listOptedOut(db, accountId, page), limit, (row) => [
      row.opt_out_id,
      byOptOut,
    ]);
  const wroteAfter = new Date(nowMs - windowMs);
  const filter = state === 'unanswered' ? state : { wroteAfter, fromId: lowestUuidAt(wroteAfter) };
  const rows = await listFiltered(db, accountId, filter, page);
  // a notice of the platform asks for no answer
  const isNotice = (row: ListedRow) => state === 'unanswered' && row.received_type === 'system';
  return pageByLastMessage(
    rows.map((row) => (isNotice(row) ? { ...row, id: null } : row)),
    limit,
  );
}

/** A page of rows, without those that left the list a moment ago. */
function pageByLastMessage(rows: ListedRow[], limit: number): CursorPage<ContactRow> {
  const { items, pagination } = cursorPageOf('contacts', rows, limit, ({ last_id }) =>
    last_id === null ? [] : [last_id, byLastMessage],
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
  const [word, contactId] = cursorPosition('contacts', cursor, [isStorableText, isUuid], orderedBy) ?? [];
  const after = word === undefined || contactId === undefined ? undefined : { word, contactId };
  const terms = searchOf(search);
  const scanned =
    terms.prefixes.length === 0 ? [] : await scanWords(db, accountId, terms, { after, limit: scannedMax });
  const last = scanned.length === scannedMax ? scanned.at(-1) : undefined;
  const { items, pagination } = cursorPageOf(
    'contacts',
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
