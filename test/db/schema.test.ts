// The generated table types match the migrations.
import { readFile } from 'node:fs/promises';
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
