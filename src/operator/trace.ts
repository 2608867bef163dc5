// The timeline of a message, send, booking or delivery, for operators: everything that the database knows, without contents.
import { compareTexts } from '../base/compare-texts.ts';
import { AppError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { uuidTime } from '../base/uuid-time.ts';
import type { Db } from '../db/db.ts';
import { processOf } from '../messaging/messages/leased-by.ts';
import { stateName } from '../messaging/messages/message.ts';
import { timelineOf } from '../messaging/messages/timeline.ts';
import { deliveryState, stageNameOf } from '../webhooks/delivery/delivery.ts';
import { derivedKind } from '../webhooks/delivery/derived-body.ts';
import {
  countStates,
  findTraced,
  findTracedByReference,
  type Traced,
  type TracedAttempt,
  type TracedBooking,
  type TracedDelivery,
  type TracedKind,
  type TracedMessage,
  type TracedSend,
  traceAttempts,
  traceBooking,
  traceChanges,
  traceDeliveries,
  traceMessages,
  traceSend,
} from './trace-store.ts';

type Details = Record<string, string | number | null | undefined>;

export interface TraceEntry {
  at: string;
  what: string;
  details: Details;
}

export interface Trace {
  kind: TracedKind;
  id: string;
  accountId: string;
  account: string;
  /** How it is now. */
  facts: Details;
  /** What happened, in order; what is going to happen comes last. */
  timeline: TraceEntry[];
}

/** Messages of a send whose own timelines are shown, and counted by state. */
const messagesShown = 20;
const messagesCounted = 100_000;

/** An entry, unless it did not happen. */
const entry = (at: Date | null, what: string, details: Details = {}): TraceEntry[] =>
  at === null || !Number.isFinite(at.getTime())
    ? []
    : [
        {
          at: at.toISOString(),
          what,
          details: Object.fromEntries(Object.entries(details).filter(([, value]) => value != null)),
        },
      ];

/** The last four digits: the output is pasted into tickets. */
const masked = (phone: string | null) => phone && `…${phone.slice(-4)}`;

/** What each stage of `timelineOf` is called. */
const stageTexts: Record<string, string> = {
  queued: 'message queued',
  accepted: 'accepted by the platform',
  sent: 'sent, as the platform reports',
  delivered: 'delivered to the phone',
  read: 'read',
  failed: 'message failed',
};

function messageEntries(m: TracedMessage, more: Details = {}): TraceEntry[] {
  const { accepted_at: acceptedAt, sent_at: sentAt, delivered_at: deliveredAt, read_at: readAt } = m;
  const times = { createdAt: uuidTime(m.id), acceptedAt, sentAt, deliveredAt, readAt, failedAt: m.failed_at };
  const details: Record<string, Details> = {
    queued: { sender: m.sender ?? m.sender_id, template: m.template, to: masked(m.phone) },
    accepted: { platformId: m.wamid },
    failed: { code: m.error?.code, title: m.error?.title, message: m.error?.message },
  };
  return [
    // the platform's times are whole seconds: none comes before the stage before it
    ...timelineOf({ ...times, isFailureReported: false, implied: 0 }).flatMap(
      ({ status, at, platformTimestamp: platformTime }) =>
        entry(new Date(at), stageTexts[status] ?? status, { ...more, ...details[status], platformTime }),
    ),
    ...entry(m.was_failed_at, 'failed, which a later report replaced', more),
    ...entry(m.due_at, m.leased_by === null ? 'next try, or next check' : 'end of the lease', {
      ...more,
      process: processOf(m.leased_by),
    }),
  ];
}

const messageFacts = (m: TracedMessage): Details => ({
  ...{ status: stateName(m.state), sendId: m.send_id, senderId: m.sender_id, platformId: m.wamid },
  ...{
    attempts: m.attempts,
    expiresAt: m.expires_at.toISOString(),
    resentAs: m.resent_as,
    resendOf: m.resend_of,
  },
  lastError: m.error && `${m.error.code} ${m.error.title}`,
});

const deliveryStateNames = Object.fromEntries(
  Object.entries(deliveryState).map(([name, state]) => [state, name]),
);

const aboutDelivery = (d: TracedDelivery): Details => ({
  delivery: d.id,
  event: d.kind ?? derivedKind,
  stage: stageNameOf(d.stage),
});

function deliveryEntries(d: TracedDelivery, attempts: readonly TracedAttempt[]): TraceEntry[] {
  const about = aboutDelivery(d);
  const own = attempts.filter((one) => one.endpoint_id === d.endpoint_id && one.stage === d.stage);
  return [
    ...entry(uuidTime(d.id), 'webhook created', { ...about, endpoint: d.url ?? d.endpoint_id }),
    ...own.flatMap(({ at, no, status, failure, ms, detail }) =>
      entry(at, 'attempt failed', { ...about, no, status, failure, ms, detail }),
    ),
    ...entry(d.delivered_at, 'webhook delivered', { ...about, status: d.last_status, ms: d.last_ms }),
    ...(d.state === deliveryState.dead
      ? entry(d.last_attempt_at ?? uuidTime(d.id), 'webhook given up', { ...about, failure: d.last_failure })
      : []),
    ...entry(d.due_at, 'next attempt, or end of the lease', { ...about, state: deliveryStateNames[d.state] }),
  ];
}

async function deliveriesOf(
  db: Db,
  accountId: string,
  of: Parameters<typeof traceDeliveries>[2],
): Promise<{ deliveries: TracedDelivery[]; entries: TraceEntry[] }> {
  const deliveries = await traceDeliveries(db, accountId, of);
  const attempts: TracedAttempt[] = [];
  for (const subjectId of new Set(deliveries.map((one) => one.subject_id)))
    attempts.push(...(await traceAttempts(db, subjectId)));
  return { deliveries, entries: deliveries.flatMap((one) => deliveryEntries(one, attempts)) };
}

function sendEntries(s: TracedSend): TraceEntry[] {
  return [
    ...entry(s.created_at, 'send created', {
      name: s.name,
      template: `${s.template_name} ${s.language}`,
      recipients: s.total,
    }),
    ...entry(s.send_at, 'scheduled for'),
    ...entry(s.started_at, 'send started'),
    ...entry(s.paused_at, 'send paused', { reason: s.paused_reason }),
    ...entry(s.cancelled_at, 'send cancelled'),
    ...entry(s.done_at, 'every recipient queued'),
  ];
}

function bookingEntries(b: TracedBooking): TraceEntry[] {
  return [
    ...entry(b.created_at, 'booking created', { staff: b.staff, startsAt: b.starts_at.toISOString() }),
    ...entry(b.insert_started_at, 'call to the calendar began', { provider: b.provider }),
    ...entry(b.wish_started_at, 'change of the calendar began', { change: b.wish }),
    ...entry(b.gone_at, 'event missing in the calendar'),
    ...entry(b.cancelled_at, 'booking cancelled', { reason: b.cancel_reason }),
    ...entry(b.due_at, 'next check by the worker'),
  ];
}

const bookingFacts = (b: TracedBooking): Details => ({
  ...{
    status: b.state,
    staff: b.staff,
    startsAt: b.starts_at.toISOString(),
    endsAt: b.ends_at.toISOString(),
  },
  ...{ calendarEvent: b.event_id, provider: b.provider, pendingChange: b.wish, attempts: b.attempts },
});

/** What each kind adds: the facts, and the entries in any order. */
const readers: Record<
  TracedKind,
  (db: Db, traced: Traced) => Promise<{ facts: Details; entries: TraceEntry[] }>
> = {
  async message(db, { accountId, id }) {
    const [message] = await traceMessages(db, accountId, { id }, 1);
    const { entries } = await deliveriesOf(db, accountId, { subjectId: id });
    return {
      facts: message ? messageFacts(message) : {},
      entries: [...(message ? messageEntries(message) : []), ...entries],
    };
  },
  async send(db, { accountId, id }) {
    const send = await traceSend(db, accountId, id);
    const messages = await traceMessages(db, accountId, { sendId: id }, messagesShown);
    const counts = await countStates(db, accountId, id, messagesCounted);
    const ofMessages: TraceEntry[] = [];
    for (const message of messages) {
      const { entries } = await deliveriesOf(db, accountId, { subjectId: message.id });
      ofMessages.push(...messageEntries(message, { messageId: message.id }), ...entries);
    }
    const states = counts.map(({ state, count }) => [`messages ${stateName(state as never)}`, count]);
    return {
      facts: { recipients: send?.total, shown: messages.length, ...Object.fromEntries(states) },
      entries: [...(send ? sendEntries(send) : []), ...ofMessages],
    };
  },
  async booking(db, { accountId, id }) {
    const booking = await traceBooking(db, accountId, id);
    const { entries } = await deliveriesOf(db, accountId, { bookingId: id });
    return {
      facts: booking ? bookingFacts(booking) : {},
      entries: [...(booking ? bookingEntries(booking) : []), ...entries],
    };
  },
  async delivery(db, { accountId, id }) {
    const { deliveries, entries } = await deliveriesOf(db, accountId, { id });
    const [delivery] = deliveries;
    const [message] = delivery ? await traceMessages(db, accountId, { id: delivery.subject_id }, 1) : [];
    return {
      facts: delivery
        ? {
            ...aboutDelivery(delivery),
            status: deliveryStateNames[delivery.state],
            attempts: delivery.attempts,
            endpoint: delivery.url,
            messageId: message?.id,
          }
        : {},
      entries: [...entries, ...(message ? messageEntries(message) : [])],
    };
  },
};

/** Everything known of an id: ours, or the platform's of a message. Throws 404 `not_found`. */
export async function traceOf(db: Db, id: string): Promise<Trace> {
  const traced = isUuid(id) ? await findTraced(db, id.toLowerCase()) : await findTracedByReference(db, id);
  if (!traced)
    throw new AppError(
      'not_found',
      `No message, send, booking or delivery has the id ${id}. Use the id of a response, or the platform's id of a message.`,
    );
  const { facts, entries } = await readers[traced.kind](db, traced);
  const changes = await traceChanges(db, traced.accountId, traced.id);
  const timeline = [
    ...entries,
    ...changes.flatMap(({ at, action, actor_kind: by, actor_name: name }) => entry(at, action, { by, name })),
  ].sort((a, b) => compareTexts(a.at, b.at));
  return { ...traced, facts, timeline };
}
