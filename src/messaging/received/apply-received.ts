// Storage of inbound messages: many callbacks in one commit, each message once, with its contact and its event.
import type { Clock } from '../../base/clock.ts';
import { compareTexts } from '../../base/compare-texts.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Db } from '../../db/db.ts';
import type { ReceivedMessage } from '../../ports/platform-received.ts';
import type { PublishDeps } from '../../webhooks/publish.ts';
import { batch } from '../../work/batch.ts';
import { identityOf } from '../contacts/identity.ts';
import {
  type Addressee,
  type Arrival,
  type ArrivedCallback,
  noticesIn,
  type ReceivedCallback,
  type Said,
} from './people-in-batch.ts';
import { receivedId } from './received-id.ts';
import { findContexts, type NewReceived } from './store.ts';
import { openStoreBatch, type StoreBatch } from './store-batch.ts';

export interface ApplyReceivedDeps extends PublishDeps {
  hot: Db;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'batchItems'>;
}

export interface AppliedReceived {
  /** Messages that were new to an account. */
  stored: number;
  /** Who opted out or in by a word or a button. */
  said: Said[];
}

/** Stores one callback's messages and resolves after their commit; concurrent callbacks share a commit. */
export type ApplyReceived = (callback: ReceivedCallback) => Promise<AppliedReceived>;

/** The largest platform object that is kept, in bytes. */
const rawMaxBytes = 64 * 1024;
/** The largest parsed content: beyond it, `raw` is omitted too, so that no event is larger than receivers accept. */
const contentMaxCharacters = 256 * 1024;

/** Opens the batch of this process. */
export function openApplyReceived(deps: ApplyReceivedDeps): ApplyReceived {
  let last = 0;
  const storeBatch = openStoreBatch(deps);
  const batched = batch<ArrivedCallback, AppliedReceived>(
    (callbacks) => applyBatch(deps, storeBatch, callbacks),
    {
      gapMs: 3,
      gapPerItemMs: 1,
      atOnce: 2,
      max: 200,
      onRun: (items) => deps.metrics.batchItems.observe({ batch: 'received' }, items),
      key: ({ messages }) => messages[0]?.message.messageRef ?? '',
    },
  );
  const apply: ApplyReceived = (callback) => {
    last += 1;
    return batched({ ...callback, no: last });
  };
  return async (callback) => {
    try {
      return await apply(callback);
    } catch (error) {
      if (!isRejectedData(error)) throw error;
      return applyOneByOne(deps, apply, callback, error);
    }
  };
}

/** True if PostgreSQL rejected a value: invalid data, a constraint, or a limit. */
const isRejectedData = (error: unknown): boolean =>
  /^(22|23|54)/.test(String((error as { code?: unknown } | null)?.code));

/**
 * Stores the messages of a callback that has one that cannot be stored, so that the platform does not repeat the others for
 * days. What still cannot be stored is reduced to its type and raw object, then logged and dropped.
 */
async function applyOneByOne(
  deps: ApplyReceivedDeps,
  apply: ApplyReceived,
  callback: ReceivedCallback,
  reason: unknown,
): Promise<AppliedReceived> {
  const all: AppliedReceived = { stored: 0, said: [] };
  const parts: ReceivedCallback[] = [
    ...callback.messages.map((one) => ({ messages: [one], identities: [], preferences: [] })),
    ...callback.identities.map((one) => ({ messages: [], identities: [one], preferences: [] })),
    ...callback.preferences.map((one) => ({ messages: [], identities: [], preferences: [one] })),
  ];
  for (const part of parts) {
    for (const attempt of [part, reduced(part)]) {
      try {
        const { stored, said } = await apply(attempt);
        all.stored += stored;
        all.said.push(...said);
        break;
      } catch (error) {
        if (!isRejectedData(error)) throw error;
        if (attempt !== part) deps.log.error({ err: error, reason }, 'received.dropped');
      }
    }
  }
  return all;
}

