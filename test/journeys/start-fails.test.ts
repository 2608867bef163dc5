// A gateway that fails during its start closes everything that it had opened.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
