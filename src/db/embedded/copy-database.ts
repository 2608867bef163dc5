// The copy of a whole database to another server, row by row as COPY's text, compared by digests: for a new major of PostgreSQL.
import { createHash } from 'node:crypto';
import { type Connection, type Db, openDb } from '../db.ts';
import { openLoad } from '../load.ts';
import { migrateTo } from '../migrate.ts';
import { readMigrations } from '../migration-files.ts';
import { openSnapshot, type Snapshot } from '../snapshot.ts';

export interface CopyProgress {
  table: string;
  bytes: number;
  ofBytes: number;
}

/** Written by migrations. */
const leftOut = ['kysely_migration', 'kysely_migration_lock', 'migration_digests', 'breaking_migrations'];
const maxMs = 24 * 3_600_000;

const onDb = async <T>(connection: Connection, work: (db: Db) => Promise<T>): Promise<T> => {
  const options = { maxConnections: 1, applicationName: 'gateway upgrade', statementTimeoutMs: 0 };
  const db = openDb(connection, { ...options, idleInTransactionTimeoutMs: 0 });
  return work(db).finally(() => db.destroy());
};

/** Throws if this program does not know all migrations of the snapshot. */
async function requireKnown({ migrations }: Snapshot): Promise<void> {
  const known = new Set((await readMigrations()).map(({ name }) => name));
  const unknown = migrations.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown.length > 0)
    throw new Error(
      `The database is newer than this program: it has run ${unknown.join(', ')}. Start the newer version.`,
    );
}

/** The digest and the number of rows of what COPY writes: one line for each row. */
async function measure(rows: AsyncIterable<Buffer>, onBytes: (bytes: Buffer) => Promise<void>) {
  const hash = createHash('sha256');
  let lines = 0;
  for await (const bytes of rows) {
    hash.update(bytes);
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
    await onBytes(bytes);
  }
  return { digest: hash.digest('hex'), lines };
}

const boundsPattern = /^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$/;

/**
 * Copies every row, partition and sequence from one server to an empty database of another, and reads the copy again to compare
 * it. Throws, and leaves the source unchanged, if anything differs. The source must not change in the meantime.
 */
export async function copyDatabase(
  source: Connection,
  target: Connection,
  onProgress: (progress: CopyProgress) => void,
): Promise<void> {
  const snapshot = await openSnapshot(source, { maxMs, leftOut });
  if (!snapshot)
    throw new Error('A backup of the database is running. Wait until it ends, then start again.');
  try {
    if (snapshot.tables.some(({ name }) => name === 'incomplete_restore'))
      throw new Error(
        'The database is incomplete, because a restore into it did not end. Move its folder away, and run "restore" again.',
      );
    await requireKnown(snapshot);
    await onDb(target, (db) =>
      migrateTo(
        db,
        snapshot.migrations.map(({ name }) => name),
      ),
    );
    const digests = await loadAll(snapshot, target, onProgress);
    await compare(target, digests);
  } finally {
    await snapshot.close();
  }
}

/** Returns the digest of each table. */
async function loadAll(
  snapshot: Snapshot,
  target: Connection,
  onProgress: (progress: CopyProgress) => void,
): Promise<Map<string, string>> {
  // the numbers of rows are known after the copy
  const tables = snapshot.tables.map(({ name, columns }) => ({ name, columns, rows: 0 }));
  const partitions = snapshot.partitions.map(({ table, name, bounds }) => {
    const [, from = '', to = ''] = boundsPattern.exec(bounds) ?? [];
    return { table, name, from, to };
  });
  const load = await openLoad(target, { tables, sequences: snapshot.sequences, partitions }, { hold: false });
  const ofBytes = snapshot.tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const digests = new Map<string, string>();
  let bytes = 0;
  try {
    for (const [index, table] of snapshot.tables.entries()) {
      onProgress({ table: table.name, bytes, ofBytes });
      const { digest, lines } = await measure(snapshot.copy(table), (part) => load.write(table.name, part));
      (tables[index] as (typeof tables)[number]).rows = lines;
      digests.set(table.name, digest);
      bytes += table.bytes;
    }
    await load.commit();
  } finally {
    await load.close();
  }
  return digests;
}

/** Throws unless every table of the copy has the rows with that digest, in the order in which they were loaded. */
async function compare(target: Connection, digests: ReadonlyMap<string, string>): Promise<void> {
  const copy = await openSnapshot(target, { maxMs, leftOut });
  if (!copy) throw new Error('The copy of the database is locked by another process.');
  try {
    for (const table of copy.tables) {
      const { digest } = await measure(copy.copy(table), async () => {});
      if (digest !== digests.get(table.name))
        throw new Error(
          `The copy of the table ${table.name} differs from the original. Nothing was changed.`,
        );
    }
    if (copy.tables.length !== digests.size)
      throw new Error(`The copy has ${copy.tables.length} tables instead of ${digests.size}.`);
  } finally {
    await copy.close();
  }
}
