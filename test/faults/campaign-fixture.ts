// The campaign's fixture: one PostgreSQL, the platform and the receiver, one or two gateways, an account with numbers, templates and endpoints.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloudApiControl, receiverControl } from '../../sandbox/control.ts';
import { createAccount } from '../../src/accounts/keys.ts';
import { makeKey } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { freePort } from '../harness/free-port.ts';
import { type CampaignDatabase, startDatabase } from './database.ts';
import type { Hook } from './evidence.ts';
import { type Gateways, openGateways } from './gateways.ts';
import { type SandboxProcess, startSandboxProcess } from './processes.ts';

export interface CampaignFixture {
  database: CampaignDatabase;
  sandbox: SandboxProcess;
  platform: ReturnType<typeof cloudApiControl>;
  receiver: ReturnType<typeof receiverControl>;
  gateways: Gateways;
  apiKey: string;
  accountId: string;
  senderIds: string[];
  /** The platform's ids of their numbers. */
  numberIds: string[];
  /** By the template's name. */
  templateIds: Record<string, string>;
  /** The receiver's hooks: `steady` never fails, `shaky` gets the faults, `gone` sometimes returns 410. */
  hooks: (Hook & { endpointId: string })[];
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  close(): Promise<void>;
}

const app = { id: '100100100100100', secret: 'a0b0c17da6cc8935432f35a5611f2ed1', token: 'campaign-token' };
const waba = '200200200200200';
const verifyToken = 'campaign-verify-token';
const seconds = 1000;

