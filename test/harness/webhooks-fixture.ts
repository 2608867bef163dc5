// The webhooks module on a real database, with a simulated receiver on loopback.
import { sql } from 'kysely';
import { pino } from 'pino';
import { openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import type { Db } from '../../src/db/db.ts';
import type { Server } from '../../src/http/request.ts';
import { type DeliverDeps, type Deliveries, openDeliveries } from '../../src/webhooks/delivery/deliveries.ts';
import type { DeliverySettings } from '../../src/webhooks/delivery/settings.ts';
import { takeOverExpired } from '../../src/webhooks/delivery/take-over.ts';
import { endpointRoutes } from '../../src/webhooks/endpoints/routes.ts';
import { deliveryRoutes } from '../../src/webhooks/history/routes.ts';
import { maintainWebhooks } from '../../src/webhooks/maintenance/maintenance.ts';
import { type EventToPublish, messageStatusBody, publish } from '../../src/webhooks/publish.ts';
import { replayRoutes } from '../../src/webhooks/replay/routes.ts';
import { testEventRoute } from '../../src/webhooks/test-event-routes.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type Hooks, startHooks } from './hooks.ts';
import { openModuleServer } from './module-server.ts';
import { insertAccount } from './rows.ts';

export type StageName = 'sent' | 'delivered' | 'read' | 'failed';
const stageNumbers = { sent: 3, delivered: 4, read: 5, failed: 6 } as const;

export interface WebhooksFixture {
  database: TestDatabase;
  db: Db;
  hot: Db;
  server: Server;
  deliveries: Deliveries;
  hooks: Hooks;
  /** Stopped at `nowMs` and `steadyMs` if they are set. */
  clock: Clock & { nowMs: number | undefined; steadyMs: number | undefined };
  /** Creates an account; pass its id to `call`. */
  account(): Promise<string>;
  call(
    accountId: string,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Reply }>;
  /** Creates an endpoint for that hook; returns its id and secret. */
  endpoint(accountId: string, hook: string, more?: object): Promise<{ id: string; secret: string }>;
  /** Publishes stages of one message in one transaction. `offer` false: the deliveries are not offered, as after a crash. */
  stages(accountId: string, messageId: string, names: StageName[], offer?: boolean): Promise<void>;
  /** The first page of an account's deliveries from the API. */
  listed(accountId: string, query?: string): Promise<Reply['data'][]>;
  /** Makes an endpoint's retries (`tries`) or leased deliveries (`leases`) due now. */
  makeDue(endpointId: string, what?: 'tries' | 'leases'): Promise<void>;
  /** Pauses every endpoint, so that the next test does not claim due deliveries of this one. */
  pauseAll(): Promise<void>;
  runMaintenance(): Promise<void>;
  /** Opens the deliveries of another process on the same database. */
  openAnotherProcess(settings?: Partial<DeliverySettings>, deps?: Partial<DeliverDeps>): Deliveries;
  /** Aborts all calls in flight, as a stopping process does after its grace period. */
  abortCalls(): Promise<void>;
  close(): Promise<void>;
}

/** A response of the API, loosely typed. */
export interface Reply {
  success: boolean;
  message: string;
  code?: string;
  errors?: { path: string; message: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: the response of any operation
  data: any;
}

export function stageEvent(accountId: string, messageId: string, name: StageName): EventToPublish {
  const status = {
    messageId: `wamid.${messageId}`,
    id: messageId,
    sendId: uuidv7(),
    status: name,
    recipientPhone: '919876543210',
    timestamp: 1_773_151_200,
    error:
      name === 'failed' ? { code: 131026, title: 'Undeliverable', message: 'Not on the platform.' } : null,
    metadata: null,
  };
  return {
    accountId,
    subjectId: messageId,
    stage: stageNumbers[name],
    kind: 'messages.status',
    messageId: status.messageId,
    body: messageStatusBody(status, Date.now()),
  };
}

/** Opens the fixture; `close` closes everything. `webhookTimeoutMs` is the timeout of a webhook call. */
export async function openWebhooksFixture(
  settings: Partial<DeliverySettings> = {},
  webhookTimeoutMs = 15_000,
): Promise<WebhooksFixture> {
  const database = await createTestDatabase();
  const hooks = await startHooks();
  const log = pino({ level: process.env.TEST_LOG ?? 'silent' });
  const cipher = openCipher(parseKeyRing(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
  const clock: WebhooksFixture['clock'] = {
    nowMs: undefined,
    now: () => clock.nowMs ?? systemClock.now(),
    steadyMs: undefined,
    steady: () => clock.steadyMs ?? systemClock.steady(),
    sleep: systemClock.sleep,
  };
  const webhookOutgoing = openOutgoing({
    connectionsPerOrigin: null,
    keepAliveMs: 1_000,
    guard: { allowCidrs: ['127.0.0.0/8', '::1/128'], httpsOnly: false },
  });
  const deps = {
    db: database.db,
    hot: database.hot,
    processId: 0,
    clock,
    log,
    cipher,
    webhookOutgoing,
    webhookTimeoutMs,
  };
  const opened: Deliveries[] = [];
  const openAnotherProcess = (more: Partial<DeliverySettings> = {}, other: Partial<DeliverDeps> = {}) => {
    const deliveries = openDeliveries({ ...deps, ...other }, { ...settings, ...more });
    opened.push(deliveries);
    return deliveries;
  };
  const deliveries = openAnotherProcess();
  const server = await openRoutes({ ...deps, deliveries });

  const call: WebhooksFixture['call'] = async (accountId, method, path, body) => {
    const response = await server.inject({
      method,
      url: path,
      headers: {
        'x-account': accountId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: response.json() };
  };
  return {
    database,
    db: database.db,
    hot: database.hot,
    server,
    deliveries,
    hooks,
    clock,
    openAnotherProcess,
    abortCalls: () => webhookOutgoing.close(),
    call,
    account: () => insertAccount(database.db),
    async endpoint(accountId, hook, more = {}) {
      const { body } = await call(accountId, 'POST', '/v1/webhooks/endpoints', {
        url: hooks.url(hook),
        ...more,
      });
      return { id: body.data._id, secret: body.data.secret };
    },
    async stages(accountId, messageId, names, offer = true) {
      const leasedDeliveries = await database.hot.transaction().execute((tx) =>
        publish(
          { deliveries },
          tx,
          names.map((name) => stageEvent(accountId, messageId, name)),
        ),
      );
      if (offer) deliveries.offer(leasedDeliveries);
    },
    async listed(accountId, query = '') {
      return (await call(accountId, 'GET', `/v1/webhooks/deliveries${query}`)).body.data.items;
    },
    async makeDue(endpointId, what = 'tries') {
      if (what === 'leases') await sql`update delivery_leases set due_at = now()`.execute(database.db);
      await takeOverExpired({ hot: database.hot });
      await sql`update deliveries set due_at = now()
        where endpoint_id = ${endpointId} and due_at is not null and state = ${what === 'tries' ? 4 : 0}`.execute(
        database.db,
      );
    },
    async pauseAll() {
      await sql`update endpoints set status = 'paused' where status = 'active'`.execute(database.db);
    },
    async runMaintenance() {
      while ((await maintainWebhooks({ db: database.db, log })) > 0);
    },
    async close() {
      const stopped = opened.map((one) => one.stop());
      // do not wait for hanging calls
      await hooks.close();
      await Promise.all(stopped);
      await server.close();
      await webhookOutgoing.close();
      await database.drop();
    },
  };
}

/** A server with the routes of the webhooks module. */
async function openRoutes(
  deps: Parameters<typeof endpointRoutes>[1] & Parameters<typeof testEventRoute>[1],
): Promise<Server> {
  const server = openModuleServer('manage');
  endpointRoutes(server, deps);
  testEventRoute(server, deps);
  replayRoutes(server, deps);
  deliveryRoutes(server, deps);
  await server.ready();
  return server;
}
