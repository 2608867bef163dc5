// Re-encryption of one table's secrets with the newest key, one page at a time.
import { type Cipher, CipherError, keyIdOf, type SecretLocation } from './cipher.ts';

/** A page of rows ordered by id, after `afterId`. */
export interface Page {
  afterId?: string | undefined;
  limit: number;
}

/** A row's id and encrypted columns; null or empty means no secret. */
export type EncryptedRow<Column extends string> = { id: string } & Record<Column, Buffer | null>;

/** One secret in its old and its new encrypted form. */
export interface EncryptedChange<Column extends string> {
  id: string;
  column: Column;
  before: Buffer;
  after: Buffer;
}

export interface EncryptedTable<Column extends string> {
  name: string;
  columns: readonly Column[];
  read(page: Page): Promise<EncryptedRow<Column>[]>;
  /** Writes `after` if the value is still `before`; false if it was changed concurrently. */
  write(change: EncryptedChange<Column>): Promise<boolean>;
}

/** A secret that could not be re-encrypted: the reason, and the key that it needs. */
export interface UndecryptableSecret {
  location: SecretLocation;
  keyId: string | undefined;
  message: string;
}

export interface ReencryptedPage {
  reencrypted: number;
  failed: UndecryptableSecret[];
  /** Start of the next page; undefined after the last page. */
  afterId: string | undefined;
}

/** Re-encrypts one page of `table` with the newest key. Safe to repeat; reports and keeps a secret that cannot be decrypted. */
export async function reencryptPage<Column extends string>(
  cipher: Cipher,
  table: EncryptedTable<Column>,
  page: Page,
): Promise<ReencryptedPage> {
  const rows = await table.read(page);
  const round: ReencryptedPage = {
    reencrypted: 0,
    failed: [],
    afterId: rows.length < page.limit ? undefined : rows.at(-1)?.id,
  };
  for (const row of rows) {
    for (const column of table.columns) {
      const before: Buffer | null = row[column];
      if (!before || before.length === 0 || cipher.isNewest(before)) continue;
      const location = { table: table.name, column, row: row.id };
      try {
        const after = cipher.encrypt(cipher.decrypt(before, location), location);
        if (await table.write({ id: row.id, column, before, after })) round.reencrypted += 1;
      } catch (error) {
        if (!(error instanceof CipherError)) throw error;
        round.failed.push({ location, keyId: keyIdOf(before), message: error.message });
      }
    }
  }
  return round;
}
