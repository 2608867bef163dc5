// Changes and removes senders; verifies new credentials with the platform before storing them.
import { audit } from '../../audit/store.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import type { PhoneNumber } from '../../ports/platform-number.ts';
import { appSecretHash, appSecretHashes, encryptSecret, openSecret, senderAccess } from './access.ts';
import { defaultPerSecond } from './connect.ts';
import { type CredentialDeps, readNumber, verifyCredential } from './credential.ts';
import { publishSenderChange, type SenderEventDeps, statusChange } from './status-events.ts';
import {
  clearDefault,
  deleteSender,
  findSender,
  findSendersOfApp,
  hasWaitingMessages,
  lockSender,
  lockSendersOf,
  type SenderChange,
  type SenderRow,
  updateSender,
} from './store.ts';
import { endOverride, moveCallbacks, type SubscribeDeps } from './subscribe.ts';
import { removeReadings, retryReading } from './template-readings-store.ts';

export interface ManageDeps extends CredentialDeps, SubscribeDeps, SenderEventDeps {
  db: Db;
  keyedHash: KeyedHash;
  platform: CredentialDeps['platform'] & SubscribeDeps['platform'];
}

/** 404 for a sender that the account does not have. */
export function senderNotFound(): AppError {
  return new AppError('sender_not_found', 'There is no such sender in this account.');
}

export interface SenderInput {
  accountId: string;
  senderId: string;
  name?: string | undefined;
  accessToken?: string | undefined;
  appSecret?: string | undefined;
  verifyToken?: string | undefined;
  messagesPerSecond?: number | null | undefined;
  isDefault?: true | undefined;
}

/** Finds the account's sender. Throws 404. */
export async function requireSenderRow(db: Db, accountId: string, senderId: string): Promise<SenderRow> {
  const row = isUuid(senderId) ? await findSender(db, accountId, senderId) : undefined;
  if (!row) throw senderNotFound();
  return row;
}

/** Changes a sender. Verifies its credential first; a successful change also resumes a halted sender. */
export async function changeSender(deps: ManageDeps, input: SenderInput): Promise<SenderRow> {
  const row = await requireSenderRow(deps.db, input.accountId, input.senderId);
  const access = senderAccess(deps, row);
  const credential = input.accessToken ?? access.credential;
  const isNew = credential !== access.credential;
  const appSecret = input.appSecret ?? openSecret(deps.cipher, row, 'app_secret');
  const { appId, number } = await verify(deps, { ...access, credential, appSecret }, { ...input, isNew });
  const change: SenderChange = {
    ...changeOf(deps, row, input, number.throughput),
    display_phone: number.displayPhone,
    ...(appId === undefined ? {} : { app_id: appId }),
  };
  const { changed, leased } = await deps.db.transaction().execute(async (tx) => {
    await lockSendersOf(tx, input.accountId);
    const before = await lockSender(tx, input.accountId, row.id);
    if (!before) throw senderNotFound();
    if (input.isDefault) {
      await clearDefault(tx, input.accountId);
      change.is_default = true;
    }
    if (isNew) {
      await retryReading(tx, { accountId: row.account_id, businessAccountId: row.business_account_id });
    }
    const changed = await updateSender(tx, row.id, change);
    await audit(tx, input.accountId, 'sender.updated', row.id, auditedChange(input));
    const news = before.halted_at ? [statusChange('active')] : [];
    return { changed, leased: await publishSenderChange(deps, tx, changed, news) };
  });
  deps.deliveries.offer(leased);
  return changed;
}

/** What the audit log says of a change: of secrets only that they changed. */
function auditedChange({ name, messagesPerSecond, isDefault, ...secrets }: SenderInput) {
  const changedSecrets = (['accessToken', 'appSecret', 'verifyToken'] as const).filter(
    (secret) => secrets[secret] !== undefined,
  );
  return { name, messagesPerSecond, isDefault, changedSecrets };
}

