// The generated table types match the migrations.
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemaText } from '../../scripts/schema-text.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('src/db/schema.ts matches the migrations (else run "npm run db:types")', async () => {
  const written = await readFile(new URL('../../src/db/schema.ts', import.meta.url), 'utf8');
  expect(written).toBe(await schemaText(database.connection));
});

// the initial page of an unlogged sequence may be missing on a promoted standby, where nextval then fails
test('has no unlogged sequences, which do not survive a failover', async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'S' and relpersistence = 'u'`.execute(database.db);
  expect(rows).toEqual([]);
});
