// A benchmark process that publishes events and delivers them as the gateway does, on the database of a running gateway.
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { openCipher, parseKeyRing } from '../src/base/cipher.ts';
import { systemClock } from '../src/base/clock.ts';
import { uuidv7 } from '../src/base/ids.ts';
import { openLog } from '../src/base/log.ts';
import { openOutgoing } from '../src/base/outgoing/outgoing.ts';
import { type Connection, type Db, openDb } from '../src/db/db.ts';
import { type Deliveries, openDeliveries } from '../src/webhooks/delivery/deliveries.ts';
import { stages } from '../src/webhooks/delivery/delivery.ts';
import { messageStatusBody } from '../src/webhooks/delivery/event.ts';
import { publish } from '../src/webhooks/publish.ts';
import { startWorker, type Worker } from '../src/work/worker.ts';
import { nowMs, serveParent } from './child.ts';

export interface OpenInput {
  connection: Connection;
  keyRing: string;
  accountId: string;
}

export interface PublishInput {
  messages: number;
  /** Messages per transaction. */
  perCommit: number;
  /** Events per second; 0: all are published before any is delivered, so that they are claimed. */
  perSecond: number;
  /** Stages per message, at most three (default 3). */
  stages?: number;
  /** Accounts that take turns, one commit each; default: the account given to open. */
  accountIds?: string[];
}

interface Publisher {
  db: Db;
  deliveries: Deliveries;
  accountId: string;
  worker: Worker | undefined;
  delivered: () => number;
}

const timeoutMs = 15_000;
const stageNames = ['sent', 'delivered', 'read'] as const;
const log = openLog('info', { write: () => {} });
let publisher: Publisher | undefined;

function open({ connection, keyRing, accountId }: OpenInput): void {
  const db = openDb(connection, { maxConnections: 16, applicationName: 'bench webhooks', hot: true });
  let delivered = 0;
  const deliveries = openDeliveries(
    {
      hot: db,
      processId: 0,
      clock: systemClock,
      log,
      cipher: openCipher(parseKeyRing(keyRing)),
      webhookTimeoutMs: timeoutMs,
      webhookOutgoing: openOutgoing({
        connectionsPerOrigin: null,
        keepAliveMs: 30_000,
        guard: { allowCidrs: ['127.0.0.0/8'], httpsOnly: false },
      }),
    },
    { onAttempt: (outcome) => (delivered += outcome.delivered ? 1 : 0) },
  );
  publisher = { db, deliveries, accountId, worker: undefined, delivered: () => delivered };
}

function opened(): Publisher {
  if (!publisher) throw new Error('call open first');
  return publisher;
}

/** Claims due deliveries, as the gateway's worker does; returns the start time. */
function startDelivering(): number {
  const { deliveries } = opened();
  const worker = startWorker(
    { name: 'deliver', perform: () => deliveries.claimDue(), idleMs: 250 },
    { clock: systemClock, log },
  );
  deliveries.onCapacity(() => worker.nudge());
  opened().worker = worker;
  return nowMs();
}

const eventBody = (id: string, status: (typeof stageNames)[number]) =>
  messageStatusBody(
    {
      messageId: `wamid.HBgMNDkxNzAwMDAwMDAwFQIAERgSOUEzQ0E1QjNENENENkU2N0U3AA==`,
      id,
      sendId: id,
      status,
      recipientPhone: '491700000000',
      timestamp: Math.floor(Date.now() / 1000),
      error: null,
      metadata: null,
    },
    Date.now(),
  );

function eventsOf(accountId: string, ids: string[], ofStages: readonly (typeof stageNames)[number][]) {
  return ids.flatMap((subjectId) =>
    ofStages.map((status) => ({
      accountId,
      subjectId,
      stage: stages[status],
      kind: 'messages.status',
      messageId: null,
      body: eventBody(subjectId, status),
    })),
  );
}