/** The same messages with nothing parsed out of them. */
function reduced({ messages }: ReceivedCallback): ReceivedCallback {
  return {
    ...{ identities: [], preferences: [] },
    messages: messages.map(({ to, message }) => ({
      to,
      message: {
        ...message,
        ...{ phone: null, userId: null, person: null, isFromPerson: false },
        ...{ content: {}, mediaRef: null, contextRef: null },
      },
    })),
  };
}

async function applyBatch(
  deps: ApplyReceivedDeps,
  storeBatch: StoreBatch,
  callbacks: ArrivedCallback[],
): Promise<AppliedReceived[]> {
  const results = callbacks.map((): AppliedReceived => ({ stored: 0, said: [] }));
  const nowMs = deps.clock.now();
  const arrivals = arrivalsOf(callbacks, nowMs);
  const notices = callbacks.flatMap((callback) => noticesIn(callback, nowMs));
  if (arrivals.length === 0 && notices.length === 0) return results;
  await addContexts(deps, arrivals);
  const { stored, said } = await storeBatch({ arrivals, notices, nowMs });
  for (const one of said) results[callbacks.findIndex(({ no }) => no === one.no)]?.said.push(one);
  for (const { callback } of stored) (results[callback] as AppliedReceived).stored += 1;
  return results;
}

/** One arrival per message and account, sorted by key: the order in which rows are inserted. A repeat within the batch is dropped. */
function arrivalsOf(callbacks: ArrivedCallback[], nowMs: number): Arrival[] {
  const arrivals: Arrival[] = [];
  for (const [callback, { messages, no }] of callbacks.entries())
    for (const [within, { message, to }] of messages.entries())
      for (const addressee of to)
        arrivals.push({ row: rowOf(message, addressee, nowMs), message, callback, rank: [no, within] });
  arrivals.sort(byKey);
  return arrivals.filter((one, index) => index === 0 || byKey(arrivals[index - 1] as Arrival, one) !== 0);
}

const byKey = ({ row: a }: Arrival, { row: b }: Arrival): number =>
  compareTexts(a.account_id, b.account_id) || compareTexts(a.id, b.id);

/** Parsed content is about as long as its source; only that of a long one is measured. */
const isKept = ({ content, raw }: ReceivedMessage): boolean =>
  raw.length <= rawMaxBytes || JSON.stringify(content).length <= contentMaxCharacters;

function rowOf(message: ReceivedMessage, { accountId, senderId }: Addressee, nowMs: number): NewReceived {
  const content = isKept(message) ? message.content : {};
  return {
    account_id: accountId,
    id: receivedId(senderId, message),
    sender_id: senderId,
    message_ref: message.messageRef,
    person: identityOf(message) ?? (message.person === null ? null : identityOf(message.person)),
    phone: message.phone,
    user_id: message.userId,
    name: message.person?.name ?? null,
    type: message.type,
    content,
    contentJson: JSON.stringify(content),
    media_ref: message.mediaRef,
    context_ref: message.contextRef,
    context_id: null,
    context_send_id: null,
    sent_at: message.timestamp === null ? null : new Date(message.timestamp * 1000),
    received_at: new Date(nowMs),
    raw: Buffer.byteLength(message.raw) <= rawMaxBytes ? message.raw : null,
  };
}

/** Completes the references to our own messages. */
async function addContexts(deps: ApplyReceivedDeps, arrivals: Arrival[]): Promise<void> {
  const referring = arrivals.filter(({ row }) => row.context_ref !== null);
  if (referring.length === 0) return;
  const found = await findContexts(
    deps.hot,
    [...new Set(referring.map(({ row }) => row.account_id))],
    [...new Set(referring.map(({ row }) => row.context_ref as string))],
  );
  const byKey = new Map(found.map((one) => [`${one.accountId} ${one.messageRef}`, one]));
  for (const arrival of referring) {
    const { row } = arrival;
    const own = byKey.get(`${row.account_id} ${row.context_ref}`);
    if (!own) continue;
    row.context_id = own.id;
    row.context_send_id = own.sendId;
    arrival.answered = own.phone;
  }
}