const text = (words: string, example: string[]) => ({
  type: 'BODY',
  text: words,
  example: { body_text: [example] },
});
const templates = [
  {
    name: 'order_update',
    category: 'UTILITY',
    components: [text('Hello {{1}}, your order {{2}} arrives {{3}}.', ['Ada', 'A-1', 'today'])],
  },
  {
    name: 'summer_sale',
    category: 'MARKETING',
    components: [text('Hello {{1}}, all is {{2}} cheaper until {{3}}.', ['Ada', '10 %', 'Friday'])],
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

/** Settings of the campaign's platform: fast callbacks, and complete logs. */
const platformSettings = {
  sentMs: 0,
  deliveredMs: 40,
  readMs: 120,
  slowAnswerMs: 1 * seconds,
  messagesPerSecond: 0,
  ledgerEntries: 1_000_000,
  ledgerDetail: 1_000_000,
  keepCalls: 1_000_000,
  // the real platform gives up after a week; here it gives up after minutes, with frequent retries
  retryDelaysMs: [0, 100, 200, 400, ...Array<number>(600).fill(500)],
  callbackTimeoutMs: 5 * seconds,
};

/**
 * Starts everything, with `count` gateways on one database. `checkout`: of another checkout, which migrates the database.
 * `openDatabase`: on another server than the campaign's own.
 */
export async function openCampaignFixture(
  count: number,
  checkout?: string,
  openDatabase: () => Promise<CampaignDatabase> = startDatabase,
): Promise<CampaignFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-'));
  const [database, sandbox] = await Promise.all([openDatabase(), startSandboxProcess()]);
  const { migrateToLatest }: typeof import('../../src/db/migrate.ts') = await import(
    checkout === undefined ? '../../src/db/migrate.ts' : join(checkout, 'src/db/migrate.ts')
  );
  await migrateToLatest(database.db);
  const platform = cloudApiControl(sandbox.cloudApiUrl);
  const receiver = receiverControl(sandbox.receiverUrl);
  await Promise.all([platform.settings(platformSettings), receiver.settings({ keepEntries: 1_000_000 })]);
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const settings = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: makeKey(),
    MESSAGING_API_URL: sandbox.cloudApiUrl,
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    ALLOW_HTTP_RECEIVERS: 'true',
    RATE_LIMIT_PER_MINUTE: '0',
    // a repeated send waits as long for messages whose gateway died
    SEND_WAIT_SECONDS: '2',
    WEBHOOK_TIMEOUT_SECONDS: '4',
    LOG_LEVEL: 'warn',
    ...googleSettings(sandbox.googleUrl),
    // tens of starts of the same program
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compiled'),
  };
  const gateways = openGateways(ports, folder, settings, checkout);
  const close = async () => {
    await gateways.close();
    sandbox.kill('SIGKILL');
    await sandbox.ended;
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { accountId, key } = await createAccount({ db: database.db, clock: systemClock }, 'Campaign');
    await gateways.startAll();
    const call = callerOf(gateways.urls, key.apiKey);
    const parts = {
      database,
      sandbox,
      platform,
      receiver,
      gateways,
      accountId,
      apiKey: key.apiKey,
      call,
      close,
    };
    return { ...parts, ...(await createAccountData(parts)) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The OAuth client of the gateways, at the simulated Google. */
export const googleClient = { id: 'campaign-client.example', secret: 'campaign-client-secret' };

const googleSettings = (url: string) => ({
  GOOGLE_CLIENT_ID: googleClient.id,
  GOOGLE_CLIENT_SECRET: googleClient.secret,
  GOOGLE_API_URL: url,
  GOOGLE_AUTH_URL: `${url}/o/oauth2/v2/auth`,
  GOOGLE_TOKEN_URL: `${url}/token`,
  GOOGLE_REVOKE_URL: `${url}/revoke`,
});

/** Calls the API with the account's key, through the first gateway that responds. */
function callerOf(urls: string[], apiKey: string): CampaignFixture['call'] {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    let lastError: unknown;
    for (const url of urls) {
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const reply = (await response.json()) as { success: boolean; message: string; data: T };
        if (!reply.success) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(reply)}`);
        return reply.data;
      } catch (error) {
        lastError = error;
      }
    }
    throw lastError;
  };
}

type AccountSetup = Pick<CampaignFixture, 'platform' | 'receiver' | 'gateways' | 'call'>;

async function createAccountData({ platform, receiver, gateways, call }: AccountSetup) {
  await platform.addApp({ id: app.id, secret: app.secret, tokens: [app.token] });
  await platform.addWaba({ id: waba, appId: app.id });
  for (const template of templates) await platform.addTemplate({ ...template, wabaId: waba });
  const senderIds: string[] = [];
  const numberIds: string[] = [];
  for (const index of [1, 2]) {
    const id = `30030030030030${index}`;
    await platform.addNumber({
      id,
      wabaId: waba,
      displayPhoneNumber: `+1 555 010 000${index}`,
      messagesPerSecond: 0,
    });
    const sender = await call<{ _id: string }>('POST', '/v1/senders', {
      name: `Number ${index}`,
      phoneNumberId: id,
      businessAccountId: waba,
      accessToken: app.token,
      appSecret: app.secret,
      verifyToken,
      messagesPerSecond: 1000,
    });
    senderIds.push(sender._id);
    numberIds.push(id);
  }
  await platform.subscribe(app.id, `${gateways.urls[0]}/callbacks/messaging/${senderIds[0]}`, verifyToken);
  await platform.settings({ callbackOrigins: gateways.urls });
  await call('POST', '/v1/templates/sync');
  const list = await call<{ items: { _id: string; providerTemplateName: string }[] }>(
    'GET',
    '/v1/templates?limit=100',
  );
  const hooks: CampaignFixture['hooks'] = [];
  for (const name of ['steady', 'shaky', 'gone']) {
    const { _id, secret } = await call<{ _id: string; secret: string }>('POST', '/v1/webhooks/endpoints', {
      url: receiver.hookUrl(name),
      events: ['messages.status', 'replies.status', 'messages.received', 'contacts.opted_out'],
    });
    await receiver.setSecrets(name, secret);
    // deliveries that a 410 made dead are replayed after later events
    hooks.push({ name, secret, endpointId: _id, isOrdered: name !== 'gone' });
  }
  const templateIds = Object.fromEntries(list.items.map((item) => [item.providerTemplateName, item._id]));
  return { senderIds, numberIds, templateIds, hooks };
}
