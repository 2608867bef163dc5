// `rotate-encryption-key`: a new key, and everything at rest encrypted anew with it.

import { reencryptCalendars, reencryptConsents } from '../appointments/calendar/reencrypt.ts';
import { type KeyRing, openCipher } from '../base/cipher.ts';
import { openKeyedHash } from '../base/keyed-hash.ts';
import { openLog } from '../base/log.ts';
import type { Page, SecretsRound, UnopenedSecret } from '../base/reencrypt.ts';
import { type Config, readConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { countGatewayConnections } from '../db/gateways.ts';
import { type OpenDatabase, openDatabase } from '../db/open-database.ts';
import { addEncryptionKey, keyFileOf, openKeyRing } from '../encryption-keys.ts';
import { reencryptMedia } from '../messaging/media/reencrypt.ts';
import { reencryptSenders } from '../messaging/senders/reencrypt.ts';
import { rehashAllSenders } from '../messaging/senders/rehash.ts';
import { reencryptEndpoints } from '../webhooks/endpoints/reencrypt.ts';
import { databaseOf } from './database.ts';

export interface RotateOptions {
  /** False: only what is not yet under the newest key is encrypted anew, as after a rotation that was cut off. */
  newKey: boolean;
  /** The operator's word that every running gateway was started with the newest key. */
  gatewaysHaveKey: boolean;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const secretsAtOnce = 500;

/**
 * Refused while a gateway runs that may not know the newest key: it could not open what is encrypted with it. On the
 * embedded database the lock of DATA_DIR is held until the end, so that none starts either.
 */
async function openAlone(config: Config, options: RotateOptions): Promise<OpenDatabase> {
  const database = await openDatabase(databaseOf(config), openLog('warn'), 'use').catch((error: Error) => {
    throw new Error(`No key was changed: it takes the database alone. ${error.message}`, { cause: error });
  });
  if (config.databaseUrl === null || options.gatewaysHaveKey) return database;
  if ((await countGatewayConnections(database.db)) === 0) return database;
  await database.close();
  throw new Error(
    'No key was changed. Gateways are connected to this database, and one that does not know the newest key could not open what is sealed with it. ' +
      'Put the new key first in ENCRYPTION_KEYS of every gateway (the old ones after it), restart them all, then run this again with --gateways-have-key.',
  );
}

async function openRing(config: Config, options: RotateOptions): Promise<KeyRing> {
  if (config.encryptionKeys !== null || !options.newKey) return openKeyRing(config);
  const ring = await addEncryptionKey(config);
  print(`New key ${ring.keys[0].id} put first in ${keyFileOf(config)}.`);
  return ring;
}

/** Everything that holds small secrets. */
const secrets: [
  string,
  (deps: Parameters<typeof reencryptSenders>[0], page: Page) => Promise<SecretsRound>,
][] = [
  ['senders', reencryptSenders],
  ['webhook endpoints', reencryptEndpoints],
  ['calendar connections', reencryptCalendars],
  ['consent pages under way', reencryptConsents],
  ['stored files (their keys; the content stays)', reencryptMedia],
];

async function reencryptSecrets(db: Db, ring: KeyRing): Promise<UnopenedSecret[]> {
  const deps = { db, cipher: openCipher(ring), keyedHash: openKeyedHash(ring) };
  const failed: UnopenedSecret[] = [];
  for (const [what, reencrypt] of secrets) {
    let reencrypted = 0;
    let afterId: string | undefined;
    do {
      const round = await reencrypt(deps, { afterId, limit: secretsAtOnce });
      reencrypted += round.reencrypted;
      failed.push(...round.failed);
      afterId = round.afterId;
      if (afterId) print(`  ${what}: ${reencrypted} secrets sealed anew so far`);
    } while (afterId);
    print(`  ${what}: ${reencrypted} secrets sealed anew`);
  }
  await rehashAllSenders(deps);
  return failed;
}

/** Says which of the older keys nothing needs any more, and which are still needed. */
function tellOfOldKeys(config: Config, ring: KeyRing, unopened: UnopenedSecret[]): void {
  const needed = new Set(unopened.map(({ keyId }) => keyId));
  const old = ring.keys.slice(1).map(({ id }) => id);
  const used = old.filter((id) => needed.has(id));
  const unused = old.filter((id) => !needed.has(id));
  if (used.length > 0) print(`Still needed, so leave them where they are: ${used.join(', ')}.`);
  if (unused.length === 0) return;
  const where = config.encryptionKeys === null ? keyFileOf(config) : 'ENCRYPTION_KEYS';
  print(
    `No longer used: ${unused.join(', ')}. Older backups still need them: take them out of ${where} once you will not restore one.`,
  );
}

/** Puts a new key first (in the key file; ENCRYPTION_KEYS is the operator's), encrypts everything with the newest key; true if all went well. */
export async function rotateEncryptionKey(options: RotateOptions): Promise<boolean> {
  const config = readConfig();
  const database = await openAlone(config, options);
  try {
    const ring = await openRing(config, options);
    print(`Sealing everything with the key ${ring.keys[0].id}:`);
    const unopened = await reencryptSecrets(database.db, ring);
    for (const { message } of unopened) print(`  FAIL  ${message}`);
    tellOfOldKeys(config, ring, unopened);
    return unopened.length === 0;
  } finally {
    await database.close();
  }
}
