// The worker that keeps lists of contacts sorted and searchable: it reads contacts that changed, and writes what they are listed by.
import { newestId } from '../../base/ids.ts';
import type { Changes } from '../../changes/changes.ts';
import type { Db, Tx } from '../../db/db.ts';
import { type ContactKey, contactKeyText } from '../contacts/contacts-store.ts';
import {
  type Change,
  type ChangedContact,
  deleteListed,
  deleteWords,
  insertWords,
  lockFolding,
  moveListed,
  readChanged,
  takeChanged,
  writeListed,
} from './fold-store.ts';
import { wordsOf } from './words.ts';

export interface FoldDeps {
  hot: Db;
  changes: Pick<Changes, 'note'>;
}

/** Changes of one transaction. */
const foldedPerRound = 2_000;

/**
 * The worker's round. A listed contact who only wrote a message is moved; all others are read again with their messages. Repeating
 * both is safe. Returns how many changes there were if more are left, else 0.
 */
export async function foldConversations({ hot, changes }: FoldDeps, limit = foldedPerRound): Promise<number> {
  const { taken, keys } = await hot.transaction().execute(async (tx) => {
    if (!(await lockFolding(tx))) return { taken: 0, keys: [] };
    const rows = await takeChanged(tx, limit);
    const changes = onePerContact(rows);
    const moves = changes.filter(({ lastId }) => lastId !== null);
    const moved = new Set(moves.length > 0 ? (await moveListed(tx, moves)).map(contactKeyText) : []);
    const keys = changes.filter((change) => !moved.has(contactKeyText(change)));
    if (keys.length > 0) await write(tx, await readChanged(tx, keys));
    return { taken: rows.length, keys: changes };
  });
  for (const { accountId, contactId } of keys) changes.note(accountId, 'contacts', contactId);
  return taken === limit ? taken : 0;
}

/** One change per contact: the newest message, unless something else changed too. */
function onePerContact(rows: readonly Change[]): Change[] {
  const byKey = new Map<string, Change>();
  for (const row of rows) {
    const key = contactKeyText(row);
    const other = byKey.get(key);
    const isNewer = other?.lastId != null && (row.lastId === null || row.lastId > other.lastId);
    if (other === undefined || isNewer) byKey.set(key, row);
  }
  return [...byKey.values()];
}

async function write(tx: Tx, contacts: readonly ChangedContact[]): Promise<void> {
  const wanted = contacts.map((contact) => ({ contact, words: contact.exists ? wordsOf(contact) : [] }));
  const wordsIn = (contact: ContactKey, words: readonly string[], without: readonly string[]) =>
    words.filter((word) => !without.includes(word)).map((word) => ({ ...keyOf(contact), word }));
  const removed = wanted.flatMap(({ contact, words }) => wordsIn(contact, contact.words, words));
  const added = wanted.flatMap(({ contact, words }) => wordsIn(contact, words, contact.words));
  if (removed.length > 0) await deleteWords(tx, removed);
  if (added.length > 0) await insertWords(tx, added);
  const [present, merged] = [
    wanted.filter(({ contact }) => contact.exists),
    contacts.filter((one) => !one.exists),
  ];
  if (merged.length > 0) await deleteListed(tx, merged);
  if (present.length > 0)
    await writeListed(
      tx,
      present.map(({ contact, words }) => ({
        ...keyOf(contact),
        ...{ lastId: newestOf(contact), repliedId: contact.lastReplyId, words },
      })),
    );
}

const keyOf = ({ accountId, contactId }: ContactKey): ContactKey => ({ accountId, contactId });

/** Ids begin with their time. */
const newestOf = ({ lastReceivedId, lastReplyId }: ChangedContact): string | null =>
  newestId([lastReceivedId, lastReplyId]);
