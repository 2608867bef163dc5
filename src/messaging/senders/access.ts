// What a call on behalf of a sender needs, from its row: decrypted secrets and the address.
import { createHash } from 'node:crypto';
import type { Cipher } from '../../base/cipher.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import type { SenderRow } from './store.ts';

export interface AccessDeps {
  cipher: Cipher;
  /** The platform's address for senders without their own. */
  messagingApiUrl: string;
}

type EncryptedColumn = 'access_token' | 'app_secret' | 'verify_token';

const place = (column: EncryptedColumn, row: string) => ({ table: 'senders', column, row });

/** Encrypts a secret for its column in one sender's row. */
export function encryptSecret(
  cipher: Cipher,
  senderId: string,
  column: EncryptedColumn,
  secret: string,
): Buffer {
  return cipher.encrypt(secret, place(column, senderId));
}

/** Decrypts a secret of a sender's row. */
export function openSecret(cipher: Cipher, row: SenderRow, column: EncryptedColumn): string {
  return cipher.decrypt(row[column], place(column, row.id));
}

const appSecretPurpose = 'senders.app_secret_hash';

/** The keyed hash of an app secret, by which the senders of one app are found. */
export function appSecretHash(keyedHash: KeyedHash, appSecret: string): Buffer {
  return keyedHash.of(appSecretPurpose, appSecret);
}

/** Every hash that a row may contain: with any key of the ring, or the plain SHA-256 of earlier versions. */
export function appSecretHashes(keyedHash: KeyedHash, appSecret: string): Buffer[] {
  return [...keyedHash.allOf(appSecretPurpose, appSecret), createHash('sha256').update(appSecret).digest()];
}

/** The platform's address for a sender: the one that its account chose, else the operator's. */
export function addressOf(
  deps: Pick<AccessDeps, 'messagingApiUrl'>,
  own: string | null | undefined,
): Pick<SenderAccess, 'apiUrl' | 'isOwnAddress'> {
  return {
    apiUrl: (own ?? deps.messagingApiUrl).replace(/\/+$/, ''),
    isOwnAddress: own !== null && own !== undefined,
  };
}

/** What a call on behalf of the sender needs. */
export function senderAccess(deps: AccessDeps, row: SenderRow): SenderAccess {
  return {
    senderId: row.id,
    accountId: row.account_id,
    phoneNumberId: row.phone_number_id,
    businessAccountId: row.business_account_id,
    credential: openSecret(deps.cipher, row, 'access_token'),
    appSecret: openSecret(deps.cipher, row, 'app_secret'),
    ...addressOf(deps, row.api_url),
  };
}
