// The collection of a run's evidence: the platform's ledger and calls, the rows, the receiver's ledger.
import { sql } from 'kysely';
import { stateName } from '../../src/messaging/messages/message.ts';
import type { CampaignFixture } from './campaign-fixture.ts';
import type { Arrival, DeliveryRow, Evidence, MessageRow, ReceivedRow } from './evidence.ts';

const page = 1_000;
const stageNames: Record<number, string> = { 3: 'sent', 4: 'delivered', 5: 'read', 6: 'failed' };
const deliveryStates = ['pending', 'delivered', 'dead', 'waiting', 'retrying'];
const headerNames = ['x-webhook-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Where a run begins in the ledgers, which continue from run to run. */
export interface Beginning {
  ledgerSeq: number;
  atMs: number;
  breaks: number;
}

/** Clears the receiver's ledger and the platform's log of calls, and records the position of everything else. */
export async function beginRun({ platform, receiver, gateways }: CampaignFixture): Promise<Beginning> {
  await Promise.all([receiver.clear(), platform.clearCalls()]);
  const { accepted } = await platform.counts();
  return { ledgerSeq: accepted, atMs: Date.now(), breaks: gateways.outages.length };
}

/** What the callers, operators and people did. */
export type OfCallers = Pick<
  Evidence,
  | 'sends'
  | 'operated'
  | 'optOuts'
  | 'written'
  | 'replies'
  | 'unexpectedResponses'
  | 'unanswered'
  | 'resumed'
  | 'unfinished'
>;

/** Everything that a run left behind. */
export async function collect(fixture: CampaignFixture, begin: Beginning, run: OfCallers): Promise<Evidence> {
  const [accepted, calls, messages, deliveries, arrivals, received] = await Promise.all([
    acceptedMessagesOf(fixture, begin),
    callsOf(fixture),
    messagesOf(fixture, begin),
    deliveriesOf(fixture, begin),
    arrivalsOf(fixture),
    receivedOf(fixture),
  ]);
  const { outages, unexpectedExits } = fixture.gateways;
  const records = { accepted, calls, messages, deliveries, arrivals, received };
  return { ...run, ...records, hooks: fixture.hooks, outages: outages.slice(begin.breaks), unexpectedExits };
}

async function acceptedMessagesOf(
  { platform }: CampaignFixture,
  { ledgerSeq }: Beginning,
): Promise<Evidence['accepted']> {
  const all: Evidence['accepted'] = [];
  for (let after = ledgerSeq; ; ) {
    const entries = await platform.ledger({ after, limit: page });
    for (const { opaque, wamid, phone, steps } of entries) {
      const reported = steps.filter(({ answers }) => answers.includes(200)).map(({ status }) => status);
      all.push({ opaque, wamid, phone, reported, open: steps.filter(({ done }) => !done).length });
    }
    if (entries.length < page) return all;
    after = entries.at(-1)?.seq ?? after;
  }
}

async function callsOf({ platform }: CampaignFixture): Promise<Evidence['calls']> {
  const all: Evidence['calls'] = [];
  for (;;) {
    const calls = await platform.calls({ after: all.length, limit: page });
    all.push(...calls);
    if (calls.length < page) return all;
  }
}

async function arrivalsOf({ receiver }: CampaignFixture): Promise<Arrival[]> {
  const all: Arrival[] = [];
  for (let since = 0; ; ) {
    const events = await receiver.events({ since, limit: page });
    for (const { seq, hook, at, answered, headers, body } of events) {
      const kept = headerNames.map((name) => [name, String(headers[name] ?? '')]);
      all.push({ seq, hook, atMs: Date.parse(at), answered, headers: Object.fromEntries(kept), body });
    }
    if (events.length < page) return all;
    since = events.at(-1)?.seq ?? since;
  }
}

async function messagesOf(
  { database, accountId }: CampaignFixture,
  { atMs }: Beginning,
): Promise<MessageRow[]> {
  const { rows } = await sql<Omit<MessageRow, 'state'> & { state: number }>`
    select id, send_id as "sendId", phone, state, (error ->> 'code')::int as "errorCode", wamid,
      (('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint) as "createdAtMs"
    from messages where account_id = ${accountId} and id >= uuid7_floor(to_timestamp(${atMs - 1} / 1000.0))
    order by id`.execute(database.db);
  return rows.map((row) => ({ ...row, state: stateName(row.state) }));
}

async function deliveriesOf(
  { database, hooks }: CampaignFixture,
  { atMs }: Beginning,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<{
    id: string;
    endpointId: string;
    messageId: string;
    stage: number;
    state: number;
  }>`
    select id, endpoint_id as "endpointId", subject_id as "messageId", stage, state from deliveries
    where subject_id >= uuid7_floor(to_timestamp(${atMs - 1} / 1000.0))`.execute(database.db);
  const nameOf = new Map(hooks.map(({ endpointId, name }) => [endpointId, name]));
  return rows.map(({ id, endpointId, messageId, stage, state }) => ({
    id,
    hook: nameOf.get(endpointId) ?? endpointId,
    messageId,
    stage: stageNames[stage] ?? String(stage),
    state: deliveryStates[state] ?? String(state),
  }));
}

async function receivedOf({ database, accountId }: CampaignFixture): Promise<ReceivedRow[]> {
  const { rows } = await sql<ReceivedRow>`
    select id, message_ref as "messageRef" from received_messages where account_id = ${accountId}`.execute(
    database.db,
  );
  return rows;
}
