// Connects a number: verifies everything with the platform, stores the sender, then registers it and subscribes to its callbacks.

import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { audit } from '../../audit/store.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, invalidRequest, type Problem, VendorError } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import { violates } from '../../db/failure.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import { addressOf, appSecretHash, encryptSecret, senderAccess } from './access.ts';
import { type CredentialDeps, type VerifiedCredential, verifyCredential } from './credential.ts';
import { type CheckDeps, checkSender, type FailedSteps } from './run-checks.ts';
import { listStates } from './states-store.ts';
import { clearDefault, findDefaultSender, insertSender, lockSendersOf, type SenderRow } from './store.ts';
import type { StoredCheck } from './stored-checks.ts';
import { appOf, type SubscribeDeps, subscribeSender } from './subscribe.ts';
import { addReading } from './template-readings-store.ts';

export interface ConnectDeps extends CheckDeps, CredentialDeps, SubscribeDeps {
  clock: Clock;
  keyedHash: KeyedHash;
  platform: CheckDeps['platform'] &
    CredentialDeps['platform'] &
    SubscribeDeps['platform'] &
    Pick<MessagingPlatform, 'registerNumber'>;
  /** Notifies every process that a number was added. */
  announceNumber: () => Promise<void>;
  /** Checks addresses against the address guard. */
  webhookOutgoing: Pick<Outgoing, 'checkTarget'>;
}

export interface NewSender {
  accountId: string;
  name: string;
  phoneNumberId: string;
  businessAccountId: string;
  accessToken: string;
  appSecret: string;
  appId?: string | undefined;
  verifyToken?: string | undefined;
  webhook?: 'subscribe' | 'manual' | undefined;
  pin?: string | undefined;
  apiUrl?: string | undefined;
  messagesPerSecond?: number | null | undefined;
  isDefault?: boolean | undefined;
}

/** The rate of a number whose throughput the platform does not say: its default (Cloud API, "Throughput"). */
export const defaultPerSecond = 80;

const handshakeWaitMs = 10_000;
const handshakePollMs = 200;

