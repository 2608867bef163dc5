// A whole gateway for one test file: the real program on its own database, with the sandbox's servers.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewaySettings } from '../../demo/gateway-settings.ts';
import { startCloudApi } from '../../sandbox/cloud-api/server.ts';
import { cloudApiControl, receiverControl, type TemplateSeed } from '../../sandbox/control.ts';
import { googleControl } from '../../sandbox/google/control-client.ts';
import { startGoogle } from '../../sandbox/google/server.ts';
import { startReceiver } from '../../sandbox/receiver/server.ts';
import { createAccount } from '../../src/accounts/keys.ts';
import { type App, openApp } from '../../src/app.ts';
import { makeKey, parseKeyRing } from '../../src/base/cipher.ts';
import { type Log, openLog } from '../../src/base/log.ts';
import { readConfig } from '../../src/config.ts';
import { type Connection, openDb } from '../../src/db/db.ts';
import type { AppOptions } from '../../src/parts.ts';
import { createTestDatabase } from './database.ts';

/** A response of the gateway, with its body parsed if it is JSON. */
export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  body: {
    success: boolean;
    message: string;
    code?: string;
    data: T;
    errors?: { path: string; message: string }[];
  };
}

export interface CallOptions {
  body?: unknown;
  key?: string | null;
  headers?: Record<string, string>;
  /** The gateway's URL; default: the first one's. */
  url?: string;
}

export interface GatewayOptions {
  /** Settings by environment variable. */
  settings?: Record<string, string>;
  /** Destination of the log; default: discarded. */
  log?: Log;
  /** Changes the gateway's database connection, for example to a proxy. */
  through?: (connection: Connection) => Promise<Connection>;
  /** Opens another messaging platform than the WhatsApp Cloud API. */
  openPlatform?: AppOptions['openPlatform'];
  /** Lets the gateway reach the sandbox's control, as `npm start` does. */
  sandbox?: boolean;
}

export const googleClient = { id: 'test-client.apps.example', secret: 'test-client-secret' };
/** The app at the platform whose token and secret the sender of `addSender` has. */
export const app = { id: '100100100100100', secret: '315490ac490cfc7c3c5e4bf869b69dab', token: 'test-token' };
export const waba = '200200200200200201';
export const number = { id: '300300300300300301', displayPhoneNumber: '+1 555 010 0000' };
const verifyToken = 'test-verify-token';

