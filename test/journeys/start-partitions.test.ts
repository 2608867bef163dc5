// Partitions that a start creates, before the first request.
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeKey } from '../../src/base/cipher.ts';
import { createTestDatabase } from '../harness/database.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';

vi.setConfig({ testTimeout: 180_000 });

let workspace: ProgramFolder;
beforeAll(async () => {
  workspace = await openProgramFolder();
});
afterAll(() => workspace?.close());

test('the first row that a process accepts has a partition, also without a worker', async () => {
  const env = { DATA_DIR: join(workspace.folder, 'api'), ROLE: 'api' };
  const api = workspace.start(['start', '--no-sandbox'], { env });
  await api.says(/The gateway answers at /);
  const { out } = await workspace.run(['doctor'], { env });
  expect(out).toMatch(/^ok +partitions: /m);
  api.process.kill('SIGTERM');
  await api.ended;
});

test('starts although no partition can be created, because the present may have one', async () => {
  const database = await createTestDatabase();
  await sql`drop function make_partition`.execute(database.db);
  const { host, port, user, password = '', database: name } = database.connection as Record<string, string>;
  const env = {
    DATA_DIR: join(workspace.folder, 'unpartitioned'),
    DATABASE_URL: `postgres://${user}:${password}@localhost:${port}/${name}?host=${host}`,
    ENCRYPTION_KEYS: makeKey(),
    ROLE: 'api',
  };
  const api = workspace.start(['start', '--no-sandbox'], { env });
  await api.says(/The gateway answers at /);
  expect(api.out()).toMatch(/"work":"partitions".*"msg":"work.failed"/);
  api.process.kill('SIGTERM');
  await api.ended;
  await database.drop();
});
