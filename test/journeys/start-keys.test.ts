// Rotation of encryption keys: every stored secret is re-encrypted, and the old key is no longer needed.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { receiverControl } from '../../sandbox/control.ts';
import { createAccount } from '../../src/accounts/keys.ts';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openKeyedHash } from '../../src/base/keyed-hash.ts';
import { gatewayConnections } from '../../src/db/connections.ts';
import { type Connection, openDb } from '../../src/db/db.ts';
import { appSecretHash, encryptSecret as sealSenderSecret } from '../../src/messaging/senders/access.ts';
import { findSenderById, insertSender } from '../../src/messaging/senders/store.ts';
import { encryptSecret as sealEndpointSecret, validSecrets } from '../../src/webhooks/endpoints/secrets.ts';
import { findTarget, insertEndpoint } from '../../src/webhooks/endpoints/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { bookFirst, type Staff, sendTo } from '../harness/demo-account.ts';
import { gatewayClient } from '../harness/gateway-client.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';
import { samples } from '../harness/sample-files.ts';

// several whole starts each
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let workspace: ProgramFolder;
beforeAll(async () => {
  workspace = await openProgramFolder({ migrated: true });
});
afterAll(() => workspace?.close());

test('in embedded mode, adds a key to the file, and the gateway works without the old one', async () => {
  const first = await workspace.startDemo();
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(samples.png)], { type: 'image/png' }), 'sample.png');
  const headers = { 'X-API-Key': first.demo.apiKey };
  const upload = await fetch(`${first.demo.baseUrl}/v1/templates/media`, {
    method: 'POST',
    headers,
    body: form,
  });
  const { mediaId } = ((await upload.json()) as { data: { mediaId: string } }).data;
  first.program.process.kill('SIGTERM');
  await first.program.ended;

  const rotated = await workspace.run(['rotate-encryption-key']);
  expect(rotated).toMatchObject({ code: 0, err: '' });
  expect(rotated.out).toMatch(/senders: 3 secrets re-encrypted/);
  expect(rotated.out).toMatch(/webhook endpoints: 1 secrets re-encrypted/);
  expect(rotated.out).toMatch(/calendar connections: 3 secrets re-encrypted/);
  expect(rotated.out).toMatch(/stored files .*: 1 secrets re-encrypted/);
  const doctor = await workspace.run(['doctor']);
  expect(doctor.out).toMatch(
    /encryption keys: 2, the newest is (k\S+); last rotated at 20\S+Z: \d+ secrets re-encrypted with \1\n/,
  );
  const file = join(workspace.dataDir, 'encryption-keys');
  const [newest = '', oldest = ''] = (await readFile(file, 'utf8')).trim().split('\n');
  expect(rotated.out).toContain(`No longer used: ${oldest.split(':')[0]}.`);
  await writeFile(file, `${newest}\n`);
  const { demo } = await workspace.startDemo();
  const gateway = gatewayClient(demo.baseUrl, demo.apiKey);
  const { messageId } = await sendTo(gateway, '15550500001');
  const receiver = receiverControl(demo.sandbox.receiverUrl);
  const verified = { messageId: messageId as string, verified: true, status: 'read', waitSeconds: 30 };
  while ((await receiver.events(verified)).length === 0);
  const { items } = await gateway<{ items: Staff[] }>('GET', '/v1/appointments/users');
  for (const { _id } of items) expect(await bookFirst(gateway, _id)).toMatchObject({ status: 'confirmed' });
  const content = await fetch(`${demo.baseUrl}/v1/media/${mediaId}/content`, { headers });
  expect(Buffer.from(await content.arrayBuffer()).equals(samples.png)).toBe(true);
});

/** A DATABASE_URL for the connection, also for a socket's folder. */
function addressOf(connection: Connection): string {
  if ('connectionString' in connection) return connection.connectionString;
  const { host, port, user, password = '', database } = connection;
  const url = new URL(`postgres://${user}:${password}@localhost:${port}/${database}`);
  url.searchParams.set('host', host);
  return url.href;
}

