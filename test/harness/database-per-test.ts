// A new database for each test of a file, for tests that count or remove everything.
import { afterAll, beforeEach } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** Creates a database before each test of the file and drops them all after the last one; returns that of the current test. */
export function databasePerTest(): Pick<TestDatabase, 'connection' | 'db' | 'open'> {
  const all: TestDatabase[] = [];
  let current: TestDatabase;
  beforeEach(async () => {
    current = await createTestDatabase();
    all.push(current);
  });
  afterAll(() => Promise.all(all.map((one) => one.drop())));
  return {
    get connection() {
      return current.connection;
    },
    get db() {
      return current.db;
    },
    open: (options) => current.open(options),
  };
}
