// Restores a backup into an empty database and an object store. Until the end, the database says that it is incomplete.
import type { KeyRing } from '../base/cipher.ts';
import type { Clock } from '../base/clock.ts';
import type { Connection, Db } from '../db/db.ts';
import { countGatewayConnections } from '../db/gateways.ts';
import { openLoad } from '../db/load.ts';
import { migrateTo, migrateToLatest } from '../db/migrate.ts';
import { readMigrations } from '../db/migration-files.ts';
import {
  dropEverything,
  endRestore,
  findIncompleteRestore,
  findTables,
  markIncomplete,
  withRestoreLock,
} from '../db/restore-target.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { keyChecks } from './back-up.ts';
import { filesSection, type Manifest, tableSection } from './format.ts';
import { readArchive } from './read-archive.ts';
import { openFilesLoad } from './restore-files.ts';

export interface RestoreDeps {
  db: Db;
  connection: Connection;
  objects: Pick<ObjectStore, 'put'>;
  /** The backup keys; null: none. */
  backupKeys: KeyRing | null;
  clock: Clock;
}

export interface RestoreOptions {
  /** Opens the backup from its beginning. */
  open: () => AsyncIterable<Buffer>;
  /** The manifest of this backup, as it was verified before. */
  manifest: Manifest;
  onProgress?: (bytes: number) => void;
  /** The last change before the database counts as whole, in the same transaction. */
  beforeEnd?: (tx: Db) => Promise<void>;
}

/**
 * Restores a verified backup, runs later migrations and holds the gateway. Throws, and changes nothing, if the database is
 * not empty or the backup is newer than this program. If it fails later, or its process dies, no gateway starts on the
 * database, and another restore begins again. Returns the names of the later migrations.
 */
export async function restore(deps: RestoreDeps, options: RestoreOptions): Promise<string[]> {
  const { manifest } = options;
  await requireKnownMigrations(manifest);
  return withRestoreLock(deps.connection, async () => {
    await begin(deps, manifest.id);
    await migrateTo(
      deps.db,
      manifest.migrations.map(({ name }) => name),
    );
    await loadEverything(deps, options);
    const migrated = await migrateToLatest(deps.db);
    await deps.db.transaction().execute(async (tx) => {
      await options.beforeEnd?.(tx);
      await endRestore(tx, new Date(manifest.snapshotAt));
    });
    return migrated;
  });
}

/** Throws unless this program has the files of every migration that the backup's database ran. */
async function requireKnownMigrations({ migrations, version }: Manifest): Promise<void> {
  const known = new Map((await readMigrations()).map(({ name, digest }) => [name, digest]));
  const unknown = migrations.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown.length > 0)
    throw new Error(
      `The backup is newer than this program: it needs the migrations ${unknown.join(', ')}. Install version ${version} or a newer one.`,
    );
  const changed = migrations.filter(({ name, digest }) => digest !== null && digest !== known.get(name));
  if (changed.length > 0)
    throw new Error(
      `The backup was made with other files of these migrations: ${changed.map(({ name }) => name).join(', ')}. Install version ${version} as it was released.`,
    );
}

/**
 * Marks an empty database as incomplete: nothing uses it as whole from now on. What an earlier restore left is removed. Throws,
 * and changes nothing, if the database has other tables, or a gateway is connected to it.
 */
async function begin({ db, clock }: RestoreDeps, backupId: string): Promise<void> {
  const incomplete = await findIncompleteRestore(db);
  const tables = await findTables(db);
  if (!incomplete && tables.length > 0)
    throw new Error(
      `The database is not empty: it has ${tables.length} tables, such as ${tables[0]}. Restore into a new database: ` +
        'nothing is ever replaced.',
    );
  if ((await countGatewayConnections(db)) > 0)
    throw new Error('A gateway is connected to this database. Stop every gateway, then run this again.');
  await db.transaction().execute(async (tx) => {
    if (incomplete) await dropEverything(tx);
    await markIncomplete(tx, { backupId, beganAt: new Date(clock.now()).toISOString() });
  });
}

async function loadEverything(deps: RestoreDeps, options: RestoreOptions): Promise<void> {
  const { manifest, onProgress } = options;
  const tables = new Map(manifest.tables.map(({ name }) => [tableSection(name), name]));
  const load = await openLoad(deps.connection, manifest);
  const files = openFilesLoad(deps.objects);
  let isLoaded = false;
  const endTables = async () => {
    if (!isLoaded) await load.commit();
    isLoaded = true;
  };
  try {
    const read = await readArchive(options.open(), {
      keys: deps.backupKeys,
      async onPart(section, bytes) {
        const table = tables.get(section);
        if (table !== undefined) return load.write(table, bytes);
        await endTables();
        if (section === filesSection) await files.write(bytes);
      },
      ...(onProgress ? { onProgress } : {}),
    });
    if (read.id !== manifest.id)
      throw new Error('The backup was replaced while it was restored. Run this again, on an empty database.');
    await endTables();
    const count = await files.end();
    if (count !== manifest.files.count)
      throw new Error(`${count} files were restored instead of ${manifest.files.count}.`);
  } catch (error) {
    files.abort();
    throw error;
  } finally {
    await load.close();
  }
}

/** The keys that the backup needs and the ring does not have. A key with the same id and other bytes counts as missing. */
export function missingKeys(manifest: Manifest, ring: KeyRing | null): string[] {
  const own = new Map(ring ? keyChecks(ring).map(({ id, check }) => [id, check]) : []);
  return manifest.encryptionKeys.filter(({ id, check }) => own.get(id) !== check).map(({ id }) => id);
}

/** Why a backup is not restored: `missing` are not in `where`, the setting or file of the encryption keys. */
export function missingKeysText(missing: readonly string[], where: string, { hasKeys }: Manifest): string {
  const [keys, are] = missing.length === 1 ? ['key', 'is'] : ['keys', 'are'];
  const fromBackup = hasKeys
    ? ' If you have no other copy: the backup has them. "restore" without DATABASE_URL and ENCRYPTION_KEYS, into an empty DATA_DIR, writes them to the file encryption-keys there.'
    : '';
  return `Nothing was restored: the backup needs the encryption ${keys} ${missing.join(', ')}, which ${are} not configured here. Put the keys of the gateway that was backed up into ${where}.${fromBackup}`;
}
