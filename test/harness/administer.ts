// Statements that prepare the tests' database server.
import pg from 'pg';
import type { Connection } from '../../src/db/db.ts';

/** Runs one statement on its own connection, such as `create database`. */
export async function administer(connection: Connection, statement: string): Promise<void> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The `owner` clause of a `create database` for the user of this connection. */
export const ownedBy = (connection: Connection) => ('user' in connection ? `owner ${connection.user}` : '');
