// The points of a message's life at which the campaign can kill a gateway, each with a name and a meaning. Pure.

/** Before or after a statement, a commit or a call. */
export type Moment = 'before' | 'after';

export interface Point {
  name: string;
  /** What has happened at this point, and what has not. */
  meaning: string;
  at: /** A statement by the name in the comment that it begins with. */
    | { statement: string; when: Moment }
    /** The commit of the transaction that contains this statement. */
    | { commitOf: string; when: Moment }
    /** A call to the platform for a message, or to a receiver. */
    | { call: 'platform' | 'receiver'; when: Moment };
}

/** In the order of a message's life. */
export const points: readonly Point[] = [
  {
    name: 'write-before',
    meaning: 'sends of one or more requests are about to be written with their keys, in one statement',
    at: { statement: 'insertSends', when: 'before' },
  },
  {
    name: 'write-after',
    meaning:
      'the sends of a statement are committed, the messages of small ones as dispatching; nothing called, no response sent',
    at: { statement: 'insertSends', when: 'after' },
  },
  {
    name: 'claim-after',
    meaning: 'left-over messages are claimed, none called',
    at: { statement: 'claimDue', when: 'after' },
  },
  {
    name: 'dispatch-before',
    meaning: 'the dispatch of messages is about to begin',
    at: { statement: 'beginDispatch', when: 'before' },
  },
  {
    name: 'dispatch-after',
    meaning: 'messages are dispatching, not called',
    at: { statement: 'beginDispatch', when: 'after' },
  },
  {
    name: 'call-before',
    meaning: 'a call is handed to the connection',
    at: { call: 'platform', when: 'before' },
  },
  {
    name: 'call-after',
    meaning: 'the platform responded, nothing is recorded',
    at: { call: 'platform', when: 'after' },
  },
  {
    name: 'record-before',
    meaning: 'accepted messages are about to be recorded',
    at: { statement: 'recordAccepted', when: 'before' },
  },
  {
    name: 'record-after',
    meaning: 'accepted messages are recorded, no response sent',
    at: { statement: 'recordAccepted', when: 'after' },
  },
  {
    name: 'retry-before',
    meaning: 'the platform rejected for now, and that is not recorded',
    at: { statement: 'recordRetry', when: 'before' },
  },
  {
    name: 'answer-before',
    meaning: 'the response for an idempotency key is about to be stored',
    at: { statement: 'recordKeyResponses', when: 'before' },
  },
  {
    name: 'answer-after',
    meaning: 'the response is stored, not sent',
    at: { statement: 'recordKeyResponses', when: 'after' },
  },
  {
    name: 'callback-moved',
    meaning: 'a callback moved its message, its events are not written',
    at: { statement: 'applyMoves', when: 'after' },
  },
  {
    name: 'callback-published',
    meaning: 'its events are written and, unless opt-outs follow, committed: the commit goes with them',
    at: { statement: 'insertDeliveries', when: 'after' },
  },
  {
    name: 'callback-before-commit',
    meaning: 'its events and their commit are about to be sent together',
    at: { commitOf: 'applyMoves', when: 'before' },
  },
  {
    name: 'callback-after-commit',
    meaning: 'events are committed, the callback has no response, nothing is delivered',
    at: { commitOf: 'applyMoves', when: 'after' },
  },
  {
    name: 'received-stored',
    meaning:
      'inbound messages are written with their events and, without stop words, committed: the callback has no response',
    at: { statement: 'insertReceived', when: 'after' },
  },
  {
    name: 'received-before-commit',
    meaning: 'inbound messages of an account with stop words and their events are written, not committed',
    at: { commitOf: 'insertReceived', when: 'before' },
  },
  {
    name: 'received-after-commit',
    meaning: 'inbound messages of an account with stop words are committed, the callback has no response',
    at: { commitOf: 'insertReceived', when: 'after' },
  },
  {
    name: 'feed-before-commit',
    meaning: 'recipients of a send are moved into the queue, not committed',
    at: { commitOf: 'feedRecipients', when: 'before' },
  },
  {
    name: 'feed-after-commit',
    meaning: 'recipients are in the queue, their worker is not told',
    at: { commitOf: 'feedRecipients', when: 'after' },
  },
  {
    name: 'return-after',
    meaning: 'messages of a paused send are moved out of the queue, more are left',
    at: { commitOf: 'returnMessages', when: 'after' },
  },
  {
    name: 'reply-after-commit',
    meaning: 'a reply is stored, perhaps as dispatching; not called, no response sent',
    at: { commitOf: 'insertReply', when: 'after' },
  },
  {
    name: 'opt-out-before-commit',
    meaning: 'an opt-out is written, not committed',
    at: { commitOf: 'writeOptOuts', when: 'before' },
  },
  {
    name: 'opt-out-after-commit',
    meaning: 'an opt-out is committed, its request has no response',
    at: { commitOf: 'writeOptOuts', when: 'after' },
  },
  {
    name: 'deliveries-claimed',
    meaning: 'left-over deliveries are claimed, none attempted',
    at: { statement: 'claimDeliveries', when: 'after' },
  },
  {
    name: 'deliver-before',
    meaning: 'a webhook is handed to the connection',
    at: { call: 'receiver', when: 'before' },
  },
  {
    name: 'deliver-after',
    meaning: 'the receiver responded, nothing is recorded',
    at: { call: 'receiver', when: 'after' },
  },
  {
    name: 'complete-before',
    meaning: 'deliveries are about to be completed',
    at: { statement: 'completeDeliveries', when: 'before' },
  },
  {
    name: 'complete-after',
    meaning: 'deliveries are completed, the next stages not released',
    at: { statement: 'completeDeliveries', when: 'after' },
  },
  {
    name: 'release-before-commit',
    meaning: 'the next stages and the commit are about to be sent together',
    at: { commitOf: 'completeDeliveries', when: 'before' },
  },
  {
    name: 'release-after-commit',
    meaning: 'the next stages are leased to a process that is dead',
    at: { commitOf: 'completeDeliveries', when: 'after' },
  },
  {
    name: 'fail-before-commit',
    meaning: 'failed attempts are written, not committed',
    at: { commitOf: 'failDeliveries', when: 'before' },
  },
  {
    name: 'fail-after-commit',
    meaning: 'failed attempts are committed',
    at: { commitOf: 'failDeliveries', when: 'after' },
  },
];

/** The name of a statement: the comment that it begins with. */
export function statementName(text: string): string | undefined {
  return /^\s*\/\* (\w+) \*\//.exec(text)?.[1];
}

/** True for a commit, alone or sent with the last statement of its transaction (`thenCommit`). */
export const commits = (text: string): boolean => /^\s*commit\b|\/\* then commit \*\/$/i.test(text);
