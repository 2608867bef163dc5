// A backup: a snapshot of the database, the files that it names, and the manifest, written as one stream.
import { createHmac } from 'node:crypto';
import type { KeyRing } from '../base/cipher.ts';
import type { Clock } from '../base/clock.ts';
import { textOfError } from '../base/errors.ts';
import { uuidv7 } from '../base/ids.ts';
import type { Connection, Db } from '../db/db.ts';
import { openSnapshot, type Snapshot } from '../db/snapshot.ts';
import type { BackupStore } from '../ports/backup-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { insertBackup, recordBackupEnd, recordSnapshot, recordSnapshotEnd } from './backups-store.ts';
import {
  type BackupHeader,
  backupFileName,
  filesSection,
  formatName,
  formatVersion,
  type KeyCheck,
  keysSection,
  type ManifestContent,
  obsoleteBackups,
  type PartitionSummary,
  type TableSummary,
  tableSection,
} from './format.ts';
import { filesArchive, keepKeys } from './stored-files.ts';
import { type ArchiveWriter, writeArchive } from './write-archive.ts';

export interface BackUpDeps {
  db: Db;
  connection: Connection;
  objects: Pick<ObjectStore, 'get' | 'head'>;
  clock: Clock;
  /** The program's version. */
  version: string;
  /** The keys of stored secrets. */
  keyRing: KeyRing;
  /** The backup keys, newest first; null: the backup is not encrypted. */
  backupKeys: KeyRing | null;
}

export interface BackUpOptions {
  store: BackupStore;
  /** The directory or bucket, as it is recorded and printed. */
  place: string;
  /** Null: a new name with the time. */
  name: string | null;
  /** Also writes the encryption keys. */
  withKeys: boolean;
  /** Deletes older backups with our names in the same place, all but the newest `keep`. Null: none. */
  keep: number | null;
  snapshotMaxMs: number;
  /** Clear bytes that are read at most; null: no limit. */
  bytesPerSecond: number | null;
  onProgress?: (done: { bytes: number; ofBytes: number }) => void;
  signal?: AbortSignal;
}

export interface BackupDone {
  name: string;
  /** Of the file. */
  bytes: number;
  manifest: ManifestContent;
  /** Older backups that were deleted. */
  deleted: string[];
  /** Why the other older backups could not be deleted. */
  deleteFailure: string | null;
}

/**
 * Writes a backup and returns what is in it; undefined if another one of this database is running. Throws if it fails; then
 * nothing is stored, and the table `backups` says why.
 */
export async function backUp(deps: BackUpDeps, options: BackUpOptions): Promise<BackupDone | undefined> {
  if (options.withKeys && !deps.backupKeys)
    throw new Error(
      'The encryption keys are only written to an encrypted backup. Set BACKUP_KEYS, or leave out --with-keys.',
    );
  const header: BackupHeader = {
    format: formatName,
    formatVersion,
    id: uuidv7(deps.clock.now()),
    createdAt: new Date(deps.clock.now()).toISOString(),
    version: deps.version,
    keyId: deps.backupKeys?.keys[0].id ?? null,
  };
  const name = options.name ?? backupFileName(header);
  const written = await writeBackup(deps, options, { header, name });
  if (!written) return undefined;
  return { name, ...written, ...(await deleteObsolete(options, name)) };
}