/** Verifies new credentials; otherwise only that the number can be read, so that old ones never hinder another change. */
async function verify(
  deps: ManageDeps,
  access: SenderAccess & { appSecret: string },
  { accessToken, appSecret, isNew }: SenderInput & { isNew: boolean },
): Promise<{ appId?: string; number: PhoneNumber }> {
  if (accessToken === undefined && appSecret === undefined) return { number: await readNumber(deps, access) };
  return verifyCredential(deps, access, { appSecret: access.appSecret, isNew });
}

function changeOf(
  deps: Pick<ManageDeps, 'cipher' | 'keyedHash'>,
  row: SenderRow,
  input: SenderInput,
  granted: number | null,
): SenderChange {
  const { name, accessToken, appSecret, verifyToken, messagesPerSecond } = input;
  const encrypted = (column: 'access_token' | 'app_secret' | 'verify_token', secret: string) =>
    encryptSecret(deps.cipher, row.id, column, secret);
  return {
    ...(name === undefined ? {} : { name }),
    ...(accessToken === undefined ? {} : { access_token: encrypted('access_token', accessToken) }),
    ...(appSecret === undefined
      ? {}
      : {
          app_secret: encrypted('app_secret', appSecret),
          app_secret_hash: appSecretHash(deps.keyedHash, appSecret),
        }),
    ...(verifyToken === undefined ? {} : { verify_token: encrypted('verify_token', verifyToken) }),
    ...(messagesPerSecond === undefined
      ? {}
      : {
          messages_per_second: messagesPerSecond ?? granted ?? defaultPerSecond,
          follows_throughput: messagesPerSecond === null,
        }),
  };
}

/**
 * Removes a sender, and moves the callbacks of its app to another sender first. Throws 409 `sender_in_use` while it has
 * queued messages, or if the callbacks could not be moved.
 */
export async function removeSender(
  deps: ManageDeps,
  input: { accountId: string; senderId: string },
): Promise<void> {
  const row = await requireSenderRow(deps.db, input.accountId, input.senderId);
  if (await hasWaitingMessages(deps.db, row.id)) throw hasQueuedMessages();
  const others = await listHeirs(deps, row);
  await handOver(deps, row, others);
  await deps.db.transaction().execute((tx) => remove(tx, row));
  await endOverride(deps, row, others);
}

async function remove(tx: Tx, { id, account_id: accountId }: SenderRow): Promise<void> {
  if (!(await lockSender(tx, accountId, id))) throw senderNotFound();
  if (await hasWaitingMessages(tx, id)) throw hasQueuedMessages();
  await deleteSender(tx, id);
  await audit(tx, accountId, 'sender.deleted', id);
  await removeReadings(tx, accountId);
}

const hasQueuedMessages = () =>
  new AppError(
    'sender_in_use',
    'This sender has queued messages, or a draft, scheduled or unfinished send names it. Cancel or delete these sends, or wait until they are sent.',
  );

/** The app's other senders: those of the same business account first, then of the same account. */
async function listHeirs(deps: ManageDeps, row: SenderRow): Promise<SenderRow[]> {
  const secret = openSecret(deps.cipher, row, 'app_secret');
  const sharing = await findSendersOfApp(deps.db, appSecretHashes(deps.keyedHash, secret));
  const rank = (other: SenderRow) =>
    Number(other.business_account_id !== row.business_account_id) * 2 +
    Number(other.account_id !== row.account_id);
  return sharing.filter(({ id }) => id !== row.id).sort((a, b) => rank(a) - rank(b));
}

async function handOver(deps: ManageDeps, row: SenderRow, others: readonly SenderRow[]): Promise<void> {
  try {
    await moveCallbacks(deps, row, others);
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    throw new AppError(
      'sender_in_use',
      `The platform posts the callbacks of other senders to the address of this one, and they could not be moved: ${error.message}. Try again.`,
      { cause: error },
    );
  }
}
