// `rotate-encryption-key`: adds a new key and re-encrypts stored secrets with it.

import { reencryptCalendars, reencryptConsents } from '../appointments/calendar/reencrypt.ts';
import { type KeyRing, openCipher } from '../base/cipher.ts';
import { openKeyedHash } from '../base/keyed-hash.ts';
import { openLog } from '../base/log.ts';
import type { Page, ReencryptedPage, UndecryptableSecret } from '../base/reencrypt.ts';
import { type Config, readConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { countGatewayConnections } from '../db/gateways.ts';
import { recordNotice } from '../db/operator-notices.ts';
import { keyFileOf, keySourceOf, openKeyRing } from '../encryption-keys.ts';
import { reencryptMedia } from '../messaging/media/reencrypt.ts';
import { reencryptErasureKey } from '../messaging/opt-outs/erased.ts';
import { reencryptSenders } from '../messaging/senders/reencrypt.ts';
import { rehashAllSenders } from '../messaging/senders/rehash.ts';
import { type OpenDatabase, openDatabase, type Where } from '../open-database.ts';
import { reencryptEndpoints } from '../webhooks/endpoints/reencrypt.ts';
import { withDatabase } from './database.ts';
import { errorText } from './exit-codes.ts';
import { say } from './output.ts';

export interface RotateOptions {
  /** False: re-encrypts only what is not yet encrypted with the newest key, to continue an interrupted rotation. */
  newKey: boolean;
  /** The operator confirms that every running gateway was started with the newest key. */
  gatewaysHaveKey: boolean;
}

const pageSize = 500;

/**
 * Opens the database. Throws while a gateway runs that may lack the newest key: it could not decrypt what is encrypted with it.
 * With the embedded database, keeps the lock of DATA_DIR, so that no gateway can start.
 */
async function openExclusively(where: Where, config: Config, options: RotateOptions): Promise<OpenDatabase> {
  const database = await openDatabase(where, openLog('warn'), 'use').catch((error: Error) => {
    throw new Error(
      `No key was changed: the rotation needs exclusive use of the database. ${errorText(error)}`,
      { cause: error },
    );
  });
  if (config.databaseUrl === null || options.gatewaysHaveKey) return database;
  if ((await countGatewayConnections(database.db)) === 0) return database;
  await database.close();
  throw new Error(
    'No key was changed. Gateways are connected to this database; a gateway without the newest key could not decrypt what is encrypted with it. ' +
      'Put the new key before the old ones in ENCRYPTION_KEYS of every gateway, restart all gateways, then run this again with --gateways-have-key.',
  );
}

async function openRing(config: Config, db: Db, options: RotateOptions): Promise<KeyRing> {
  const source = keySourceOf(config);
  if (source.add === null || !options.newKey) return openKeyRing(config, db);
  const ring = await source.add();
  say(`Added the new key ${ring.keys[0].id} as the first one in ${keyFileOf(config)}.`);
  return ring;
}

/** The tables with secrets. */
const secrets: [
  string,
  (deps: Parameters<typeof reencryptSenders>[0], page: Page) => Promise<ReencryptedPage>,
][] = [
  ['senders', reencryptSenders],
  ['hashes of erased people', reencryptErasureKey],
  ['webhook endpoints', reencryptEndpoints],
  ['calendar connections', reencryptCalendars],
  ['pending calendar consents', reencryptConsents],
  ['stored files (their keys; the content stays)', reencryptMedia],
];

async function reencryptSecrets(db: Db, ring: KeyRing) {
  const deps = { db, cipher: openCipher(ring), keyedHash: openKeyedHash(ring) };
  const failed: UndecryptableSecret[] = [];
  let total = 0;
  for (const [what, reencrypt] of secrets) {
    let reencrypted = 0;
    let afterId: string | undefined;
    do {
      const round = await reencrypt(deps, { afterId, limit: pageSize });
      reencrypted += round.reencrypted;
      failed.push(...round.failed);
      afterId = round.afterId;
      if (afterId) say(`  ${what}: ${reencrypted} secrets re-encrypted so far`);
    } while (afterId);
    say(`  ${what}: ${reencrypted} secrets re-encrypted`);
    total += reencrypted;
  }
  await rehashAllSenders(deps);
  return { reencrypted: total, failed };
}

/** Records what "doctor" shows of the last rotation; a repetition that finds nothing to do keeps it. */
async function recordRotation(db: Db, ring: KeyRing, count: { reencrypted: number; failed: number }) {
  if (count.reencrypted === 0) return;
  const failures = count.failed === 0 ? '' : `, ${count.failed} could not be decrypted`;
  const detail = `${count.reencrypted} secrets re-encrypted with ${ring.keys[0].id}${failures}`;
  await recordNotice(db, 'key_rotation', { detail, seenAt: new Date() });
}

/** Prints which older keys are still in use. */
function printOldKeys(config: Config, ring: KeyRing, undecryptable: UndecryptableSecret[]) {
  const needed = new Set(undecryptable.map(({ keyId }) => keyId));
  const old = ring.keys.slice(1).map(({ id }) => id);
  const used = old.filter((id) => needed.has(id));
  const unused = old.filter((id) => !needed.has(id));
  if (used.length > 0) say(`Still in use, keep them: ${used.join(', ')}.`);
  if (unused.length === 0) return { unused };
  const where = config.encryptionKeys === null ? keyFileOf(config) : 'ENCRYPTION_KEYS';
  say(
    `No longer used: ${unused.join(', ')}. Older backups still need them: remove them from ${where} when you no longer need those backups.`,
  );
  return { unused };
}

/** Adds a key to the key file (operators edit ENCRYPTION_KEYS) and re-encrypts all secrets with it. `ok`: all succeeded. */
export async function rotateEncryptionKey(options: RotateOptions): Promise<object> {
  const config = readConfig();
  return withDatabase(
    (where) => openExclusively(where, config, options),
    async ({ db }) => {
      const ring = await openRing(config, db, options);
      say(`Re-encrypting with the key ${ring.keys[0].id}:`);
      const { reencrypted, failed: undecryptable } = await reencryptSecrets(db, ring);
      await recordRotation(db, ring, { reencrypted, failed: undecryptable.length });
      for (const { message } of undecryptable) say(`  FAIL  ${message}`);
      const { unused } = printOldKeys(config, ring, undecryptable);
      return {
        ok: undecryptable.length === 0,
        newestKey: ring.keys[0].id,
        reencrypted,
        unusedKeys: unused,
        failed: undecryptable.map(({ message }) => message),
      };
    },
  );
}
