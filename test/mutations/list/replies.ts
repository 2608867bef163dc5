// Mutations of replies.
import type { Mutation } from '../mutation.ts';

const replies = ['test/api/replies.test.ts'];
const repeats = ['test/api/reply-repeats.test.ts'];
const store = 'src/messaging/replies/store.ts';
const queueReply = 'src/messaging/replies/queue-reply.ts';

export const mutations: Mutation[] = [
  {
    name: 'a reply outside the window is a conflict instead of window_closed',
    file: queueReply,
    find: '!conversation?.is_open',
    replace: '!conversation',
    tests: replies,
  },
  {
    name: 'the statement that stores a reply does not check the window',
    file: store,
    find: 'w.sender_id = ${reply.senderId}\n        and ${closesAt} > now()),',
    replace: 'w.sender_id = ${reply.senderId}),',
    tests: replies,
  },
  {
    name: 'a reply outlives its window',
    file: store,
    find: '::int end, "window".closes_at',
    replace: "::int end, now() + interval '1 day'",
    tests: replies,
  },
  {
    name: 'the dispatch of an expired message begins',
    file: 'src/messaging/messages/sql-store.ts',
    find: ' and m.expires_at > now()',
    replace: '',
    tests: replies,
  },
  {
    name: 'an opt-out from all templates also prevents replies',
    file: 'src/messaging/messages/sql-store.ts',
    find: 'm.kind = ${kindSql.template} and ',
    replace: '',
    tests: replies,
  },
  {
    name: 'a window of one number is open for all numbers',
    file: store,
    find: ' or w.sender_id = ${of.senderId ?? null}::uuid)',
    replace: ' or true)',
    tests: replies,
  },
  {
    name: 'a reply goes to an earlier user id',
    file: queueReply,
    find: 'conversation.user_id ?? to.userId',
    replace: 'to.userId',
    tests: replies,
  },
  {
    name: 'a repeat gets the acceptance of a reply that the platform has not accepted',
    file: 'src/messaging/replies/reply-response.ts',
    find: 'return row?.wamid ? acceptedResponse(row) : undefined;',
    replace: 'return row ? acceptedResponse(row) : undefined;',
    tests: repeats,
  },
  {
    name: 'the repeat of a reply says what was reported since',
    file: 'src/messaging/replies/reply-response.ts',
    find: 'responseOf({ ...row, state: state.accepted, error: null })',
    replace: 'responseOf(row)',
    tests: repeats,
  },
  {
    name: 'a reply stores no idempotency key',
    file: queueReply,
    find: 'if (key && !(await insertKey',
    replace: 'if (false && !(await insertKey',
    tests: repeats,
  },
  {
    name: 'the stages of replies are events of sends',
    file: 'src/messaging/messages/status-events.ts',
    find: 'row.kind === messageKind.reply',
    replace: 'row.kind === -1',
    tests: replies,
  },
  {
    name: 'lists of messages have replies without being asked',
    file: 'src/messaging/messages/message.ts',
    find: "name: MessageKindName | 'all' = 'template'",
    replace: "name: MessageKindName | 'all' = 'all'",
    tests: replies,
  },
  {
    name: 'a queued reply is never claimed',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: 'left join lateral (',
    replace: 'join lateral (',
    tests: replies,
  },
  {
    name: 'a reply has two kinds of content',
    file: 'src/messaging/replies/reply.ts',
    find: 'const problems: Problem[] = others.map(',
    replace: 'const problems: Problem[] = [].map(',
    tests: ['test/rules/reply.test.ts'],
  },
  {
    name: 'a list has more than ten rows in its sections',
    file: 'src/messaging/replies/reply-parts.ts',
    find: 'flat.length > rowsMax',
    replace: 'false',
    tests: ['test/rules/reply.test.ts'],
  },
  {
    name: 'a reply sends a file that was deleted in the meantime',
    file: queueReply,
    find: 'if (publicId !== undefined && (await lockMediaShared',
    replace: 'if (false && publicId !== undefined && (await lockMediaShared',
    tests: ['test/api/reply-kinds.test.ts'],
  },
  {
    name: 'a reply quotes a message of another account',
    file: 'src/messaging/replies/prepare-reply.ts',
    find: 'if (!found || ref === null || ref === undefined) throw messageNotFound();',
    replace: 'if (!found || ref === null || ref === undefined) return { ref: id, person: null };',
    tests: ['test/api/reply-kinds.test.ts'],
  },
  {
    name: 'a failed read mark prevents the reply',
    file: 'src/messaging/replies/mark-read.ts',
    find: "    deps.log.warn({ err: error, accountId }, 'reply.not_marked_read');",
    replace: '    throw error;',
    tests: repeats,
  },
  {
    name: 'a reply is resent although it was resent before',
    file: 'src/messaging/replies/resend-reply.ts',
    find: 'queueReply(deps, request, key, also)',
    replace: 'queueReply(deps, request, key)',
    tests: repeats,
  },
  {
    name: 'a reply quotes a message of another person',
    file: 'src/messaging/replies/prepare-reply.ts',
    find: 'if (quoted?.person && (await isAnother',
    replace: 'if (quoted?.person === "" && (await isAnother',
    tests: ['test/api/reply-kinds.test.ts'],
  },
];
