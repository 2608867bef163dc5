// Encryption keys that the secrets of a database need and this machine does not have: no new key takes their place.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/keys.ts';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { keyFileOf, keyFinding, openKeyRing } from '../../src/encryption-keys.ts';
import { encryptSecret } from '../../src/webhooks/endpoints/secrets.ts';
import { insertEndpoint } from '../../src/webhooks/endpoints/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

const [stored, other] = [makeKey(), makeKey()];
const id = stored.split(':')[0] as string;
let database: TestDatabase;
let config: Config;

beforeEach(async () => {
  database = await createTestDatabase();
  config = readConfig({ DATA_DIR: await mkdtemp(join(tmpdir(), 'missing-keys-')) });
});
afterEach(async () => {
  await database.drop();
  await rm(config.dataDir, { recursive: true });
});

async function storeSecret(): Promise<void> {
  const { db } = database;
  const { accountId } = await createAccount({ db, clock: systemClock }, 'Test');
  const endpointId = uuidv7();
  const secret = encryptSecret(openCipher(parseKeyRing(stored)), 'the secret', endpointId, 'secret');
  const url = 'https://receiver.example.com';
  await db.transaction().execute((tx) =>
    insertEndpoint(tx, {
      id: endpointId,
      accountId,
      url,
      description: null,
      events: ['messages.status'],
      secret,
    }),
  );
}

const writeKeys = (text: string) => writeFile(keyFileOf(config), text, { mode: 0o600 });

test('a missing key file is created for a database without secrets', async () => {
  expect(await keyFinding(config, database.db)).toMatchObject({
    status: 'ok',
    text: expect.stringMatching(/^none yet/),
  });
  await openKeyRing(config, database.db);
  expect(existsSync(keyFileOf(config))).toBe(true);
});

test('a missing key file is not created for a database with secrets', async () => {
  await storeSecret();
  const missing = new RegExp(`^The key file .* is missing, but the database has .* with ${id}\\. Restore`);
  await expect(openKeyRing(config, database.db)).rejects.toThrow(missing);
  const { status, text } = await keyFinding(config, database.db);
  expect(status).toBe('failed');
  expect(text).toMatch(missing);
  expect(existsSync(keyFileOf(config))).toBe(false);
});

test('"doctor" fails and names a key that the file does not have', async () => {
  await storeSecret();
  await writeKeys(other);
  const { status, text, fix } = await keyFinding(config, database.db);
  expect(status).toBe('failed');
  expect(text).toMatch(new RegExp(`^1, the newest is k-.*; but secrets in the database .* with ${id}:`));
  expect(fix).toMatch(new RegExp(`^Add ${id} from your copy of the keys to ${keyFileOf(config)}, after`));
});

test('"doctor" is content with a file that has the key, newest or not', async () => {
  await storeSecret();
  await writeKeys(`${other}\n${stored}`);
  expect(await keyFinding(config, database.db)).toMatchObject({ status: 'ok' });
});
