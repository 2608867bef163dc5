// The points of a message's journey at which a gateway of the campaign can be made to die: each named, and what it means. Pure.

/** What a gateway does, as its preload sees it: a statement, a transaction's end, a call and its answer. */
export type Moment = 'before' | 'after';

export interface Point {
  name: string;
  /** What has happened by then, and what has not. */
  meaning: string;
  at:
    | { statement: RegExp; when: Moment }
    /** The commit of the transaction in which this statement was. */
    | { commitOf: RegExp; when: Moment }
    /** A call to the platform for a message, or to a receiver. */
    | { call: 'platform' | 'receiver'; when: Moment };
}

const insertSend = /insert into sends/;
const mark = /update messages m set state = 1, attempts/;
const recordAccepted = /update messages m set state = greatest/;
const recordRetry = /update messages m set state = 0, due_at = least/;
const claim = /update messages m set due_at = now\(\) \+ interval '60 seconds'/;
const applyMoves = /update messages m set state = x\.st/;
const insertDeliveries = /insert into deliveries/;
const complete = /update deliveries d set state = 1/;
const failDeliveries = /update deliveries d set attempts = d\.attempts \+ 1/;
const claimDeliveries = /update deliveries d set state = 0, due_at = now\(\) \+ .* from x where/;
const storeAnswer = /update idempotency_keys (k )?set status/;

/** In the order of the journey. */
export const points: readonly Point[] = [
  {
    name: 'write-before-commit',
    meaning: 'a send is written, not committed',
    at: { commitOf: insertSend, when: 'before' },
  },
  {
    name: 'write-after-commit',
    meaning: 'a send is committed, the messages of a small one as marked; nothing called, nobody answered',
    at: { commitOf: insertSend, when: 'after' },
  },
  {
    name: 'claim-after',
    meaning: 'left-over messages are claimed, none called',
    at: { statement: claim, when: 'after' },
  },
  {
    name: 'mark-before',
    meaning: 'messages are about to be marked',
    at: { statement: mark, when: 'before' },
  },
  { name: 'mark-after', meaning: 'messages are marked, not called', at: { statement: mark, when: 'after' } },
  {
    name: 'call-before',
    meaning: 'a call is handed to the connection',
    at: { call: 'platform', when: 'before' },
  },
  {
    name: 'call-after',
    meaning: 'the platform answered, nothing is recorded',
    at: { call: 'platform', when: 'after' },
  },
  {
    name: 'record-before',
    meaning: 'what the platform took is about to be recorded',
    at: { statement: recordAccepted, when: 'before' },
  },
  {
    name: 'record-after',
    meaning: 'what the platform took is recorded, the caller not answered',
    at: { statement: recordAccepted, when: 'after' },
  },
  {
    name: 'retry-before',
    meaning: 'the platform refused for now, and that is not recorded',
    at: { statement: recordRetry, when: 'before' },
  },
  {
    name: 'answer-before',
    meaning: 'the answer to a caller’s key is about to be kept',
    at: { statement: storeAnswer, when: 'before' },
  },
  {
    name: 'answer-after',
    meaning: 'the answer is kept, not sent',
    at: { statement: storeAnswer, when: 'after' },
  },
  {
    name: 'callback-moved',
    meaning: 'a callback moved its message, its events are not written',
    at: { statement: applyMoves, when: 'after' },
  },
  {
    name: 'callback-published',
    meaning: 'its events are written, not committed',
    at: { statement: insertDeliveries, when: 'after' },
  },
  {
    name: 'callback-before-commit',
    meaning: 'the same, at the commit',
    at: { commitOf: applyMoves, when: 'before' },
  },
  {
    name: 'callback-after-commit',
    meaning: 'events are committed, the platform not answered, nothing delivered',
    at: { commitOf: applyMoves, when: 'after' },
  },
  {
    name: 'deliveries-claimed',
    meaning: 'left-over deliveries are claimed, none tried',
    at: { statement: claimDeliveries, when: 'after' },
  },
  {
    name: 'deliver-before',
    meaning: 'a webhook is handed to the connection',
    at: { call: 'receiver', when: 'before' },
  },
  {
    name: 'deliver-after',
    meaning: 'the receiver answered, nothing is recorded',
    at: { call: 'receiver', when: 'after' },
  },
  {
    name: 'complete-before',
    meaning: 'deliveries are about to be completed',
    at: { statement: complete, when: 'before' },
  },
  {
    name: 'complete-after',
    meaning: 'deliveries are completed, the next stages not released',
    at: { statement: complete, when: 'after' },
  },
  {
    name: 'release-before-commit',
    meaning: 'both done, not committed',
    at: { commitOf: complete, when: 'before' },
  },
  {
    name: 'release-after-commit',
    meaning: 'the next stages are leased to a process that is dead',
    at: { commitOf: complete, when: 'after' },
  },
  {
    name: 'fail-before-commit',
    meaning: 'failed tries are written, not committed',
    at: { commitOf: failDeliveries, when: 'before' },
  },
  {
    name: 'fail-after-commit',
    meaning: 'failed tries are committed',
    at: { commitOf: failDeliveries, when: 'after' },
  },
];