/** Starts the three servers of the sandbox, a database, and the gateway with one account. */
export async function startGateway(options: GatewayOptions = {}) {
  const [cloudApi, google, receiver, database, dataDir] = await Promise.all([
    startCloudApi({ settings: { sentMs: 0, deliveredMs: 0, readMs: 0 } }),
    startGoogle({}),
    startReceiver({}),
    createTestDatabase(),
    mkdtemp(join(tmpdir(), 'gateway-test-')),
  ]);
  await googleControl(google.url).putClient(googleClient);
  const configWith = (more: Record<string, string>) =>
    readConfig({
      PORT: '0',
      DATA_DIR: dataDir,
      ...gatewaySettings({ cloudApiUrl: cloudApi.url, googleUrl: google.url }, googleClient),
      RATE_LIMIT_PER_MINUTE: '0',
      ...options.settings,
      ...more,
    });
  const keys = makeKey();
  const keyRing = parseKeyRing(keys);
  const log = options.log ?? openLog('silent');
  const connection = options.through ? await options.through(database.connection) : database.connection;
  const own = options.through
    ? openDb(connection, { maxConnections: 10, applicationName: 'test' })
    : undefined;
  const db = own ?? database.db;
  const open = (more: Record<string, string> = {}, on = { connection, db }) =>
    openApp(
      configWith(more),
      { ...on, close: async () => undefined, stopNow: () => undefined },
      {
        log,
        keyRing,
        ...(options.sandbox
          ? { sandbox: { cloudApiUrl: cloudApi.url, googleUrl: google.url, receiverUrl: receiver.url } }
          : {}),
        ...(options.openPlatform ? { openPlatform: options.openPlatform } : {}),
      },
    );
  const running = await open();
  const beside: App[] = [];
  const { accountId, key } = await createAccount(running, 'Test');

  const call = async <T = Record<string, unknown>>(
    method: string,
    path: string,
    { body, key: with_, headers, url = running.url }: CallOptions = {},
  ): Promise<Answer<T>> => {
    const isRaw = typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(with_ === null ? {} : { 'X-API-Key': with_ ?? key.apiKey }),
        ...(body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: (isRaw ? body : JSON.stringify(body)) as never }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };

  return {
    url: running.url,
    accountId,
    apiKey: key.apiKey,
    database,
    log,
    call,
    platform: cloudApiControl(cloudApi.url),
    google: googleControl(google.url),
    receiver: receiverControl(receiver.url),
    urls: { cloudApi: cloudApi.url, google: google.url, receiver: receiver.url },
    /** Creates another account with its own key. */
    otherAccount: async (name = 'Other') => (await createAccount(running, name)).key.apiKey,
    /** Announces the shutdown of the gateway, as a signal does. */
    drain: (ms: number) => running.drain(ms),
    /** Stops only the gateway, as a signal would. */
    stop: () => running.close(),
    /** Starts a second gateway on the same database and keys, with these settings; returns its URL. */
    async another(more?: Record<string, string>) {
      const app = await open(more);
      beside.push(app);
      return app.url;
    },
    /** Starts a gateway with the same keys and servers on another database; returns it. */
    async on(other: Pick<typeof database, 'connection' | 'db'>, more?: Record<string, string>) {
      const app = await open(more, other);
      beside.push(app);
      return app;
    },
    /** The encryption keys, as ENCRYPTION_KEYS. */
    keys,
    dataDir,
    /** Stops a gateway that `another` started. */
    stopAnother: (url: string) => beside.find((one) => one.url === url)?.close(),
    async close() {
      // together: a call that the platform never answers would be waited for
      const servers = [running, ...beside, cloudApi, google, receiver];
      await Promise.all(servers.map((server) => server.close()));
      await own?.destroy();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** Creates a sender with these templates, subscribed to the platform's callbacks; returns template ids by name. */
export async function addSender(
  gateway: Gateway,
  templates: Omit<TemplateSeed, 'wabaId'>[],
): Promise<{ senderId: string; templateIds: Record<string, string> }> {
  const { platform } = gateway;
  await platform.addApp({ id: app.id, secret: app.secret, tokens: [app.token] });
  await platform.addWaba({ id: waba, appId: app.id });
  await platform.addNumber({ ...number, wabaId: waba, messagesPerSecond: 0 });
  for (const template of templates) await platform.addTemplate({ ...template, wabaId: waba });
  const sender = await gateway.call<{ _id: string }>('POST', '/v1/senders', {
    body: {
      name: 'Test',
      phoneNumberId: number.id,
      businessAccountId: waba,
      accessToken: app.token,
      appSecret: app.secret,
      verifyToken,
      messagesPerSecond: 1000,
    },
  });
  if (sender.status !== 200) throw new Error(sender.text);
  const senderId = sender.body.data._id;
  await platform.subscribe(app.id, `${gateway.url}/callbacks/messaging/${senderId}`, verifyToken);
  await gateway.call('POST', '/v1/templates/sync');
  // a list requested during its read is due again a minute later, in the middle of a test: prevent that
  await gateway.database.db
    .updateTable('template_readings')
    .set({ due_at: new Date(Date.now() + 3_600_000) })
    .execute();
  const list = await gateway.call<{ items: { _id: string; providerTemplateName: string }[] }>(
    'GET',
    '/v1/templates?limit=100',
  );
  const templateIds = Object.fromEntries(
    list.body.data.items.map(({ _id, providerTemplateName }) => [providerTemplateName, _id]),
  );
  return { senderId, templateIds };
}

/** Syncs the platform's templates immediately. */
export async function readTemplates(gateway: Gateway): Promise<Answer<{ count: number }>> {
  await gateway.database.db
    .updateTable('template_readings')
    .set({ not_before: new Date(0) })
    .where('ended_at', 'is not', null)
    .execute();
  return gateway.call<{ count: number }>('POST', '/v1/templates/sync');
}

/** Registers the receiver as a webhook endpoint of the account and gives it the secret. */
export async function addEndpoint(
  gateway: Gateway,
  endpoint: { hook?: string; events?: string[] } = {},
): Promise<{ endpointId: string; secret: string; hook: string }> {
  const hook = endpoint.hook ?? 'main';
  const answer = await gateway.call<{ _id: string; secret: string }>('POST', '/v1/webhooks/endpoints', {
    body: {
      url: gateway.receiver.hookUrl(hook),
      ...(endpoint.events ? { events: endpoint.events } : {}),
    },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const { _id, secret } = answer.body.data;
  await gateway.receiver.setSecrets(hook, secret);
  return { endpointId: _id, secret, hook };
}
