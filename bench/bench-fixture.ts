// The fixture of every workload: the real program, the sandbox and a receiver, each in its own process, set up through the API.
import { ChatbotGateway } from '../client/src/client.ts';
import { gatewaySettings } from '../demo/gateway-settings.ts';
import { cloudApiControl } from '../sandbox/control.ts';
import { googleControl } from '../sandbox/google/control-client.ts';
import { createAccount } from '../src/accounts/keys.ts';
import { systemClock } from '../src/base/clock.ts';
import { type Db, openDb } from '../src/db/db.ts';
import { findCluster } from '../src/db/embedded/folders.ts';
import { readPostmaster } from '../src/db/embedded/postmaster.ts';
import { findRunningEmbedded } from '../src/db/embedded/running.ts';
import { cpuMs, familyCpuMs, type Meters } from './cpu.ts';
import { progress } from './print.ts';
import {
  type GatewayProcess,
  type RpcProcess,
  type SandboxProcess,
  startGatewayProcess,
  startRpcProcess,
  startSandboxProcess,
} from './processes.ts';

export interface Account {
  accountId: string;
  apiKey: string;
  /** For set-up and for calls that are not measured in bulk: those are bare HTTP (`callers.ts`). */
  client: ChatbotGateway;
}

export interface Numbers {
  senderIds: string[];
  /** By the template's name. */
  templateIds: Record<string, string>;
}

/** What a process needs to send the order template from these numbers through the gateway at `url`. */
export const sendTarget = (url: string, { apiKey }: Account, { senderIds, templateIds }: Numbers) => ({
  ...{ url, apiKey, senderIds, templateId: templateIds.order_update as string },
});

export interface BenchFixture {
  gateway: GatewayProcess;
  sandbox: SandboxProcess;
  receiver: RpcProcess;
  receiverUrl: string;
  db: Db;
  platform: ReturnType<typeof cloudApiControl>;
  google: ReturnType<typeof googleControl>;
  /** CPU of each process. */
  meters: Meters;
  account(name: string): Promise<Account>;
  /**
   * Adds numbers with 1,000 messages per second on one app, and the benchmarks' templates, to an account. The app's callbacks go to
   * the gateway at `url` (default: the fixture's).
   */
  numbers(account: Account, count: number, url?: string): Promise<Numbers>;
  /** Starts another gateway process with these settings in addition to the fixture's. The caller stops it. */
  anotherGateway(settings: Record<string, string>): Promise<GatewayProcess>;
  /** Creates an endpoint of the account at the receiver's hook. */
  endpoint(account: Account, hook: string): Promise<void>;
  close(): Promise<void>;
}

/** The gateway's OAuth client at the sandbox's Google. */
export const googleClient = { id: 'bench-client.apps.example', secret: 'bench-client-secret' };
const verifyToken = 'bench-verify-token';

const bodyOf = (text: string, example: string[]) => ({
  type: 'BODY',
  text,
  example: { body_text: [example] },
});

/** The templates of every benchmark. */
const templates = [
  {
    name: 'order_update',
    category: 'UTILITY',
    components: [
      bodyOf('Hello {{1}}, your order {{2}} will arrive {{3}}. Thank you!', ['Ada', 'A-1', 'today']),
    ],
  },
  {
    name: 'order_terms',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['4::sample'] } },
      bodyOf('Hello {{1}}, here are the terms of your order {{2}}, which will arrive {{3}}.', [
        'Ada',
        'A-1',
        'today',
      ]),
    ],
  },
  {
    name: 'summer_sale',
    category: 'MARKETING',
    components: [bodyOf('Hello {{1}}, everything is {{2}} cheaper until {{3}}.', ['Ada', '10 %', 'Friday'])],
  },
  {
    name: 'login_code',
    category: 'AUTHENTICATION',
    components: [
      { type: 'BODY', text: '{{1}} is your verification code.', add_security_recommendation: true },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
    ],
  },
];

async function openDatabaseOf(dataDir: string): Promise<{ db: Db; serverPid: number }> {
  const connection = await findRunningEmbedded(dataDir);
  const server = await readPostmaster((await findCluster(dataDir)) ?? '');
  if (!connection || !server) throw new Error('the embedded database of the gateway was not found');
  const db = openDb(connection, {
    maxConnections: 2,
    applicationName: 'bench',
    statementTimeoutMs: 0,
    idleInTransactionTimeoutMs: 0,
  });
  return { db, serverPid: server.pid };
}