/** Why an account's address may not be called. The guard checks it again at every connection. */
async function addressProblems(deps: ConnectDeps, apiUrl: string): Promise<Problem[]> {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  if (!url)
    return [{ path: 'apiUrl', message: 'must be an absolute URL, for example https://graph.example.com' }];
  if (/[?#]/.test(apiUrl)) return [{ path: 'apiUrl', message: 'must not contain ? or #' }];
  const why = await deps.webhookOutgoing.checkTarget(url);
  return why === undefined ? [] : [{ path: 'apiUrl', message: `is not allowed: ${why}` }];
}

/**
 * Verifies and adds a sender; an account's first one becomes its default. Then registers the number if there is a PIN, and
 * subscribes to its callbacks. What fails after the sender is stored is in the returned checks. Throws 400 for values that
 * do not fit, 409 `sender_exists`, 502 or 503 if the platform rejects a reading or cannot be reached; then nothing is stored.
 */
export async function connectSender(
  deps: ConnectDeps,
  input: NewSender,
): Promise<{ row: SenderRow; checks: StoredCheck[] }> {
  const problems = input.apiUrl === undefined ? [] : await addressProblems(deps, input.apiUrl);
  if (problems.length > 0) throw invalidRequest(problems);
  const id = uuidv7(deps.clock.now());
  const access: SenderAccess = {
    senderId: id,
    accountId: input.accountId,
    phoneNumberId: input.phoneNumberId,
    businessAccountId: input.businessAccountId,
    credential: input.accessToken,
    appSecret: input.appSecret,
    ...addressOf(deps, input.apiUrl),
  };
  const verified = await verifyCredential(deps, access, {
    appId: input.appId,
    appSecret: input.appSecret,
    isNew: true,
  });
  requireOwner(input, verified);
  const row = await store(deps, id, input, verified);
  // without it, processes see the number within seconds
  await deps.announceNumber().catch((error) => deps.log.warn({ err: error }, 'sender.not_announced'));
  const failed: FailedSteps = {};
  if (input.pin !== undefined) {
    const error = await failureOf(deps.platform.registerNumber(senderAccess(deps, row), input.pin));
    const fix = deps.platform.advice.rejectedRegistration[Number(error?.code)];
    if (error) failed.registration = { why: error.message, fix };
  }
  if ((input.webhook ?? defaultWebhook(deps)) === 'subscribe') {
    Object.assign(failed, await subscribeNow(deps, row));
  }
  return { row, checks: (await checkSender(deps, id, failed)) ?? [] };
}

/** A number of another business account of the same app can be read too, but has other templates and callbacks. */
function requireOwner({ phoneNumberId, businessAccountId }: NewSender, { number }: VerifiedCredential): void {
  const owner = number.businessAccountId;
  if (owner === null || owner === businessAccountId) return;
  const message = `is not the business account of the number ${phoneNumberId}: it belongs to ${owner}`;
  throw invalidRequest([{ path: 'businessAccountId', message }]);
}

/** The platform calls https addresses only; one that is itself reached by http is a simulation, and calls http too. */
const defaultWebhook = (deps: Pick<ConnectDeps, 'publicUrl' | 'messagingApiUrl'>) =>
  deps.publicUrl().startsWith('https:') || deps.messagingApiUrl.startsWith('http:') ? 'subscribe' : 'manual';

async function store(
  deps: ConnectDeps,
  id: string,
  input: NewSender,
  { appId, number }: VerifiedCredential,
): Promise<SenderRow> {
  const encrypted = (column: 'access_token' | 'app_secret' | 'verify_token', secret: string) =>
    encryptSecret(deps.cipher, id, column, secret);
  const own = input.messagesPerSecond ?? null;
  try {
    return await deps.db.transaction().execute(async (tx) => {
      await lockSendersOf(tx, input.accountId);
      const isDefault = input.isDefault === true || !(await findDefaultSender(tx, input.accountId));
      if (isDefault) await clearDefault(tx, input.accountId);
      await addReading(tx, input);
      const row = await insertSender(tx, {
        id,
        account_id: input.accountId,
        name: input.name,
        phone_number_id: input.phoneNumberId,
        business_account_id: input.businessAccountId,
        display_phone: number.displayPhone,
        access_token: encrypted('access_token', input.accessToken),
        app_secret: encrypted('app_secret', input.appSecret),
        verify_token: encrypted('verify_token', input.verifyToken ?? randomBytes(24).toString('base64url')),
        app_secret_hash: appSecretHash(deps.keyedHash, input.appSecret),
        app_id: appId,
        api_url: input.apiUrl ?? null,
        messages_per_second: own ?? number.throughput ?? defaultPerSecond,
        follows_throughput: own === null,
        is_default: isDefault,
      });
      const { name, phoneNumberId, businessAccountId } = input;
      const shown = { name, phoneNumberId, businessAccountId, messagesPerSecond: own, isDefault };
      await audit(tx, input.accountId, 'sender.created', id, shown);
      return row;
    });
  } catch (error) {
    if (!violates(error, 'senders_account_id_phone_number_id_key')) throw error;
    throw new AppError(
      'sender_exists',
      'This account already has a sender with this number. Change that sender instead.',
    );
  }
}

/** Subscribes to a sender's callbacks and awaits the handshake; returns which checks say why the platform rejected it. */
export async function subscribeNow(deps: ConnectDeps, row: SenderRow): Promise<FailedSteps> {
  const app = appOf(deps, row);
  if (!app) return {};
  const error = await failureOf(subscribeSender(deps, row, app));
  if (!error) {
    await awaitHandshake(deps, row.id);
    return {};
  }
  const why = error.message;
  deps.log.warn({ senderId: row.id, why }, 'sender.not_subscribed');
  return { subscription: { why }, appCallback: { why }, handshake: { why } };
}

/** Waits at most ten seconds: the platform usually makes its handshake before it answers. */
async function awaitHandshake(deps: Pick<ConnectDeps, 'db' | 'clock'>, senderId: string): Promise<void> {
  const untilMs = deps.clock.steady() + handshakeWaitMs;
  while (deps.clock.steady() < untilMs) {
    const state = (await listStates(deps.db, [senderId])).get(senderId);
    if (!state || state.handshake_at !== null) return;
    await setTimeout(handshakePollMs);
  }
}

/** The platform's error of a call; undefined if it succeeded. */
async function failureOf(call: Promise<unknown>): Promise<VendorError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    return error;
  }
}
