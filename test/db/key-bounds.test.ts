// Bounds of keys made by keys: no more scopes than the creating key, and no later expiry.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CreatedKey, createAccount, createKey, revoke, rotateKey } from '../../src/accounts/keys.ts';
import { listKeys } from '../../src/accounts/store.ts';
import { systemClock as clock } from '../../src/base/clock.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
const scopes = ['manage'];
const forbidden = (word: string) => ({
  code: 'forbidden',
  message: expect.stringMatching(new RegExp(`${word}.*"key create"`)),
});

async function account() {
  const deps = { db: database.db, clock };
  const { accountId, key } = await createAccount(deps, 'x');
  const create = (by: CreatedKey | undefined, wanted: { scopes: string[]; expiresAt?: Date }) =>
    createKey(deps, {
      accountId,
      name: 'k',
      ...wanted,
      ...(by ? { creator: { kind: 'key', id: by.id } } : {}),
    });
  const rotate = (by: CreatedKey, old: CreatedKey) =>
    rotateKey(deps, {
      accountId,
      keyId: old.id,
      overlapSeconds: 86_400,
      creator: { kind: 'key', id: by.id },
    });
  const list = async () =>
    (await listKeys(database.db, accountId, { limit: 100, offset: 0 }, new Date())).rows;
  return { deps, accountId, key, create, rotate, list };
}

test('a key cannot create or rotate a key with a scope that it lacks', async () => {
  const { create, rotate, list, key } = await account();
  const narrow = await create(key, { scopes: ['manage', 'messages:read'] });
  expect((await create(narrow, { scopes: ['messages:read', 'manage'] })).scopes).toHaveLength(2);
  await expect(
    create(narrow, { scopes: ['messages:read', 'messages:send', 'media:write'] }),
  ).rejects.toMatchObject(forbidden('messages:send, media:write'));
  await expect(rotate(narrow, key)).rejects.toMatchObject(forbidden('messages:send'));
  // the rejected rotation did not change the other key's expiry
  expect((await list()).map(({ expires_at }) => expires_at)).toEqual([null, null, null]);
  expect((await rotate(narrow, narrow)).scopes).toEqual(narrow.scopes);
});

test('a key with manage creates a key with a scope that manage includes', async () => {
  const { create, key } = await account();
  const manager = await create(key, { scopes: ['manage'] });
  expect((await create(manager, { scopes: ['conversations:read'] })).scopes).toEqual(['conversations:read']);
  const reader = await create(key, { scopes: ['messages:read'] });
  await expect(create(reader, { scopes: ['conversations:read'] })).rejects.toMatchObject(
    forbidden('conversations:read'),
  );
});

test('a key cannot create a key that expires later, and its own expiry is the default', async () => {
  const { create, rotate, key } = await account();
  const [sooner, expiresAt, later] = [inHours(1), inHours(2), inHours(3)];
  const brief = await create(key, { scopes, expiresAt });
  const ends = async (wanted: object) => (await create(brief, { scopes, ...wanted })).expires_at;
  expect([await ends({}), await ends({ expiresAt }), await ends({ expiresAt: sooner })]).toEqual([
    expiresAt,
    expiresAt,
    sooner,
  ]);
  const tooLate = forbidden(expiresAt.toISOString());
  await expect(create(brief, { scopes, expiresAt: later })).rejects.toMatchObject(tooLate);
  for (const end of [{}, { expiresAt: later }]) {
    const other = await create(key, { scopes, ...end });
    await expect(rotate(brief, other)).rejects.toMatchObject(tooLate);
  }
  expect((await rotate(brief, brief)).expires_at).toEqual(expiresAt);
});

test('a key that is being rotated cannot create a key that expires after its overlap', async () => {
  const { create, rotate, key } = await account();
  const old = await create(key, { scopes });
  const fresh = await rotate(old, old);
  expect(fresh.expires_at).toBeNull();
  const minted = await create(old, { scopes });
  expect(minted.expires_at?.getTime()).toBeLessThanOrEqual(inHours(24).getTime());
  await expect(rotate(old, fresh)).rejects.toMatchObject({ code: 'forbidden' });
});

test('a revoked key cannot create or rotate keys, even while a process has it cached', async () => {
  const { deps, accountId, create, rotate, key } = await account();
  const gone = await create(key, { scopes });
  await revoke(deps, { accountId, keyId: gone.id });
  const invalid = { code: 'api_key_invalid' };
  await expect(create(gone, { scopes })).rejects.toMatchObject(invalid);
  await expect(rotate(gone, await create(key, { scopes }))).rejects.toMatchObject(invalid);
  await sql`update api_keys set expires_at = now() - interval '1 second' where id = ${key.id}`.execute(
    database.db,
  );
  await expect(create(key, { scopes })).rejects.toMatchObject(invalid);
  // the command line needs no key
  expect((await create(undefined, { scopes: ['messages:send'] })).expires_at).toBeNull();
});
