// `restore`: puts a backup into an empty database and the object store. The gateway is held afterwards.
import { existsSync } from 'node:fs';
import type { Manifest } from '../backup/format.ts';
import { keysSection } from '../backup/format.ts';
import { readArchive } from '../backup/read-archive.ts';
import { missingKeys, missingKeysText, restore } from '../backup/restore.ts';
import { replaceAddressesAndTokens } from '../backup/staging.ts';
import { type KeyRing, openCipher, parseKeyRing } from '../base/cipher.ts';
import { systemClock } from '../base/clock.ts';
import { writeNewKeyFile } from '../base/key-file.ts';
import { openLog } from '../base/log.ts';
import type { Outgoing } from '../base/outgoing/outgoing.ts';
import { type Config, readConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { makeDataDir } from '../db/embedded/folders.ts';
import { analyze } from '../db/load.ts';
import { makePartitions } from '../db/partitions.ts';
import { keyFileOf, openKeyRing } from '../encryption-keys.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { openBackupStore, openObjects } from '../parts.ts';
import { backupKeysOf, openBackupCalls, targetOf } from '../run-backup/run.ts';
import { noBackup, requireName, summaryOf } from './backup.ts';
import { withDatabase } from './database.ts';
import { say } from './output.ts';
import { openProgress } from './progress.ts';

export interface RestoreCommandOptions {
  /** Replaces webhook addresses and tokens, for a staging copy. */
  intoRunningCopy: boolean;
}

/** Verifies a backup, restores it and prints what comes next. */
export async function restoreCommand(
  from: string,
  { intoRunningCopy }: RestoreCommandOptions,
): Promise<object> {
  requireName(from);
  const config = readConfig();
  const target = await targetOf(from);
  const { name } = target;
  if (name === null) throw noBackup(from);
  const outgoing = openBackupCalls();
  try {
    const store = await openBackupStore(target.place, outgoing);
    const { manifest, keyText } = await verify(config, store.get(name));
    say(`The backup is whole: of ${manifest.snapshotAt}, version ${manifest.version}.`);
    await makeDataDir(config.dataDir);
    const ring = await prepareKeys(config, manifest, keyText, intoRunningCopy);
    return await withDatabase(
      (where) => openDatabase(where, openLog('warn'), 'restore'),
      (database) =>
        load(database, { config, outgoing, manifest, ring, open: () => store.get(name), intoRunningCopy }),
    );
  } finally {
    await outgoing.close();
  }
}

interface Loading extends RestoreCommandOptions {
  config: Config;
  outgoing: Outgoing;
  manifest: Manifest;
  ring: KeyRing;
  open: () => AsyncIterable<Buffer>;
}

async function load(
  database: OpenDatabase,
  { config, outgoing, manifest, ring, open, intoRunningCopy }: Loading,
): Promise<object> {
  const progress = openProgress('Restoring');
  let read = 0;
  const ofBytes = manifest.sections.flatMap(({ parts }) => parts).reduce((sum, part) => sum + part.bytes, 0);
  try {
    const deps = {
      ...database,
      clock: systemClock,
      objects: await openObjects(config, { outgoing, clock: systemClock }),
      backupKeys: backupKeysOf(config),
    };
    const migrated = await restore(deps, {
      manifest,
      open,
      onProgress(bytes) {
        read += bytes;
        progress.update(read, ofBytes);
      },
      ...(intoRunningCopy ? { beforeEnd: (tx) => makeCopy(tx, ring) } : {}),
    });
    progress.end();
    // an old backup has none of these months, and the first worker may start much later than the first rows come
    await makePartitions(database.db, config.partitionBy);
    await analyze(database.connection);
    printResult(manifest, migrated);
    return { ...summaryOf(manifest), migrated, held: true, intoRunningCopy };
  } finally {
    progress.end();
  }
}

async function makeCopy(tx: Db, ring: KeyRing): Promise<void> {
  const { endpoints, senders, calendars } = await replaceAddressesAndTokens(tx, openCipher(ring));
  say(
    `Replaced for a copy: ${endpoints} webhook addresses and secrets, ${senders} numbers' tokens, ${calendars} calendar authorizations. All API keys are revoked.`,
  );
}

async function verify(config: Config, source: AsyncIterable<Buffer>) {
  const progress = openProgress('Verifying');
  const keyParts: Buffer[] = [];
  let read = 0;
  try {
    const manifest = await readArchive(source, {
      keys: backupKeysOf(config),
      async onPart(section, bytes) {
        if (section === keysSection) keyParts.push(bytes);
      },
      onProgress(bytes) {
        read += bytes;
        progress.update(read, 0);
      },
    });
    return { manifest, keyText: manifest.hasKeys ? Buffer.concat(keyParts).toString() : null };
  } finally {
    progress.end();
  }
}

/**
 * Returns the key ring of this machine, with the keys of the backup. Without ENCRYPTION_KEYS and a key file, writes the
 * backup's keys to the key file. Throws if a key that the backup needs is missing, except for a copy.
 */
async function prepareKeys(
  config: Config,
  manifest: Manifest,
  keyText: string | null,
  isCopy: boolean,
): Promise<KeyRing> {
  const file = keyFileOf(config);
  if (config.encryptionKeys === null && !existsSync(file) && keyText !== null) {
    parseKeyRing(keyText);
    await writeNewKeyFile(file, keyText);
    say(`Wrote the encryption keys of the backup to ${file}.`);
  }
  const hasOwn = config.encryptionKeys !== null || existsSync(file);
  const ring = hasOwn ? await openKeyRing(config) : null;
  const missing = missingKeys(manifest, ring);
  if (missing.length > 0 && !isCopy)
    throw new Error(
      missingKeysText(missing, config.encryptionKeys === null ? file : 'ENCRYPTION_KEYS', manifest),
    );
  if (missing.length > 0) say('Stored files cannot be read in this copy: it does not have their keys.');
  return ring ?? openKeyRing(config);
}

function printResult(manifest: Manifest, migrated: string[]): void {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  say(`Restored ${rows} rows of ${manifest.tables.length} tables and ${manifest.files.count} files.`);
  if (migrated.length > 0) say(`Ran the later migrations ${migrated.join(', ')}.`);
  say(
    'The gateway is held: it serves reads, management and callbacks, and sends and books nothing. Start it, check it, then run "release".',
  );
}
