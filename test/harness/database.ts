// A database for each test file: a clone of the migrated template, dropped at the end of the file.
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type Connection, type Db, type DbOptions, openDb } from '../../src/db/db.ts';
import { administer, ownedBy } from './administer.ts';

export interface TestDatabase {
  connection: Connection;
  db: Db;
  /** A pool for hot statements, opened like the program's. */
  hot: Db;
  /** Opens another pool on the same database; `drop` closes it. */
  open(options?: Partial<DbOptions>): Db;
  /** Closes every pool and drops the database. */
  drop(): Promise<void>;
}

/** The connection to another database of the same server. */
export function connectionTo(connection: Connection, database: string): Connection {
  if (!('connectionString' in connection)) return { ...connection, database };
  const url = new URL(connection.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

/**
 * Creates a database for one test file (about 20 ms): a clone of the migrated `template`, or an empty one.
 * Call `drop` in `afterAll`.
 */
export async function createTestDatabase(from: 'template' | 'empty' = 'template'): Promise<TestDatabase> {
  const { connection: server, administrator, template } = inject('testServer');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(
    administrator,
    `create database ${name} template ${from === 'template' ? template : 'template0'} strategy file_copy ${ownedBy(server)}`,
  );
  const connection = connectionTo(server, name);
  const pools: Db[] = [];
  const open = (options: Partial<DbOptions> = {}) => {
    const pool = openDb(connection, { maxConnections: 10, applicationName: 'test', ...options });
    pools.push(pool);
    return pool;
  };
  return {
    connection,
    db: open(),
    hot: open({ hot: true, applicationName: 'test hot' }),
    open,
    async drop() {
      await Promise.all(pools.map((pool) => pool.destroy()));
      await administer(administrator, `drop database ${name} with (force)`);
    },
  };
}
