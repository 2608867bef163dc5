// A message: its states, its errors, and how status reports change it. Pure.
import { type MessageKindName, type MessageStateName, messageStates } from '../../contract/messages.ts';
import type { FilledTemplate, RejectionClass, ReplyContent, StatusReport } from '../../ports/platform.ts';

/** The primary key of a message. */
export interface MessageKey {
  accountId: string;
  id: string;
}

/** Sorts keys by message id: every statement locks its rows in this order, so that none can deadlock. */
export function sortById<K extends { id: string }>(keys: readonly K[]): K[] {
  return keys.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The values of the column `kind`. */
export const messageKind = { template: 0, reply: 1 } as const;

/** The kind that a list shows: messages of sends, unless it is asked for replies; undefined: all. */
export function kindNumber(name: MessageKindName | 'all' = 'template'): number | undefined {
  return name === 'all' ? undefined : messageKind[name];
}

/** The content of a reply as it is stored. */
export interface StoredReply {
  reply: ReplyContent;
  /** The platform's id of the message that it quotes or reacts to. */
  replyTo?: string;
}

/** A message leased to this process, with what its call needs. */
export type LeasedMessage = LeasedTemplate | LeasedReply;

interface Leased {
  account_id: string;
  id: string;
  sender_id: string;
  media_id: string | null;
  priority: number;
  attempts: number;
  /** The value of `due_at` that identifies the lease, to the microsecond; null if the process never learned it. */
  lease: string | null;
}

export interface LeasedTemplate extends Leased {
  template_name: string;
  language: string;
  phone: string;
  user_id: null;
  content: FilledTemplate;
}

/** A reply: either `phone` or `user_id` is set. */
export interface LeasedReply extends Leased {
  template_name: null;
  language: null;
  phone: string | null;
  user_id: string | null;
  content: StoredReply;
}

/** The key of a leased message. */
export const keyOf = (message: LeasedMessage): MessageKey => ({
  accountId: message.account_id,
  id: message.id,
});

/** A message under one lease: `lease` is the value of `due_at` that identifies it. */
export interface LeaseKey extends MessageKey {
  lease: string | null;
}

export const leaseKeyOf = (message: LeasedMessage): LeaseKey => ({ ...keyOf(message), lease: message.lease });

/** States as stored in the database, in the order in which a message passes them. */
export const state = {
  queued: 0,
  dispatching: 1,
  accepted: 2,
  sent: 3,
  delivered: 4,
  read: 5,
  failed: 6,
} as const;
export type StateNumber = (typeof state)[keyof typeof state];
/** The states that a status report can lead to. */
export type ReportedState = (typeof state)['sent' | 'delivered' | 'read' | 'failed'];

/** The state's name in the API. */
export function stateName(number: number): MessageStateName {
  return messageStates[number] ?? 'failed';
}

/** The state with this name in the API. */
export function stateNumber(name: MessageStateName): number {
  return messageStates.indexOf(name);
}

/** Error codes of the gateway itself, from 900001: numeric, as the platform's codes are. */
export const ownErrors = {
  outcomeUnknown: {
    code: 900001,
    title: 'outcome_unknown',
    message:
      'The platform did not respond, and no status report arrived within ten minutes. The message may have been sent; it was not retried.',
  },
  expired: {
    code: 900002,
    title: 'expired',
    message: 'The message was still queued when its time to live ended. It was not sent.',
  },
  cancelled: {
    code: 900003,
    title: 'cancelled',
    message: 'The send was cancelled before this message was sent.',
  },
  unsendable: {
    code: 900004,
    title: 'unsendable',
    message: 'The sender or media file of the message was removed. It was not sent.',
  },
  optedOut: {
    code: 900005,
    title: 'opted_out',
    message: 'The recipient opted out of messages of this category. It was not sent.',
  },
  restored: {
    code: 900006,
    title: 'restored',
    message: 'Queued in a backup that was restored. It may have been sent since; it was not sent again.',
  },
  templateChanged: {
    code: 900007,
    title: 'template_changed',
    message:
      'The template changed while the message was queued, and its content no longer fits. It was not sent.',
  },
} as const;

export interface MessageError {
  code: number;
  title: string;
  message: string;
}

/** The error of an expired message; names the platform's last rejection, which is usually why the message waited. */
export function expiredError(lastRejection: MessageError | null): MessageError {
  if (lastRejection === null) return ownErrors.expired;
  const { code, title, message } = lastRejection;
  return {
    ...ownErrors.expired,
    message: `${ownErrors.expired.message} The platform's last rejection was ${code} ${title}: ${message}`,
  };
}

/** Bits of the columns `emitted`, `was` and `implied`: the stages of which a webhook event was published. */
export const stageBit = { sent: 1, delivered: 2, read: 4, failed: 8 } as const;

/** The stages that a state implies: read implies delivered, delivered implies sent. */
const stagesOf: Record<Move['state'], number> = {
  [state.sent]: stageBit.sent,
  [state.delivered]: stageBit.sent | stageBit.delivered,
  [state.read]: stageBit.sent | stageBit.delivered | stageBit.read,
  [state.failed]: stageBit.failed,
};

/** The state change that results from all reports of one message in a batch. Times are epoch seconds. */
export interface Move {
  accountId: string;
  id: string;
  state: ReportedState;
  /** The stages that the new state implies, as bits. */
  stages: number;
  /** The stages that were reported explicitly, as bits. */
  reported: number;
  sentAt: number | null;
  deliveredAt: number | null;
  readAt: number | null;
  failedAt: number | null;
  messageRef: string;
  error: MessageError | null;
  priceCategory: string | null;
  billable: boolean | null;
}

/**
 * Folds the reports of one message into one move. The furthest stage wins. A failure wins over `sent` and loses to
 * `delivered` and `read`; `overtakenFailure` then publishes it first. Keeps the earliest time of each stage.
 */
export function foldReports(accountId: string, id: string, reports: StatusReport[]): Move {
  const time = { sent: null, delivered: null, read: null, failed: null } as Record<
    StatusReport['status'],
    number | null
  >;
  let error: MessageError | null = null;
  let priceCategory: string | null = null;
  let billable: boolean | null = null;
  let reported = 0;
  for (const report of reports) {
    reported |= stageBit[report.status];
    const earlier = time[report.status];
    time[report.status] = earlier === null ? report.timestamp : Math.min(earlier, report.timestamp);
    error ??= report.error;
    priceCategory ??= report.priceCategory;
    billable ??= report.billable;
  }
  const to = furthest(time);
  return {
    accountId,
    id,
    state: to,
    stages: stagesOf[to] | (to === state.failed && time.sent !== null ? stageBit.sent : 0),
    reported,
    sentAt: time.sent ?? time.delivered ?? time.read,
    deliveredAt: time.delivered ?? time.read,
    readAt: time.read,
    failedAt: to === state.failed ? time.failed : null,
    messageRef: reports[0]?.messageRef ?? '',
    error: to === state.failed ? error : null,
    priceCategory,
    billable,
  };
}

function furthest(time: Record<StatusReport['status'], number | null>): ReportedState {
  if (time.read !== null) return state.read;
  if (time.delivered !== null) return state.delivered;
  return time.failed !== null ? state.failed : state.sent;
}

/**
 * The move of a failure that a delivery or reading in the same batch overtook, by the platform's own times; null if there
 * is none. Apply it first, so that receivers get the same events as if the reports had come one by one. A failure
 * reported for a later time than the delivery is ignored.
 */
export function overtakenFailure(accountId: string, id: string, reports: StatusReport[]): Move | null {
  if (!reports.some(({ status }) => status === 'failed')) return null;
  const earliest = (...words: StatusReport['status'][]) =>
    Math.min(...reports.filter(({ status }) => words.includes(status)).map(({ timestamp }) => timestamp));
  const failedAt = earliest('failed');
  const arrivedAt = earliest('delivered', 'read');
  if (arrivedAt === Number.POSITIVE_INFINITY || failedAt > arrivedAt) return null;
  const before = reports.filter(
    ({ status, timestamp }) => status === 'failed' || (status === 'sent' && timestamp <= failedAt),
  );
  return foldReports(accountId, id, before);
}

export interface Stage {
  /** The state's number; events of one message are published in this order. */
  number: ReportedState;
  name: 'sent' | 'delivered' | 'read' | 'failed';
  /** Epoch seconds. */
  at: number;
}

/** The stages to publish after a move, in order: those in `emitted` but not in `was`. */
export function newStages(moved: {
  was: number;
  emitted: number;
  sentAt: number | null;
  deliveredAt: number | null;
  readAt: number | null;
  failedAt: number | null;
}): Stage[] {
  const fresh = moved.emitted & ~moved.was;
  const all = [
    { number: state.sent, name: 'sent', at: moved.sentAt },
    { number: state.delivered, name: 'delivered', at: moved.deliveredAt },
    { number: state.read, name: 'read', at: moved.readAt },
    { number: state.failed, name: 'failed', at: moved.failedAt },
  ] as const;
  return all.flatMap(({ number, name, at }) =>
    fresh & stageBit[name] && at !== null ? [{ number, name, at }] : [],
  );
}

/** Seconds until the next attempt: 4^n after a rate limit of one sender and recipient (at most an hour), else 2^n (at most 5 min). */
export function retryDelaySeconds(attempts: number, kind: RejectionClass): number {
  if (kind === 'pair_rate') return Math.min(4 ** Math.max(0, attempts - 1), 3600);
  return Math.min(2 ** Math.max(0, attempts - 1), 300);
}

const attemptLimits: Partial<Record<RejectionClass, number>> = {
  retry: 8,
  retry_few: 3,
  retry_once: 2,
  // the template is read before each retry: the platform's list may lag behind its sends
  template_missing: 3,
};

/** The attempts after which a rejection of this class fails the message; throttling never does. */
export function attemptsMax(kind: RejectionClass): number {
  return attemptLimits[kind] ?? Number.POSITIVE_INFINITY;
}