/** Starts everything, with callbacks posted immediately; `nodeFlags` are for the gateway. */
export async function startBenchFixture(
  options: { settings?: Record<string, string>; nodeFlags?: string[] } = {},
): Promise<BenchFixture> {
  progress('starting the sandbox, a receiver, and the gateway with its database');
  const [sandbox, receiver] = [await startSandboxProcess(), startRpcProcess('receiver.ts')];
  const startGateway = (settings: Record<string, string> = {}) =>
    startGatewayProcess(
      {
        ...gatewaySettings(sandbox, googleClient),
        RATE_LIMIT_PER_MINUTE: '0',
        ...options.settings,
        ...settings,
      },
      options.nodeFlags,
    );
  const gateway = await startGateway();
  const { db, serverPid } = await openDatabaseOf(gateway.dataDir);
  const platform = cloudApiControl(sandbox.cloudApiUrl);
  await platform.settings({
    sentMs: 0,
    deliveredMs: 0,
    readMs: 0,
    messagesPerSecond: 0,
    pairRate: false,
  });
  const google = googleControl(sandbox.googleUrl);
  await google.putClient(googleClient);
  const receiverUrl = await receiver.call<string>('url');
  return {
    gateway,
    sandbox,
    receiver,
    receiverUrl,
    db,
    platform,
    google,
    meters: {
      gateway: () => cpuMs(gateway.pid),
      postgres: () => familyCpuMs(serverPid),
      platform: () => cpuMs(sandbox.pid),
      receiver: () => cpuMs(receiver.pid),
    },
    async account(name) {
      const { accountId, key } = await createAccount({ db, clock: systemClock }, name);
      return {
        accountId,
        apiKey: key.apiKey,
        client: new ChatbotGateway({ baseUrl: gateway.url, apiKey: key.apiKey, retries: 0 }),
      };
    },
    numbers: (account, count, url = gateway.url) => addNumbers(account, count, { url, platform }),
    anotherGateway: startGateway,
    async endpoint(account, hook) {
      const url = `${receiverUrl}/hooks/${hook}`;
      const { secret } = await account.client.createEndpoint({ body: { url } });
      await receiver.call('secret', { hook, secret });
    },
    async close() {
      await db.destroy();
      await gateway.stop();
      await Promise.all([sandbox.stop(), receiver.stop()]);
    },
  };
}

let apps = 0;

async function addNumbers(
  account: Account,
  count: number,
  { url, platform }: Pick<BenchFixture, 'platform'> & { url: string },
): Promise<Numbers> {
  const series = String(++apps).padStart(3, '0');
  const app = {
    id: `10000000000${series}`,
    secret: String(series).padStart(32, '0'),
    token: `bench-token-${series}`,
  };
  const wabaId = `20000000000${series}`;
  await platform.addApp({ id: app.id, secret: app.secret, tokens: [app.token] });
  await platform.addWaba({ id: wabaId, appId: app.id });
  for (const template of templates) await platform.addTemplate({ ...template, wabaId });
  const senderIds: string[] = [];
  for (let index = 0; index < count; index++) {
    const phoneNumberId = `30000000${series}${String(index).padStart(3, '0')}`;
    const displayPhoneNumber = `+1 555 ${series} ${String(index).padStart(4, '0')}`;
    await platform.addNumber({ id: phoneNumberId, wabaId, displayPhoneNumber, messagesPerSecond: 0 });
    const { _id } = await account.client.createSender({
      body: {
        name: `Number ${index}`,
        phoneNumberId,
        businessAccountId: wabaId,
        accessToken: app.token,
        appSecret: app.secret,
        verifyToken,
        messagesPerSecond: 1_000,
      },
    });
    senderIds.push(_id);
  }
  await platform.subscribe(app.id, `${url}/callbacks/messaging/${senderIds[0]}`, verifyToken);
  await account.client.syncTemplates();
  const { items } = await account.client.listTemplates({ limit: 100 });
  return {
    senderIds,
    templateIds: Object.fromEntries(items.map((item) => [item.providerTemplateName, item._id])),
  };
}
