// The encryption keys: from the settings, or from a file in DATA_DIR.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyRing, parseKeyRing } from './base/cipher.ts';
import { addKeyToFile, readOrMakeKeyFile } from './base/key-file.ts';
import type { Config } from './config.ts';
import type { Db } from './db/db.ts';
import { findNotice } from './db/operator-notices.ts';
import { type Found, failed, ok } from './operator/finding.ts';
import { listSecretKeys } from './operator/findings-store.ts';

/**
 * Where a process gets its keys. Everything else uses the ring, in memory, so a key management service is one more source: its
 * `read` has the service decrypt the stored data keys, once per start, and `add` has it generate one.
 */
export interface KeySource {
  /** All keys, newest first. */
  read(): Promise<KeyRing>;
  /** Adds a new key as the first one and returns all; null if operators add keys themselves. */
  add: (() => Promise<KeyRing>) | null;
}

/** The key file, used if the settings have no keys. */
export const keyFileOf = (config: Config) => join(config.dataDir, 'encryption-keys');

/** The source that the settings choose. */
export function keySourceOf(config: Config): KeySource {
  const { encryptionKeys } = config;
  if (encryptionKeys !== null) return { read: async () => parseKeyRing(encryptionKeys), add: null };
  const file = keyFileOf(config);
  return { read: () => readOrMakeKeyFile(file), add: () => addKeyToFile(file) };
}

const isFileMissing = (config: Config) => config.encryptionKeys === null && !existsSync(keyFileOf(config));

/**
 * Reads the ring of keys, newest first. Creates a missing key file; throws instead if `db` has secrets, which a new key cannot
 * decrypt.
 */
export async function openKeyRing(config: Config, db?: Db): Promise<KeyRing> {
  const used = db && isFileMissing(config) ? await listSecretKeys(db) : [];
  if (used.length > 0)
    throw new Error(
      `The key file ${keyFileOf(config)} is missing, but the database has secrets that were encrypted with ${used.join(', ')}. ` +
        'Restore the file from your copy of the keys. If there is none, create a new file with a key, and enter all tokens again: see "Encryption keys" in docs/operations.md.',
    );
  return keySourceOf(config).read();
}

/**
 * The finding of "doctor" about the keys: of this machine, or those that a process uses (`ring`). With `db`, also whether they
 * decrypt its secrets.
 */
export async function keyFinding(config: Config, db: Db | undefined, ring?: KeyRing): Promise<Found> {
  const used = db ? await listSecretKeys(db) : [];
  if (!ring && used.length === 0 && isFileMissing(config))
    return ok('none yet: the first start creates one in DATA_DIR');
  const own = ring ?? (await openKeyRing(config, db).catch((error: Error) => error.message));
  const where = config.encryptionKeys === null ? keyFileOf(config) : 'ENCRYPTION_KEYS';
  if (typeof own === 'string')
    return failed(own, `Correct ${where}. If it is damaged or lost, restore it from your copy of the keys.`);
  const rotation = db && (await findNotice(db, 'key_rotation'));
  const rotated = rotation ? `; last rotated at ${rotation.seenAt.toISOString()}: ${rotation.detail}` : '';
  const summary = `${own.keys.length}, the newest is ${own.keys[0].id}${rotated}`;
  const missing = used.filter((id) => own.keys.every((key) => key.id !== id));
  return missing.length === 0
    ? ok(summary)
    : failed(
        `${summary}; but secrets in the database were encrypted with ${missing.join(', ')}: they cannot be used`,
        `Add ${missing.join(', ')} from your copy of the keys to ${where}, after the newest one, and restart.`,
      );
}
