// Mutations of lists of conversations: their order, what is unread, and search.
import type { Mutation } from '../mutation.ts';

const list = 'src/messaging/conversations/list-store.ts';
const fold = 'src/messaging/conversations/fold.ts';
const store = 'src/messaging/conversations/fold-store.ts';
const words = 'src/messaging/conversations/words.ts';
const api = ['test/api/contacts.test.ts'];
const rows = ['test/db/conversations.test.ts'];
const rules = ['test/rules/conversation-words.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a conversation that was just answered is listed as unanswered',
    file: list,
    find: 'sql`(c.last_reply_id is null or c.last_reply_id < v.last_id)`',
    replace: 'sql`true`',
    tests: rows,
  },
  {
    name: 'a conversation that was answered stays unanswered',
    file: store,
    find: 'replied_id = greatest(v.replied_id, excluded.replied_id), ',
    replace: '',
    tests: rows,
  },
  {
    name: 'a window that has closed is listed as open',
    file: list,
    find: 'and ${filter.wroteAfter} < (',
    replace: "and ${filter.wroteAfter} > 'epoch' and '-infinity' < (",
    tests: api,
  },
  {
    name: 'a notice of the platform waits for an answer',
    file: 'src/messaging/conversations/list.ts',
    find: "state === 'unanswered' && row.received_type === 'system'",
    replace: 'false && row === undefined',
    tests: api,
  },
  {
    name: 'conversations that an earlier release changed keep their old place',
    file: 'src/messaging/conversations/missed.ts',
    find: 'await wasSeenWithout(db, recording, hours)',
    replace: 'false',
    tests: rows,
  },
  {
    name: 'replies of an earlier release leave the conversation where it was',
    file: 'src/messaging/conversations/missed.ts',
    find: '(await recordMissedReplies(db, keys)) + ',
    replace: '',
    tests: rows,
  },
  {
    name: 'all contacts are read every hour without an earlier release',
    file: 'src/db/programs.ts',
    find: "seen_at > now() - ${hours ?? 0} * interval '1 hour')",
    replace: 'true)',
    tests: rows,
  },
  {
    name: 'what was answered or read stays unread',
    file: list,
    find: 'where c.read_at is null or n.received_at > c.read_at',
    replace: '',
    tests: api,
  },
  {
    name: 'notices of the platform count as unread',
    file: list,
    find: " and x.type <> 'system'",
    replace: '',
    tests: api,
  },
  {
    name: 'the mark of an older message takes back that of a newer one',
    file: 'src/messaging/contacts/contacts-store.ts',
    find: 'and (c.read_at is null or c.read_at < ${at})',
    replace: '',
    tests: api,
  },
  {
    name: 'a reply leaves the conversation where it was',
    file: fold,
    find: '[lastReceivedId, lastReplyId]',
    replace: '[lastReceivedId]',
    tests: rows,
  },
  {
    name: 'a reply moves the conversation of a listed contact nowhere',
    file: 'src/messaging/replies/store.ts',
    find: 'select account_id, id, null from replied',
    replace: 'select account_id, id, null from replied where false',
    tests: api,
  },
  {
    name: 'a new name is not written if a message came with it',
    file: store,
    find: 'last_id desc nulls first',
    replace: 'last_id desc nulls last',
    tests: rows,
  },
  {
    name: 'a contact that is not listed yet is only moved',
    file: store,
    find: 'where ((account_id, contact_id) in (select account_id, contact_id from moved)) is not true',
    replace: 'where last_id is null',
    tests: rows,
  },
  {
    name: 'a late message moves a conversation down',
    file: store,
    find: 'set last_id = greatest(v.last_id, x.last_id)',
    replace: 'set last_id = x.last_id',
    tests: rows,
  },
  {
    name: 'a reply marks nothing as read',
    file: 'src/messaging/replies/store.ts',
    find: ', read_at = greatest(c.read_at, now())',
    replace: '',
    tests: api,
  },
  {
    name: 'a known person who writes does not move up',
    file: 'src/messaging/contacts/usual-people-store.ts',
    find: 'select account_id, contact_id, last_id from known_people union all ',
    replace: '',
    tests: rows,
  },
  {
    name: 'a person who is new is in no list of conversations',
    file: 'src/messaging/contacts/usual-people-store.ts',
    find: ' union all select a, new_id, null from created`)',
    replace: '`)',
    tests: rows,
  },
  {
    name: 'two processes fold at a time',
    file: store,
    find: 'return rows[0]?.locked ?? false;',
    replace: 'return rows.length > 0;',
    tests: rows,
  },
  {
    name: 'a conversation moves down when its messages are removed',
    file: store,
    find: 'last_id = greatest(v.last_id, excluded.last_id),',
    replace: 'last_id = excluded.last_id,',
    tests: rows,
  },
  {
    name: 'a merged contact keeps its words',
    file: fold,
    find: 'contact.exists ? wordsOf(contact) : []',
    replace: 'contact.exists ? wordsOf(contact) : contact.words',
    tests: rows,
  },
  {
    name: 'a contact that was merged into another is not recorded',
    file: 'src/messaging/contacts/identities-store.ts',
    find: '[contactId, ...others].map((id)',
    replace: '[contactId].map((id)',
    tests: rows,
  },
  {
    name: 'a contact with two words that fit is found twice',
    file: list,
    find: 's.word = (select min(w collate "C") from unnest(v.words) w, unnest(${begins}::text[]) p where starts_with(w, p))',
    replace: 'true',
    tests: rows,
  },
  {
    name: 'the other words of a search are ignored',
    file: list,
    find: 'where not exists (select from unnest(v.words) w where starts_with(w, p))',
    replace: 'where false',
    tests: rows,
  },
  {
    name: 'a search scans any number of words',
    file: list,
    find: 'order by s.word, s.contact_id limit ${limit}) s',
    replace: 'order by s.word, s.contact_id) s',
    tests: rows,
  },
  {
    name: 'two digits are searched in numbers',
    file: words,
    find: 'phone.length < digitsMin',
    replace: 'phone.length < 1',
    tests: rules,
  },
  {
    name: 'a cursor of the newest conversations continues the newest contacts',
    file: 'src/messaging/conversations/list.ts',
    find: 'isByLastMessage ? [isUuid, isOrder(byLastMessage)] : [isUuid]',
    replace: 'isByLastMessage ? [isUuid, () => true] : [isUuid]',
    tests: ['test/api/contact-cursors.test.ts'],
  },
  {
    name: 'a cursor of opt-outs continues the newest conversations',
    file: 'src/messaging/conversations/list.ts',
    find: '[isUuid, isOrder(order)]',
    replace: '[isUuid, () => true]',
    tests: ['test/api/contact-cursors.test.ts'],
  },
];
