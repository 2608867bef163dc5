// The worker that keeps lists of contacts sorted and searchable: it reads contacts that changed, and writes what they are listed by.
import { newestId } from '../../base/ids.ts';
import type { Changes } from '../../changes/changes.ts';
import type { Db, Tx } from '../../db/db.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockFolding } from '../contacts/changed-contacts-store.ts';
import type { ContactKey } from '../contacts/contacts-store.ts';
import {
  type ChangedContact,
  deleteListed,
  deleteWords,
  insertWords,
  readChanged,
  takeChanged,
  writeListed,
} from './fold-store.ts';
import { wordsOf } from './words.ts';

export interface FoldDeps {
  hot: Db;
  changes: Pick<Changes, 'note' | 'heardAccounts'>;
}

/** Changes of one transaction. */
const foldedPerRound = 2_000;

/**
 * The worker's round. A listed contact who only wrote a message is moved; all others are read again with their messages. Repeating
 * both is safe. Returns how many changes there were if more are left, else 0.
 */
export async function foldConversations({ hot, changes }: FoldDeps, limit = foldedPerRound): Promise<number> {
  const heardBefore = changes.heardAccounts();
  // repeated after a deadlock: an erasure of an earlier version locks the words and the row of each contact in turn
  const { taken, heard } = await inTransaction(hot, async (tx) => {
    if (!(await lockFolding(tx))) return { taken: 0, heard: [] };
    const round = await takeChanged(tx, limit, heardBefore);
    if (round.toRead.length > 0) await write(tx, await readChanged(tx, round.toRead));
    return round;
  });
  for (const { accountId, contactId } of heard) changes.note(accountId, 'contacts', contactId);
  // a page that was opened in the meantime may have listed them before this commit
  const isNew = (accountId: string) => !heardBefore.includes(accountId);
  if (taken > 0)
    for (const accountId of changes.heardAccounts().filter(isNew)) changes.note(accountId, 'contacts');
  return taken === limit ? taken : 0;
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
