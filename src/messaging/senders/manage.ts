// Operations on senders: add, change and remove, with their credentials verified by the platform.
import type { Clock } from '../../base/clock.ts';
import { AppError, externalError, invalidRequest, type Problem } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Outgoing } from '../../base/outgoing.ts';
import type { Db } from '../../db/db.ts';
import { violates } from '../../db/failure.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import { type AccessDeps, addressOf, appSecretHash, encryptSecret, senderAccess } from './access.ts';
import {
  clearDefault,
  deleteSender,
  findDefaultSender,
  findSender,
  hasWaitingMessages,
  insertSender,
  lockSender,
  lockSendersOf,
  type SenderChange,
  type SenderRow,
  updateSender,
} from './store.ts';
import { addReading, removeReadings, retryReading } from './template-readings-store.ts';

export interface SendersDeps extends AccessDeps {
  db: Db;
  keyedHash: KeyedHash;
  clock: Clock;
  platform: Pick<MessagingPlatform, 'readNumber' | 'listTemplates'>;
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
  verifyToken: string;
  apiUrl?: string | undefined;
  messagesPerSecond?: number | undefined;
  isDefault?: boolean | undefined;
}

function notFound(): AppError {
  return new AppError('sender_not_found', 'There is no such sender in this account.');
}

/** Why an account's address may not be called. The guard checks it again at every connection. */
async function addressProblems(deps: SendersDeps, apiUrl: string): Promise<Problem[]> {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  if (!url)
    return [{ path: 'apiUrl', message: 'must be an absolute URL, for example https://graph.example.com' }];
  if (/[?#]/.test(apiUrl)) return [{ path: 'apiUrl', message: 'must not contain ? or #' }];
  const why = await deps.webhookOutgoing.checkTarget(url);
  return why === undefined ? [] : [{ path: 'apiUrl', message: `is not allowed: ${why}` }];
}

/**
 * Verifies that the credential gives access to the number. A new one must also give access to the templates of the
 * business account; the platform limits how often these may be read. Returns the phone number for display.
 */
async function verifyAccess(deps: SendersDeps, access: SenderAccess, isNewToken = true): Promise<string> {
  try {
    const number = await deps.platform.readNumber(access);
    if (isNewToken) await deps.platform.listTemplates(access);
    return number.displayPhone;
  } catch (error) {
    throw externalError(error, 'The messaging platform');
  }
}

/**
 * Verifies and adds a sender; an account's first one becomes its default. Throws 409 `sender_exists` if the account
 * already has the number, 502 or 503 if the platform rejects the credential or cannot be reached.
 */
export async function addSender(deps: SendersDeps, input: NewSender): Promise<SenderRow> {
  const problems = input.apiUrl === undefined ? [] : await addressProblems(deps, input.apiUrl);
  if (problems.length > 0) throw invalidRequest(problems);
  const id = uuidv7(deps.clock.now());
  const displayPhone = await verifyAccess(deps, {
    senderId: id,
    accountId: input.accountId,
    phoneNumberId: input.phoneNumberId,
    businessAccountId: input.businessAccountId,
    credential: input.accessToken,
    ...addressOf(deps, input.apiUrl),
  });
  const encrypted = (column: 'access_token' | 'app_secret' | 'verify_token', secret: string) =>
    encryptSecret(deps.cipher, id, column, secret);
  try {
    return await deps.db.transaction().execute(async (tx) => {
      await lockSendersOf(tx, input.accountId);
      const isDefault = input.isDefault === true || !(await findDefaultSender(tx, input.accountId));
      if (isDefault) await clearDefault(tx, input.accountId);
      await addReading(tx, input);
      return insertSender(tx, {
        id,
        account_id: input.accountId,
        name: input.name,
        phone_number_id: input.phoneNumberId,
        business_account_id: input.businessAccountId,
        display_phone: displayPhone,
        access_token: encrypted('access_token', input.accessToken),
        app_secret: encrypted('app_secret', input.appSecret),
        verify_token: encrypted('verify_token', input.verifyToken),
        app_secret_hash: appSecretHash(deps.keyedHash, input.appSecret),
        api_url: input.apiUrl ?? null,
        messages_per_second: input.messagesPerSecond ?? 80,
        is_default: isDefault,
      });
    });
  } catch (error) {
    if (!violates(error, 'senders_account_id_phone_number_id_key')) throw error;
    throw new AppError(
      'sender_exists',
      'This account already has a sender with this number. Change that sender instead.',
    );
  }
}

/** Changes a sender. Verifies its credential first; a successful change also resumes a halted sender. */
export async function changeSender(
  deps: SendersDeps,
  input: {
    accountId: string;
    senderId: string;
    name?: string | undefined;
    accessToken?: string | undefined;
    appSecret?: string | undefined;
    verifyToken?: string | undefined;
    messagesPerSecond?: number | undefined;
    isDefault?: true | undefined;
  },
): Promise<SenderRow> {
  const row = isUuid(input.senderId) ? await findSender(deps.db, input.accountId, input.senderId) : undefined;
  if (!row) throw notFound();
  const access = senderAccess(deps, row);
  const credential = input.accessToken ?? access.credential;
  const isNewToken = credential !== access.credential;
  const display_phone = await verifyAccess(deps, { ...access, credential }, isNewToken);
  const change: SenderChange = { display_phone };
  if (input.name !== undefined) change.name = input.name;
  if (input.accessToken !== undefined) {
    change.access_token = encryptSecret(deps.cipher, row.id, 'access_token', input.accessToken);
  }
  if (input.appSecret !== undefined) {
    change.app_secret = encryptSecret(deps.cipher, row.id, 'app_secret', input.appSecret);
    change.app_secret_hash = appSecretHash(deps.keyedHash, input.appSecret);
  }
  if (input.verifyToken !== undefined) {
    change.verify_token = encryptSecret(deps.cipher, row.id, 'verify_token', input.verifyToken);
  }
  if (input.messagesPerSecond !== undefined) change.messages_per_second = input.messagesPerSecond;
  return deps.db.transaction().execute(async (tx) => {
    await lockSendersOf(tx, input.accountId);
    if (!(await findSender(tx, input.accountId, row.id))) throw notFound();
    if (input.isDefault) {
      await clearDefault(tx, input.accountId);
      change.is_default = true;
    }
    if (isNewToken) {
      await retryReading(tx, { accountId: row.account_id, businessAccountId: row.business_account_id });
    }
    return updateSender(tx, row.id, change);
  });
}

/** Removes a sender. Throws 409 `sender_in_use` while it has queued messages. */
export async function removeSender(
  deps: { db: Db },
  input: { accountId: string; senderId: string },
): Promise<void> {
  if (!isUuid(input.senderId)) throw notFound();
  await deps.db.transaction().execute(async (tx) => {
    if (!(await lockSender(tx, input.accountId, input.senderId))) throw notFound();
    if (await hasWaitingMessages(tx, input.senderId)) {
      throw new AppError(
        'sender_in_use',
        'This sender has queued messages. Cancel their sends, or wait until they are sent.',
      );
    }
    await deleteSender(tx, input.senderId);
    await removeReadings(tx, input.accountId);
  });
}