/** Publishes messages and their stages; returns when each message's events were committed. */
async function publishAll(input: PublishInput): Promise<Map<string, number>> {
  const { db, deliveries, accountId } = opened();
  const accountIds = input.accountIds ?? [accountId];
  const ofStages = stageNames.slice(0, input.stages);
  const committed = new Map<string, number>();
  const perCommitMs = input.perSecond > 0 ? (1000 * input.perCommit * ofStages.length) / input.perSecond : 0;
  const began = nowMs();
  const commits: Promise<void>[] = [];
  const one = async (ids: string[], account: string) => {
    const leasedDeliveries = await db.transaction().execute((tx) =>
      // a backlog is not leased
      publish(
        { deliveries: perCommitMs > 0 ? deliveries : withoutLeases(deliveries) },
        tx,
        eventsOf(account, ids, ofStages),
      ),
    );
    const at = nowMs();
    for (const id of ids) committed.set(id, at);
    if (perCommitMs > 0) deliveries.offer(leasedDeliveries);
  };
  for (let made = 0; made < input.messages; made += input.perCommit) {
    const count = Math.min(input.perCommit, input.messages - made);
    const ids = Array.from({ length: count }, () => uuidv7(Date.now()));
    const account = accountIds[(made / input.perCommit) % accountIds.length] as string;
    if (perCommitMs === 0) {
      await one(ids, account);
      continue;
    }
    const waitMs = began + (made / input.perCommit) * perCommitMs - nowMs();
    if (waitMs > 0) await new Promise((go) => setTimeout(go, waitMs));
    commits.push(one(ids, account));
  }
  await Promise.all(commits);
  return committed;
}

/** Reports every endpoint as busy, so that publishing leases no deliveries. */
function withoutLeases(deliveries: Deliveries): Pick<Deliveries, 'offer' | 'busyEndpoints' | 'processId'> {
  return { processId: 0, offer: (leased) => deliveries.offer(leased), busyEndpoints: () => endpoints };
}
let endpoints: string[] = [];

/** The same bytes, signed in both conventions and posted by bare undici; returns start and end. */
async function bare(input: { url: string; secret: string; messages: number; connections: number }) {
  const pool = new Pool(new URL(input.url).origin, {
    connections: input.connections,
    pipelining: 1,
    keepAliveTimeout: 30_000,
  });
  const path = new URL(input.url).pathname;
  const standard = Buffer.from(input.secret.replace(/^whsec_/, ''), 'base64');
  const ids = Array.from({ length: input.messages }, () => uuidv7(Date.now()));
  const bodies = stageNames.map((status) => ids.map((id) => eventBody(id, status)));
  const began = nowMs();
  for (const ofStage of bodies) {
    let next = 0;
    const line = async () => {
      for (let at = next++; at < ofStage.length; at = next++) {
        const body = ofStage[at] as string;
        const id = ids[at] as string;
        const seconds = String(Math.floor(Date.now() / 1000));
        const response = await pool.request({
          method: 'POST',
          path,
          headers: {
            'content-type': 'application/json',
            'user-agent': 'chatbot-gateway-webhooks',
            'x-webhook-signature': `sha256=${createHmac('sha256', input.secret).update(body).digest('hex')}`,
            'webhook-id': id,
            'webhook-timestamp': seconds,
            'webhook-signature': `v1,${createHmac('sha256', standard).update(`${id}.${seconds}.${body}`).digest('base64')}`,
          },
          body,
        });
        await response.body.dump();
      }
    };
    await Promise.all(Array.from({ length: input.connections }, line));
  }
  const endedAtMs = nowMs();
  await pool.close();
  return { startedAtMs: began, endedAtMs };
}

serveParent({
  open,
  start: startDelivering,
  endpoints: (ids: string[]) => {
    endpoints = ids;
  },
  stop: async () => {
    await opened().worker?.stop();
  },
  publish: publishAll,
  bare,
  delivered: () => opened().delivered(),
});
