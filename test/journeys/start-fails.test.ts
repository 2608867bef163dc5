// A gateway that fails during its start closes everything that it had opened.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp } from '../../src/app.ts';
import { makeKey, parseKeyRing } from '../../src/base/cipher.ts';
import { openLog } from '../../src/base/log.ts';
import { readConfig } from '../../src/config.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  [database, dataDir] = await Promise.all([
    createTestDatabase('empty'),
    mkdtemp(join(tmpdir(), 'start-fails-')),
  ]);
});
afterAll(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

test.runIf(process.platform === 'linux')(
  'names OBJECT_STORE_URL where no directory can be created, and ends its session',
  async () => {
    const { connection, db, drop } = await createTestDatabase();
    const warnings: string[] = [];
    const log = { ...openLog('silent'), warn: (_about: object, text: string) => warnings.push(text) };
    try {
      // /proc reports ENOENT for a new directory, for which mkdir with the option recursive never ends
      const opening = openApp(
        readConfig({ DATA_DIR: dataDir, OBJECT_STORE_URL: 'file:/proc/x' }),
        { connection, db, close: async () => undefined, stopNow: () => undefined },
        { log: log as never, keyRing: parseKeyRing(makeKey()) },
      );
      await expect(opening).rejects.toThrow(
        /^The directory \/proc\/x\/objects cannot be created: ENOENT.* Set OBJECT_STORE_URL to/,
      );
      const { rows } = await sql<{ sessions: number }>`
        select count(*)::int as sessions from pg_stat_activity
        where datname = current_database() and application_name = 'gateway process'`.execute(db);
      expect(rows).toEqual([{ sessions: 0 }]);
      expect(warnings).toEqual([]);
    } finally {
      await drop();
    }
  },
);

test.runIf(process.platform === 'linux')('names the key file where it cannot be written', async () => {
  const { connection, db, drop } = await createTestDatabase();
  try {
    const opening = openApp(
      readConfig({ DATA_DIR: '/proc', OBJECT_STORE_URL: `file:${dataDir}` }),
      { connection, db, close: async () => undefined, stopNow: () => undefined },
      { log: openLog('silent') },
    );
    await expect(opening).rejects.toThrow(
      /^The key file \/proc\/encryption-keys cannot be written: .* Set DATA_DIR to/,
    );
  } finally {
    await drop();
  }
});

test('stops listening when the database fails during the start', async () => {
  const port = await freePort();
  const { connection, db } = database;
  const opening = openApp(
    readConfig({ PORT: String(port), DATA_DIR: dataDir }),
    // without tables, the first statement of the start fails, as with an unavailable server
    { connection, db, close: async () => undefined, stopNow: () => undefined },
    { log: openLog('silent'), keyRing: parseKeyRing(makeKey()) },
  );
  await expect(opening).rejects.toThrow(/relation "\w+" does not exist/);
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
});