describe('with ENCRYPTION_KEYS on a server', () => {
  const [oldKey, newKey] = [makeKey(), makeKey()];
  const idOf = (key: string) => key.split(':')[0] as string;
  const old = openCipher(parseKeyRing(oldKey));
  let database: TestDatabase;
  let senderId: string;
  let endpointId: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    const { db } = database;
    const { accountId } = await createAccount({ db, clock: systemClock }, 'Test');
    [senderId, endpointId] = [uuidv7(), uuidv7()];
    const encrypted = (column: 'access_token' | 'app_secret' | 'verify_token') =>
      sealSenderSecret(old, senderId, column, `the ${column}`);
    await db.transaction().execute(async (tx) => {
      await insertSender(tx, {
        id: senderId,
        account_id: accountId,
        name: 'Test',
        phone_number_id: '1',
        business_account_id: '2',
        display_phone: '+1 555 010 0000',
        access_token: encrypted('access_token'),
        app_secret: encrypted('app_secret'),
        verify_token: encrypted('verify_token'),
        app_secret_hash: appSecretHash(openKeyedHash(parseKeyRing(oldKey)), 'the app_secret'),
        api_url: null,
        messages_per_second: 80,
        is_default: true,
      });
      await insertEndpoint(tx, {
        id: endpointId,
        accountId,
        url: 'https://receiver.example.com',
        description: null,
        events: ['messages.status'],
        secret: sealEndpointSecret(old, 'the secret', endpointId, 'secret'),
      });
    });
  });
  afterEach(() => database.drop());

  const rotate = (...args: string[]) => {
    return workspace.run(['rotate-encryption-key', ...args], {
      env: { DATABASE_URL: addressOf(database.connection), ENCRYPTION_KEYS: `${newKey},${oldKey}` },
    });
  };

  test('the rows can be decrypted with only the newest key and are unchanged', async () => {
    const { code, out } = await rotate();
    expect(out).toContain(`No longer used: ${idOf(oldKey)}.`);
    expect(code).toBe(0);
    const cipher = openCipher(parseKeyRing(newKey));
    const sender = await findSenderById(database.db, senderId);
    for (const column of ['access_token', 'app_secret', 'verify_token'] as const) {
      const place = { table: 'senders', column, row: senderId };
      expect(cipher.decrypt(sender?.[column] as Buffer, place)).toBe(`the ${column}`);
    }
    const hash = appSecretHash(openKeyedHash(parseKeyRing(newKey)), 'the app_secret');
    expect(sender?.app_secret_hash).toEqual(hash);
    const endpoint = await findTarget(database.db, endpointId);
    expect(endpoint && validSecrets(cipher, endpoint, 0).forBody).toBe('the secret');
    expect((await rotate()).out).not.toMatch(/[1-9]\d* (?:secrets|files) sealed/);
  });

  test('reports and keeps a secret that cannot be decrypted, and its key', async () => {
    const damaged = sealEndpointSecret(old, 'the secret', senderId, 'secret');
    await database.db
      .updateTable('endpoints')
      .set({ secret: damaged })
      .where('id', '=', endpointId)
      .execute();
    const { code, out } = await rotate();
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`FAIL .*endpoints\\.secret \\(row ${endpointId}\\)`));
    expect(out).toContain(`Still in use, keep them: ${idOf(oldKey)}.`);
    expect((await findTarget(database.db, endpointId))?.secret.equals(damaged)).toBe(true);
  });

  test('every bytea column is either re-encrypted or listed as having no secret', async () => {
    const encrypted = [
      'calendar_connections.credential',
      'endpoints.next_secret',
      'erasure_keys.key',
      // for minutes, and written again by the next request
      'erasures.subject',
      'endpoints.secret',
      'media.file_key',
      'oauth_states.code_verifier',
      'senders.access_token',
      'senders.app_secret',
      'senders.verify_token',
    ];
    const digests = [
      'api_keys.hash',
      'dashboard_links.hash',
      'sessions.hash',
      'erased_opt_outs.hash',
      'idempotency_keys.fingerprint',
      'media.sha256',
      'senders.app_secret_hash',
    ];
    const tables = await database.db.introspection.getTables();
    const ofBytes = tables.flatMap(({ name, columns }) =>
      columns.filter(({ dataType }) => dataType === 'bytea').map((column) => `${name}.${column.name}`),
    );
    expect(ofBytes.sort()).toEqual([...encrypted, ...digests].sort());
  });

  test('is rejected while gateways are connected that may lack the newest key', async () => {
    const gateway = openDb(database.connection, { maxConnections: 1, applicationName: gatewayConnections });
    try {
      await gateway.selectFrom('accounts').select('id').execute();
      const refused = await rotate();
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toMatch(/No key was changed.*Gateways are connected.*--gateways-have-key/);
      const sender = await findSenderById(database.db, senderId);
      expect(old.isNewest(sender?.access_token as Buffer)).toBe(true);
      expect(await rotate('--gateways-have-key')).toMatchObject({ code: 0 });
    } finally {
      await gateway.destroy();
    }
  });
});
