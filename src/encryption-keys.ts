// The keys that open what is encrypted: the settings', else those of a file in DATA_DIR.
import { join } from 'node:path';
import { type KeyRing, parseKeyRing } from './base/cipher.ts';
import { addKeyToFile, readOrMakeKeyFile } from './base/key-file.ts';
import type { Config } from './config.ts';

/** Where the keys lie when the settings have none. */
export const keyFileOf = (config: Config) => join(config.dataDir, 'encryption-keys');

/** The ring of keys, newest first; a file that is missing is made. */
export async function openKeyRing(config: Config): Promise<KeyRing> {
  return config.encryptionKeys === null
    ? readOrMakeKeyFile(keyFileOf(config))
    : parseKeyRing(config.encryptionKeys);
}

/** Puts a new key first in the file in DATA_DIR. A gateway that runs does not know it before its next start. */
export async function addEncryptionKey(config: Config): Promise<KeyRing> {
  return addKeyToFile(keyFileOf(config));
}
