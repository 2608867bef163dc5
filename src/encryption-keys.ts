// The encryption keys: from the settings, or from a file in DATA_DIR.
import { join } from 'node:path';
import { type KeyRing, parseKeyRing } from './base/cipher.ts';
import { addKeyToFile, readOrMakeKeyFile } from './base/key-file.ts';
import type { Config } from './config.ts';

/** The key file, used if the settings have no keys. */
export const keyFileOf = (config: Config) => join(config.dataDir, 'encryption-keys');

/** Reads the ring of keys, newest first. Creates a missing key file. */
export async function openKeyRing(config: Config): Promise<KeyRing> {
  return config.encryptionKeys === null
    ? readOrMakeKeyFile(keyFileOf(config))
    : parseKeyRing(config.encryptionKeys);
}

/** Adds a new key as the first one in the key file. A running gateway uses it after a restart. */
export async function addEncryptionKey(config: Config): Promise<KeyRing> {
  return addKeyToFile(keyFileOf(config));
}
