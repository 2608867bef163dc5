// The check of webhooks: each endpoint got every event in order and correctly signed, and faults explain all repeats. Pure.
import { createHmac } from 'node:crypto';
import { checkPeopleEvents } from './check-people.ts';
import type { AcceptedMessage, Arrival, Evidence, Hook, MessageRow, Outage } from './evidence.ts';
import type { Report } from './guarantees.ts';
import { type EventBody, type Parsed, wasAcknowledged } from './parsed-events.ts';

const order = ['sent', 'delivered', 'read'];
const outcomeUnknown = 900001;
/** The events about the stages of messages. */
const stageEvents = new Set(['messages.status', 'replies.status']);

/** A stage implies the stages before it. */
const upTo = (stage: string): string[] =>
  stage === 'failed' ? ['failed'] : order.slice(0, order.indexOf(stage) + 1);

/** The stages of a message that an endpoint must get, and those that it may get. */
function stagesOf(
  row: MessageRow,
  accepted: AcceptedMessage | undefined,
): { expected: string[]; allowed: Set<string> } {
  const reported = accepted?.reported ?? [];
  const expected = row.state === 'accepted' ? [] : upTo(row.state);
  return { expected, allowed: new Set([...expected, ...reported.flatMap(upTo)]) };
}

/** Compares what the receiver got with the rows and with what the platform reported. */
export function checkEvents(evidence: Evidence, report: Report, figures: Record<string, number>): void {
  const acceptedOf = new Map(evidence.accepted.map((accepted) => [accepted.opaque, accepted]));
  const rows = new Map(evidence.messages.map((row) => [row.id, row]));
  const inOrder = evidence.arrivals.toSorted((a, b) => a.seq - b.seq);
  const byHook = Map.groupBy(inOrder, ({ hook }) => hook);
  figures.arrivals = evidence.arrivals.length;
  figures.events = 0;
  figures.repeats = 0;
  for (const hook of evidence.hooks) {
    const arrivals = verifiedArrivals(byHook.get(hook.name) ?? [], hook, report);
    const stages = arrivals.filter(({ event }) => stageEvents.has(event.event));
    const ofMessage = Map.groupBy(stages, ({ event }) => event.data.id);
    for (const [id, arrivals] of ofMessage) {
      const row = rows.get(id);
      if (row) checkContent(arrivals, row, acceptedOf.get(id), hook, report);
      else report('event_unfounded', `${hook.name} ${id}`, 'this message has no row');
    }
    for (const row of evidence.messages)
      figures.events += checkMessage(row, acceptedOf.get(row.id), ofMessage.get(row.id) ?? [], hook, report);
    figures.events += checkPeopleEvents(evidence, hook, arrivals, report);
    figures.repeats += checkRepeats(arrivals, evidence.outages, hook, report);
  }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** True if both signatures are correct: `x-webhook-signature`, and that of Standard Webhooks ("Signature scheme"). */
export function isSigned(arrival: Pick<Arrival, 'headers' | 'body'>, secret: string): boolean {
  const { headers, body } = arrival;
  const given = `sha256=${hmac(secret, body).digest('hex')}`;
  const standardKey = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const standard = `v1,${hmac(standardKey, content).digest('base64')}`;
  return (
    headers['x-webhook-signature'] === given &&
    (headers['webhook-signature'] ?? '').split(' ').includes(standard)
  );
}

/** The correctly signed arrivals, parsed; reports the others. */
function verifiedArrivals(arrivals: Arrival[], hook: Hook, report: Report): Parsed[] {
  return arrivals.flatMap((arrival) => {
    if (isSigned(arrival, hook.secret)) return [{ ...arrival, event: JSON.parse(arrival.body) as EventBody }];
    report('bad_signature', `${hook.name} ${arrival.headers['webhook-id']}`, arrival.body.slice(0, 200));
    return [];
  });
}

/** Returns the number of different events that arrived. */
function checkMessage(
  row: MessageRow,
  accepted: AcceptedMessage | undefined,
  arrivals: Parsed[],
  hook: Hook,
  report: Report,
): number {
  const about = `${hook.name} ${row.id}`;
  const { expected } = stagesOf(row, accepted);
  const got = new Set(arrivals.filter(wasAcknowledged).map(({ event }) => event.data.status));
  for (const stage of expected)
    if (!got.has(stage)) report('event_missing', about, `${stage} of a message that is ${row.state}`);
  if (hook.isOrdered) {
    const firsts = [...new Set(arrivals.map(({ event }) => event.data.status))].filter((one) =>
      order.includes(one),
    );
    if (firsts.join() !== order.filter((one) => firsts.includes(one)).join())
      report('event_out_of_order', about, `first arrivals: ${firsts.join(', ')}`);
  }
  return new Set(arrivals.map(({ event }) => event.data.status)).size;
}

function checkContent(
  arrivals: Parsed[],
  row: MessageRow,
  accepted: AcceptedMessage | undefined,
  hook: Hook,
  report: Report,
): void {
  const { allowed } = stagesOf(row, accepted);
  const about = `${hook.name} ${row.id}`;
  const ids = new Set<string>();
  for (const [stage, attempts] of Map.groupBy(arrivals, ({ event }) => event.data.status)) {
    const { data } = (attempts[0] as Parsed).event;
    const wasUnknown = stage === 'failed' && data.error?.code === outcomeUnknown;
    if (!allowed.has(stage) && !wasUnknown) report('event_unfounded', about, `${stage} was never reported`);
    if (data.recipientPhone !== row.phone || (data.messageId !== row.wamid && data.messageId !== row.id))
      report('event_unfounded', about, `it names ${data.messageId} and ${data.recipientPhone}`);
    const id = (attempts[0] as Parsed).headers['webhook-id'] ?? '';
    if (ids.has(id)) report('webhook_id_changed', about, `two stages share ${id}`);
    ids.add(id);
    if (attempts.some((one) => one.headers['webhook-id'] !== id || one.body !== attempts[0]?.body))
      report('webhook_id_changed', about, `${stage} arrived with different ids or bodies`);
  }
}

/** Longest time between a receiver's 2xx and its record on disk. */
const recordingMs = 5_000;
/** Concurrent calls to one endpoint plus unrecorded successes: what one kill can repeat. */
const inFlightMax = 64 + 1_000;

/** The timeout of an attempt (campaign-fixture.ts). */
const attemptTimeoutMs = 4_000;

/** How long before its arrival an attempt was signed, in milliseconds, up to a second too much. */
const lateMs = ({ headers, atMs }: Arrival): number => atMs - Number(headers['webhook-timestamp']) * 1000;

/** True if the gateway may have given up before the receiver, on a busy machine, read the request. */
const isLate = (one: Arrival): boolean => lateMs(one) > attemptTimeoutMs;

const timeOf = (ms: number) => new Date(ms).toISOString();

/** When it was acknowledged and arrived again, and the last outage that began before. */
function describeRepeat(acknowledged: Arrival, again: Arrival, outages: Outage[]): string {
  const before = outages.filter(({ fromMs }) => fromMs <= again.atMs);
  const last = before.toSorted((a, b) => a.toMs - b.toMs).at(-1);
  return (
    `acknowledged at ${timeOf(acknowledged.atMs)}, up to ${lateMs(acknowledged)} ms after it was signed, again at ${timeOf(again.atMs)}; ` +
    (last ? `the last outage: ${last.kind} from ${timeOf(last.fromMs)} to ${timeOf(last.toMs)}` : 'no outage')
  );
}

/** Returns how many events arrived again after they were acknowledged. */
function checkRepeats(arrivals: Parsed[], outages: Outage[], hook: Hook, report: Report): number {
  let repeats = 0;
  for (const [key, attempts] of Map.groupBy(arrivals, ({ headers }) => headers['webhook-id'] ?? '')) {
    let acknowledged: Parsed | undefined;
    for (const one of attempts) {
      const acknowledgement = acknowledged;
      if (wasAcknowledged(one) && !isLate(one)) acknowledged = one;
      if (acknowledgement === undefined) continue;
      const last = acknowledgement.atMs;
      repeats += 1;
      const isExplained = outages.some(
        ({ fromMs, toMs }) => last >= fromMs - recordingMs && last <= toMs + recordingMs,
      );
      if (!isExplained)
        report('repeat_without_cause', `${hook.name} ${key}`, describeRepeat(acknowledgement, one, outages));
    }
  }
  if (repeats > inFlightMax * Math.max(1, outages.length))
    report('too_many_repeats', hook.name, `${repeats} repeats at ${outages.length} outages`);
  return repeats;
}
