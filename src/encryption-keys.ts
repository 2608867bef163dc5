// The encryption keys: from the settings, or from a file in DATA_DIR.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyRing, parseKeyRing } from './base/cipher.ts';
import { addKeyToFile, readOrMakeKeyFile } from './base/key-file.ts';
import type { Config } from './config.ts';
import { type Found, failed, ok } from './operator/finding.ts';

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

/** Reads the ring of keys, newest first. Creates a missing key file. */
export async function openKeyRing(config: Config): Promise<KeyRing> {
  return keySourceOf(config).read();
}

/** The finding of "doctor" about the keys. */
export async function keyFinding(config: Config): Promise<Found> {
  if (config.encryptionKeys === null && !existsSync(keyFileOf(config)))
    return ok('none yet: the first start creates one in DATA_DIR');
  const ring = await openKeyRing(config).catch((error: unknown) => String((error as Error).message));
  if (typeof ring === 'string')
    return failed(
      ring,
      `Restore ${keyFileOf(config)} from your copy of the keys, or correct ENCRYPTION_KEYS.`,
    );
  return ok(`${ring.keys.length}, the newest is ${ring.keys[0].id}`);
}
