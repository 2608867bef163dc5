// From a sender's row to what a call on its behalf needs: its secrets opened, its address chosen.
import { createHash } from 'node:crypto';
import type { Cipher } from '../../base/cipher.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import type { SenderRow } from './store.ts';

export interface AccessDeps {
  cipher: Cipher;
  /** The platform's address where the sender has none of its own. */
  messagingApiUrl: string;
}

type EncryptedColumn = 'access_token' | 'app_secret' | 'verify_token';

const place = (column: EncryptedColumn, row: string) => ({ table: 'senders', column, row });

/** A secret encrypted for its column of one sender's row. */
export function encryptSecret(
  cipher: Cipher,
  senderId: string,
  column: EncryptedColumn,
  secret: string,
): Buffer {
  return cipher.encrypt(secret, place(column, senderId));
}

/** A secret of a sender's row in the clear. */
export function openSecret(cipher: Cipher, row: SenderRow, column: EncryptedColumn): string {
  return cipher.decrypt(row[column], place(column, row.id));
}

const appSecretPurpose = 'senders.app_secret_hash';

/** What finds the numbers of one app: a keyed hash of its secret. */
export function appSecretHash(keyedHash: KeyedHash, appSecret: string): Buffer {
  return keyedHash.of(appSecretPurpose, appSecret);
}

/** Every form in which a row may hold the hash: under any key of the ring, or the bare SHA-256 of earlier versions. */
export function appSecretHashes(keyedHash: KeyedHash, appSecret: string): Buffer[] {
  return [...keyedHash.allOf(appSecretPurpose, appSecret), createHash('sha256').update(appSecret).digest()];
}

/** Where the platform is for a number: at the address that its account named, else at the operator's. */
export function addressOf(
  deps: Pick<AccessDeps, 'messagingApiUrl'>,
  own: string | null | undefined,
): Pick<SenderAccess, 'apiUrl' | 'isOwnAddress'> {
  return {
    apiUrl: (own ?? deps.messagingApiUrl).replace(/\/+$/, ''),
    isOwnAddress: own !== null && own !== undefined,
  };
}

/** What a call on behalf of the number needs. */
export function senderAccess(deps: AccessDeps, row: SenderRow): SenderAccess {
  return {
    senderId: row.id,
    accountId: row.account_id,
    phoneNumberId: row.phone_number_id,
    businessAccountId: row.business_account_id,
    credential: openSecret(deps.cipher, row, 'access_token'),
    ...addressOf(deps, row.api_url),
  };
}
