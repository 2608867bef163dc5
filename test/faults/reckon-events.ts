// Reckons webhooks: every event of every message at each endpoint, in order, rightly signed, and no more often than broken things explain. Pure.
import { createHmac } from 'node:crypto';
import type { Arrival, Break, Evidence, Hook, MessageRow, Taken } from './evidence.ts';
import type { Tell } from './promises.ts';

const order = ['sent', 'delivered', 'read'];
const outcomeUnknown = 900001;

interface EventBody {
  event: string;
  data: {
    id: string;
    messageId: string;
    status: string;
    recipientPhone: string;
    error: { code: number } | null;
  };
}

/** A stage implies those before it. */
const upTo = (stage: string): string[] =>
  stage === 'failed' ? ['failed'] : order.slice(0, order.indexOf(stage) + 1);

/** The stages that an endpoint has to get of a message, and those that it may get. */
function stagesOf(row: MessageRow, taken: Taken | undefined): { owed: string[]; allowed: Set<string> } {
  const reported = taken?.reported ?? [];
  const owed = row.state === 'accepted' ? [] : upTo(row.state);
  return { owed, allowed: new Set([...owed, ...reported.flatMap(upTo)]) };
}

interface Parsed extends Arrival {
  event: EventBody;
}

/** Holds the receiver's account to the rows and the platform's account. */
export function reckonEvents(evidence: Evidence, tell: Tell, figures: Record<string, number>): void {
  const takenOf = new Map(evidence.taken.map((taken) => [taken.opaque, taken]));
  const rows = new Map(evidence.messages.map((row) => [row.id, row]));
  const inOrder = evidence.arrivals.toSorted((a, b) => a.seq - b.seq);
  const byHook = Map.groupBy(inOrder, ({ hook }) => hook);
  figures.arrivals = evidence.arrivals.length;
  figures.events = 0;
  figures.repeats = 0;
  for (const hook of evidence.hooks) {
    const arrivals = signed(byHook.get(hook.name) ?? [], hook, tell);
    const ofMessage = Map.groupBy(arrivals, ({ event }) => event.data.id);
    for (const [id, came] of ofMessage) {
      const row = rows.get(id);
      if (row) holdContent(came, row, takenOf.get(id), hook, tell);
      else tell('event_unfounded', `${hook.name} ${id}`, 'no row is of this message');
    }
    for (const row of evidence.messages)
      figures.events += holdMessage(row, takenOf.get(row.id), ofMessage.get(row.id) ?? [], hook, tell);
    figures.repeats += holdRepeats(arrivals, evidence.breaks, hook, tell);
  }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** True if both signatures are right: the given header's, and Standard Webhooks' (its page "Signature scheme"). */
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

/** Those rightly signed, parsed; the others are told. */
function signed(arrivals: Arrival[], hook: Hook, tell: Tell): Parsed[] {
  return arrivals.flatMap((arrival) => {
    if (isSigned(arrival, hook.secret)) return [{ ...arrival, event: JSON.parse(arrival.body) as EventBody }];
    tell('bad_signature', `${hook.name} ${arrival.headers['webhook-id']}`, arrival.body.slice(0, 200));
    return [];
  });
}

/** A receiver's 2xx: it has the event, and its owner relies on that. Its body may drag on or break: the status counts. */
const wasTaken = ({ answered }: Arrival) => /^(?:drip |flood )?2\d\d$/.test(String(answered));

/** Answers how many different events came. */
function holdMessage(
  row: MessageRow,
  taken: Taken | undefined,
  came: Parsed[],
  hook: Hook,
  tell: Tell,
): number {
  const about = `${hook.name} ${row.id}`;
  const { owed } = stagesOf(row, taken);
  const got = new Set(came.filter(wasTaken).map(({ event }) => event.data.status));
  for (const stage of owed)
    if (!got.has(stage)) tell('event_missing', about, `${stage} of a message that is ${row.state}`);
  if (hook.isOrdered) {
    const firsts = [...new Set(came.map(({ event }) => event.data.status))].filter((one) =>
      order.includes(one),
    );
    if (firsts.join() !== order.filter((one) => firsts.includes(one)).join())
      tell('event_out_of_order', about, `first came: ${firsts.join(', ')}`);
  }
  return new Set(came.map(({ event }) => event.data.status)).size;
}

function holdContent(
  came: Parsed[],
  row: MessageRow,
  taken: Taken | undefined,
  hook: Hook,
  tell: Tell,
): void {
  const { allowed } = stagesOf(row, taken);
  const about = `${hook.name} ${row.id}`;
  const ids = new Set<string>();
  for (const [stage, tries] of Map.groupBy(came, ({ event }) => event.data.status)) {
    const { data } = (tries[0] as Parsed).event;
    const wasUnknown = stage === 'failed' && data.error?.code === outcomeUnknown;
    if (!allowed.has(stage) && !wasUnknown) tell('event_unfounded', about, `${stage} was never reported`);
    if (data.recipientPhone !== row.phone || (data.messageId !== row.wamid && data.messageId !== row.id))
      tell('event_unfounded', about, `it speaks of ${data.messageId} to ${data.recipientPhone}`);
    const id = (tries[0] as Parsed).headers['webhook-id'] ?? '';
    if (ids.has(id)) tell('webhook_id_changed', about, `two stages share ${id}`);
    ids.add(id);
    if (tries.some((one) => one.headers['webhook-id'] !== id || one.body !== tries[0]?.body))
      tell('webhook_id_changed', about, `${stage} came under several ids or with several bodies`);
  }
}

/** Between a receiver's 2xx and its place on disk. */
const recordingMs = 5_000;
/** Calls under way to one endpoint, and successes not yet on disk, at most: what one death can repeat. */
const underWayMax = 64 + 1_000;

/** Answers how many events came again after they had been taken. */
function holdRepeats(arrivals: Parsed[], breaks: Break[], hook: Hook, tell: Tell): number {
  let repeats = 0;
  for (const [key, tries] of Map.groupBy(arrivals, ({ event }) => `${event.data.id} ${event.data.status}`)) {
    let takenAtMs: number | undefined;
    for (const one of tries) {
      const last = takenAtMs;
      if (wasTaken(one)) takenAtMs = one.atMs;
      if (last === undefined) continue;
      repeats += 1;
      const isExplained = breaks.some(
        ({ fromMs, toMs }) => last >= fromMs - recordingMs && last <= toMs + recordingMs,
      );
      if (!isExplained)
        tell('repeat_without_cause', `${hook.name} ${key}`, `taken at ${new Date(last).toISOString()}`);
    }
  }
  if (repeats > underWayMax * Math.max(1, breaks.length))
    tell('too_many_repeats', hook.name, `${repeats} repeats at ${breaks.length} breaks`);
  return repeats;
}
