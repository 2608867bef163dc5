// The states of a message and the stages told of it: what a report moves, what it implies, what is never said twice. Pure.
import { type MessageStateName, messageStates } from '../../contract/messages.ts';
import type { RejectionClass, StatusReport } from '../../ports/platform.ts';

/** States as the database keeps them. */
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

/** The name of a state on the wire. */
export function stateName(number: number): MessageStateName {
  return messageStates[number] ?? 'failed';
}

/** The state that a name on the wire means. */
export function stateNumber(name: MessageStateName): number {
  return messageStates.indexOf(name);
}

/** The priority of authentication messages, whose content is a one-time code. */
export const authenticationPriority = 0;

/** Our own codes of failure: numbers, as the platform's are, from 900001. */
export const ownErrors = {
  outcomeUnknown: {
    code: 900001,
    title: 'outcome_unknown',
    message:
      'The platform did not answer, and no report of it came within ten minutes. The message may have been sent; it was not sent again.',
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
    message: 'What the message needs is gone. It was not sent.',
  },
} as const;

export interface MessageError {
  code: number;
  title: string;
  message: string;
}

/** `expired`, with the platform's last refusal where that is why the message waited so long. */
export function expiredError(lastRefusal: MessageError | null): MessageError {
  if (lastRefusal === null) return ownErrors.expired;
  const { code, title, message } = lastRefusal;
  return {
    ...ownErrors.expired,
    message: `${ownErrors.expired.message} The platform's last refusal was ${code} ${title}: ${message}`,
  };
}

/** Bits of the stages told to the account owner. */
export const stageBit = { sent: 1, delivered: 2, read: 4, failed: 8 } as const;

/** The stages that a state stands for: read implies delivered, delivered implies sent. */
const stagesOf: Record<number, number> = { 3: 1, 4: 1 | 2, 5: 1 | 2 | 4, 6: 8 };

/** All reports of one message in one batch, folded to the one move that they come to. Times are epoch seconds. */
export interface Move {
  accountId: string;
  id: string;
  state: 3 | 4 | 5 | 6;
  /** Stages that this state stands for, as bits. */
  stages: number;
  /** Stages reported in so many words, as bits. */
  reported: number;
  sentAt: number | null;
  deliveredAt: number | null;
  readAt: number | null;
  failedAt: number | null;
  wamid: string;
  error: MessageError | null;
  priceCategory: string | null;
}

/**
 * Folds reports of one message into one move. The furthest stage wins; a failure loses against any report of
 * delivery or reading (`overtakenFailure` has it told first) and wins over `sent`. The earliest time of each stage is kept.
 */
export function foldReports(accountId: string, id: string, reports: StatusReport[]): Move {
  const time = { sent: null, delivered: null, read: null, failed: null } as Record<
    StatusReport['status'],
    number | null
  >;
  let error: MessageError | null = null;
  let priceCategory: string | null = null;
  let reported = 0;
  for (const report of reports) {
    reported |= stageBit[report.status];
    const earlier = time[report.status];
    time[report.status] = earlier === null ? report.timestamp : Math.min(earlier, report.timestamp);
    error ??= report.error;
    priceCategory ??= report.priceCategory;
  }
  const to = time.read !== null ? 5 : time.delivered !== null ? 4 : time.failed !== null ? 6 : 3;
  return {
    accountId,
    id,
    state: to,
    stages: (stagesOf[to] ?? 0) | (to === 6 && time.sent !== null ? stageBit.sent : 0),
    reported,
    sentAt: time.sent ?? time.delivered ?? time.read,
    deliveredAt: time.delivered ?? time.read,
    readAt: time.read,
    failedAt: to === 6 ? time.failed : null,
    wamid: reports[0]?.messageRef ?? '',
    error: to === 6 ? error : null,
    priceCategory,
  };
}

/**
 * The move of a failure that the platform reported for an earlier moment than the delivery or reading which came in the
 * same batch; null if there is none. Applied before the move of all of them, it tells the owner what would have been
 * told had the reports come one by one: the failure, and then that it gave way. A failure that the platform itself puts
 * after the delivery is none (`api.md` part 4.5).
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
  /** 3 sent, 4 delivered, 5 read, 6 failed: the order in which they are told. */
  number: 3 | 4 | 5 | 6;
  name: 'sent' | 'delivered' | 'read' | 'failed';
  /** Epoch seconds. */
  at: number;
}

/** The stages that a move told for the first time, in order: those emitted now and not before. */
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
    { number: 3, name: 'sent', at: moved.sentAt },
    { number: 4, name: 'delivered', at: moved.deliveredAt },
    { number: 5, name: 'read', at: moved.readAt },
    { number: 6, name: 'failed', at: moved.failedAt },
  ] as const;
  return all.flatMap(({ number, name, at }) =>
    fresh & stageBit[name] && at !== null ? [{ number, name, at }] : [],
  );
}

/** Seconds until a refused but retryable message is tried again: 4^n for a pair that is too fast, else 2^n from one. */
export function retryDelaySeconds(attempts: number, kind: RejectionClass): number {
  if (kind === 'pair_rate') return Math.min(4 ** Math.max(0, attempts - 1), 3600);
  return Math.min(2 ** Math.max(0, attempts - 1), 300);
}

const tries: Partial<Record<RejectionClass, number>> = {
  retry: 8,
  retry_few: 3,
  retry_once: 2,
  // each after its template was read again: the platform's list and its sends do not agree
  template_missing: 3,
};

/** A message refused this often for this reason is failed with its code; throttling never counts against it. */
export function attemptsMax(kind: RejectionClass): number {
  return tries[kind] ?? Number.POSITIVE_INFINITY;
}
