// The check of inbound messages, replies and opt-outs: each is stored once and has one event at every endpoint. Pure.
import type { CallerResponse, Evidence, Hook } from './evidence.ts';
import type { Report } from './guarantees.ts';
import { type Parsed, wasAcknowledged } from './parsed-events.ts';

/** Compares what people wrote, and what they were answered, with the rows. */
export function checkPeople(evidence: Evidence, report: Report, figures: Record<string, number>): void {
  const { written, received, replies, messages, accepted } = evidence;
  figures['inbound messages'] = written.length;
  figures.replies = replies.length;
  const rowsOf = Map.groupBy(received, ({ messageRef }) => messageRef);
  for (const { messageRef } of written) {
    const count = rowsOf.get(messageRef)?.length ?? 0;
    if (count === 0) report('received_lost', messageRef, 'the platform reported it');
    if (count > 1) report('received_twice', messageRef, `${count} rows have it`);
  }
  const rows = new Map(messages.map((row) => [row.id, row]));
  const acceptedOf = new Map(accepted.map((one) => [one.opaque, one]));
  for (const { phone, responses } of replies) {
    if (new Set(responses.map(({ text }) => text)).size > 1)
      report('responses_differ', `the reply to ${phone}`, responses.map(({ text }) => text).join(' | '));
    for (const { id, messageId } of responses.slice(0, 1).map(dataOf)) {
      if (rows.get(id)?.phone !== phone) report('lost', id, 'it is in a response to a reply, but has no row');
      if (messageId !== null && acceptedOf.get(id)?.wamid !== messageId)
        report('untrue_response', id, `the response says ${messageId}`);
    }
  }
}

const dataOf = ({ text }: CallerResponse) =>
  (JSON.parse(text) as { data: { id: string; messageId: string | null } }).data;

/** Checks the events of inbound messages and opt-outs at one endpoint; returns how many different ones arrived. */
export function checkPeopleEvents(
  evidence: Evidence,
  hook: Hook,
  arrivals: Parsed[],
  report: Report,
): number {
  const of = (
    kind: string,
    key: (data: { messageId: string | null; phone?: string | null }) => string | null,
  ) =>
    Map.groupBy(
      arrivals.filter(({ event }) => event.event === kind),
      ({ event }) => key(event.data as never) ?? '',
    );
  const received = of('messages.received', ({ messageId }) => messageId);
  const optedOut = of('contacts.opted_out', ({ phone }) => phone ?? null);
  const expect = (events: Map<string, Parsed[]>, key: string, what: string) => {
    const own = events.get(key) ?? [];
    if (!own.some(wasAcknowledged)) report('event_missing', `${hook.name} ${key}`, what);
    if (new Set(own.map(({ headers }) => headers['webhook-id'])).size > 1)
      report('webhook_id_changed', `${hook.name} ${key}`, `several events: ${what}`);
  };
  for (const { messageRef } of evidence.written) expect(received, messageRef, 'an inbound message');
  for (const { phone, answeredAtMs } of evidence.optOuts)
    if (answeredAtMs !== null) expect(optedOut, phone, 'an opt-out');
  const known = new Set(evidence.written.map(({ messageRef }) => messageRef));
  for (const ref of received.keys())
    if (!known.has(ref)) report('event_unfounded', `${hook.name} ${ref}`, 'nobody wrote this message');
  return received.size + optedOut.size;
}