async function writeBackup(
  deps: BackUpDeps,
  options: BackUpOptions,
  { header, name }: { header: BackupHeader; name: string },
): Promise<{ bytes: number; manifest: ManifestContent } | undefined> {
  let snapshot: Snapshot | undefined;
  let bytes = 0;
  try {
    const opened = await openSnapshot(deps.connection, {
      maxMs: options.snapshotMaxMs,
      sleep: deps.clock.sleep,
      onLocked: () => insertBackup(deps.db, { id: header.id, place: options.place, name }),
    });
    if (!opened) return undefined;
    snapshot = opened;
    await recordSnapshot(deps.db, header.id, opened.at);
    let manifest: ManifestContent | undefined;
    const archive = writeArchive(
      {
        header,
        key: deps.backupKeys?.keys[0].key ?? null,
        onPart: openPace(deps.clock, options, opened),
      },
      async (writer) => {
        manifest = await writeContent(deps, options, { header, snapshot: opened, writer });
        return manifest;
      },
    );
    await options.store.put(
      name,
      counted(archive, (more) => (bytes += more)),
    );
    await recordBackupEnd(deps.db, header.id, { bytes, failure: null });
    return { bytes, manifest: manifest as ManifestContent };
  } catch (error) {
    const failure = textOfError(error);
    await recordBackupEnd(deps.db, header.id, { bytes, failure }).catch(() => undefined);
    throw error;
  } finally {
    await snapshot?.close();
  }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

/** Limits the rate, reports progress, and stops when the signal aborts. */
function openPace(clock: Clock, { bytesPerSecond, onProgress, signal }: BackUpOptions, snapshot: Snapshot) {
  const beganMs = clock.steady();
  const ofBytes = snapshot.tables.reduce((sum, table) => sum + table.bytes, 0);
  let bytes = 0;
  return async (more: number): Promise<void> => {
    signal?.throwIfAborted();
    bytes += more;
    onProgress?.({ bytes, ofBytes });
    if (bytesPerSecond === null) return;
    const aheadMs = (bytes / bytesPerSecond) * 1000 - (clock.steady() - beganMs);
    if (aheadMs > 1) await clock.sleep(aheadMs, signal);
  };
}

interface Writing {
  header: BackupHeader;
  snapshot: Snapshot;
  writer: ArchiveWriter;
}

async function writeContent(
  deps: BackUpDeps,
  options: BackUpOptions,
  { header, snapshot, writer }: Writing,
): Promise<ManifestContent> {
  const tables: TableSummary[] = [];
  for (const table of snapshot.tables) {
    const { lines: rows } = await writer.section(tableSection(table.name), snapshot.copy(table));
    tables.push({ name: table.name, columns: table.columns, rows });
  }
  const keyList = await keepKeys(snapshot.fileKeys());
  const files = { count: 0, bytes: 0, missingCount: 0, missing: [] };
  try {
    // files are removed a day after their record: they need no snapshot
    await snapshot.end();
    await recordSnapshotEnd(deps.db, header.id);
    await writer.section(filesSection, filesArchive(deps.objects, keyList.keys(), files));
  } finally {
    await keyList.remove();
  }
  if (options.withKeys) await writer.section(keysSection, keyText(deps.keyRing));
  const { id, version, createdAt } = header;
  return {
    ...{ id, version, createdAt },
    snapshotAt: snapshot.at.toISOString(),
    postgresVersion: snapshot.postgresVersion,
    migrations: snapshot.migrations,
    tables,
    sequences: snapshot.sequences,
    partitions: snapshot.partitions.map(partitionOf),
    files,
    encryptionKeys: keyChecks(deps.keyRing),
    hasKeys: options.withKeys,
  };
}

/** PostgreSQL's text of a range of UUIDs. */
const range = /^FOR VALUES FROM \('([0-9a-f-]{36})'\) TO \('([0-9a-f-]{36})'\)$/;

function partitionOf({ table, name, bounds }: Snapshot['partitions'][number]): PartitionSummary {
  const [, from, to] = range.exec(bounds) ?? [];
  if (!from || !to) throw new Error(`The partition ${name} has bounds of an unknown form: ${bounds}`);
  return { table, name, from, to };
}

async function* keyText(ring: KeyRing): AsyncGenerator<Buffer> {
  const lines = ring.keys.map(({ id, key }) => `${id}:${key.export().toString('base64')}\n`);
  yield Buffer.from(lines.join(''));
}

/** Recognizes keys without revealing them: 64 bits of an HMAC with a random key of 256 bits. */
export function keyChecks(ring: KeyRing): KeyCheck[] {
  return ring.keys.map(({ id, key }) => ({
    id,
    check: createHmac('sha256', key).update('chatbot-gateway backup').digest('hex').slice(0, 16),
  }));
}

/** Deletes older backups after `written`. The new one is good, whatever happens: some places let nobody delete. */
async function deleteObsolete(
  { store, keep }: BackUpOptions,
  written: string,
): Promise<Pick<BackupDone, 'deleted' | 'deleteFailure'>> {
  const deleted: string[] = [];
  if (keep === null) return { deleted, deleteFailure: null };
  try {
    const stored = (await store.list()).map(({ name }) => name);
    for (const name of obsoleteBackups(stored, keep, written)) {
      await store.remove(name);
      deleted.push(name);
    }
    return { deleted, deleteFailure: null };
  } catch (error) {
    return { deleted, deleteFailure: error instanceof Error ? error.message : String(error) };
  }
}
