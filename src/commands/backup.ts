// `backup`: writes a backup of the database and the stored files, or verifies one.
import { join } from 'node:path';
import type { Manifest, ManifestContent } from '../backup/format.ts';
import { readArchive } from '../backup/read-archive.ts';
import { placeProblem } from '../base/setting-checks.ts';
import { type Config, readConfig } from '../config.ts';
import { openKeyRing } from '../encryption-keys.ts';
import { openBackupStore } from '../parts.ts';
import { backupKeysOf, openBackupCalls, runBackup, targetOf } from '../run-backup/run.ts';
import { databaseOf, openBeside } from './database.ts';
import { CommandError } from './exit-codes.ts';
import { onInterruption, openUnlessAborted } from './interruption.ts';
import { say } from './output.ts';
import { megabytes, openProgress } from './progress.ts';

export interface BackupOptions {
  verify: boolean;
  withKeys: boolean;
  keep: number | null;
}

/** Writes a backup to a file, a directory or a bucket, and prints what is in it; or verifies one. */
export async function backup(to: string, options: BackupOptions): Promise<object> {
  requireName(to);
  const config = readConfig();
  if (options.verify) {
    const manifest = await verifyBackup(config, to);
    printContent(manifest);
    say('Every part, count and digest is as the manifest says.');
    return { ...summaryOf(manifest), verified: true };
  }
  const stopping = new AbortController();
  const unlisten = onInterruption(() =>
    stopping.abort(new CommandError('interrupted', 'Stopped. No backup was written.')),
  );
  const progress = openProgress('Backing up');
  const database = await openUnlessAborted(stopping.signal, (onServer) =>
    openBeside({ ...databaseOf(config), onServer }, 'use'),
  );
  try {
    stopping.signal.throwIfAborted();
    const target = await targetOf(to);
    const parts = {
      connection: database.connection,
      keyRing: await openKeyRing(config, database.db),
      target,
    };
    const done = await runBackup(config, parts, {
      withKeys: options.withKeys,
      keep: options.keep,
      signal: stopping.signal,
      onProgress: ({ bytes, ofBytes }) => progress.update(bytes, ofBytes),
    });
    progress.end();
    if (!done)
      throw new Error('Another backup of this database is running. Wait until it ends, then try again.');
    say(`Backup written: ${pathOf(target.place, done.name)}, ${megabytes(done.bytes)}`);
    printContent(done.manifest);
    for (const name of done.deleted) say(`Deleted the older backup ${name}`);
    if (done.deleteFailure !== null) say(`FAIL: older backups could not be deleted: ${done.deleteFailure}`);
    if (!done.manifest.hasKeys) say(keysReminder(config));
    if (config.backup.keys === null)
      say('The backup is not encrypted: BACKUP_KEYS is not set. Messages and names in it are readable.');
    return {
      ...summaryOf(done.manifest),
      place: target.place,
      name: done.name,
      bytes: done.bytes,
      isEncrypted: config.backup.keys !== null,
      deleted: done.deleted,
      ...(done.deleteFailure === null ? {} : { ok: false, deleteFailure: done.deleteFailure }),
    };
  } finally {
    progress.end();
    unlisten();
    await database.close();
  }
}

/** The path of a backup in a directory; in a bucket, its place and name. */
const pathOf = (place: string, name: string) =>
  place.startsWith('s3:') ? `${name} in ${place}` : join(place, name);

/** Reads a whole backup; returns its manifest. Throws if it is damaged, incomplete, or its backup key is missing. */
async function verifyBackup(config: Config, from: string): Promise<Manifest> {
  const target = await targetOf(from);
  const { name } = target;
  if (name === null) throw noBackup(from);
  const outgoing = openBackupCalls();
  const progress = openProgress('Verifying');
  try {
    const store = await openBackupStore(target.place, outgoing);
    let read = 0;
    return await readArchive(store.get(name), {
      keys: backupKeysOf(config),
      onProgress: (bytes) => {
        read += bytes;
        progress.update(read, 0);
      },
    });
  } finally {
    progress.end();
    await outgoing.close();
  }
}

/** Throws unless an argument names a place. */
export function requireName(text: string): void {
  if (text.replace(/^file:(?:\/\/)?/, '').trim() === '')
    throw new CommandError('usage', 'Name the backup: a file, a directory or an s3:// address.');
  const problem = placeProblem(text);
  if (problem) throw new CommandError('usage', `The backup's name ${problem}.`);
}

/** The error for an address that names no backup. */
export const noBackup = (from: string): CommandError =>
  new CommandError(
    'notFound',
    `${from} is no backup. Name the file, which ends in .tar: a directory has several.`,
  );

/** What a manifest says, for programs. */
export const summaryOf = (manifest: ManifestContent) => ({
  snapshotAt: manifest.snapshotAt,
  version: manifest.version,
  postgresVersion: manifest.postgresVersion,
  schema: manifest.migrations.at(-1)?.name ?? null,
  tables: manifest.tables.length,
  rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0),
  files: manifest.files.count,
  filesBytes: manifest.files.bytes,
  filesMissing: manifest.files.missingCount,
  encryptionKeys: manifest.encryptionKeys.map(({ id }) => id),
  hasKeys: manifest.hasKeys,
});

function printContent({
  version,
  snapshotAt,
  migrations,
  tables,
  files,
  postgresVersion,
  ...rest
}: ManifestContent) {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  say(`  of          ${snapshotAt}, version ${version}, PostgreSQL ${postgresVersion}`);
  say(`  schema      ${migrations.at(-1)?.name ?? 'none'}`);
  say(`  database    ${rows} rows of ${tables.length} tables`);
  say(`  files       ${files.count}, ${megabytes(files.bytes)}`);
  if (files.missingCount > 0)
    say(
      `  MISSING     ${files.missingCount} files that the object store does not have: ${files.missing.slice(0, 5).join(', ')}`,
    );
  const keys = rest.encryptionKeys.map(({ id }) => id).join(', ');
  say(`  keys        ${rest.hasKeys ? `included: ${keys}` : `not included: restoring needs ${keys}`}`);
}

function keysReminder(config: Config): string {
  return config.encryptionKeys === null
    ? `Store the encryption keys (${config.dataDir}/encryption-keys) apart from it: without them, nobody can read stored secrets and files.`
    : 'Store ENCRYPTION_KEYS apart from it: without them, nobody can read stored secrets and files.';
}
