// Opt-outs of erased people: kept as a hash of the number, and stored again when somebody names that number.
import { createHmac, randomBytes } from 'node:crypto';
import type { Cipher } from '../../base/cipher.ts';
import type { Clock } from '../../base/clock.ts';
import { uuidv7 } from '../../base/ids.ts';
import {
  type EncryptedChange,
  type Page,
  type ReencryptedPage,
  reencryptPage,
} from '../../base/reencrypt.ts';
import type { Db, Tx } from '../../db/db.ts';
import { retryTransient } from '../../db/failure.ts';
import { type ContactKey, lockContacts } from '../contacts/contacts-store.ts';
import { identitiesOfContact } from '../contacts/identities-store.ts';
import { phoneIdentity } from '../contacts/identity.ts';
import { recordPersonActs } from './change.ts';
import {
  deleteContacts,
  findErasureKey,
  hasErased,
  insertErased,
  insertErasureKey,
  replaceErasureKey,
  takeErased,
} from './erased-store.ts';
import { type Scope, scope } from './opt-out.ts';
import { findOptOuts } from './store.ts';

export interface ErasedDeps {
  db: Db;
  clock: Clock;
  cipher: Cipher;
}

const keyBytes = 32;
const location = (row: string) => ({ table: 'erasure_keys', column: 'key', row });

/** The hash of an identity. */
type Hash = (identity: string) => Buffer;

const hashWith =
  (key: Buffer): Hash =>
  (identity) =>
    createHmac('sha256', key).update(identity).digest();

/** The hashes of this gateway; undefined before the first erasure. */
async function openHash({ db, cipher }: Pick<ErasedDeps, 'db' | 'cipher'>): Promise<Hash | undefined> {
  const row = await findErasureKey(db);
  return row && hashWith(Buffer.from(cipher.decrypt(row.key, location(row.id)), 'base64'));
}

async function makeHash(deps: ErasedDeps): Promise<Hash> {
  const id = uuidv7(deps.clock.now());
  const key = deps.cipher.encrypt(randomBytes(keyBytes).toString('base64'), location(id));
  const existing = await openHash(deps);
  if (existing) return existing;
  await insertErasureKey(deps.db, { id, key });
  // another process may have been faster
  return (await openHash(deps)) as Hash;
}

/** Encrypts the key of the hashes with the newest encryption key. */
export function reencryptErasureKey(deps: { db: Db; cipher: Cipher }, page: Page): Promise<ReencryptedPage> {
  return reencryptPage(
    deps.cipher,
    {
      name: 'erasure_keys',
      columns: ['key'] as const,
      read: async ({ afterId }) => {
        const row = afterId === undefined ? await findErasureKey(deps.db) : undefined;
        return row ? [row] : [];
      },
      write: (change: EncryptedChange<'key'>) => replaceErasureKey(deps.db, change),
    },
    page,
  );
}

/**
 * Deletes a contact with everything that belongs to it, in one transaction. Of their opt-out stays a hash of each identity, from which
 * nobody without the keys can find the number.
 */
export async function eraseContact(deps: ErasedDeps, key: ContactKey): Promise<void> {
  const hash = await makeHash(deps);
  await retryTransient(() =>
    deps.db.transaction().execute(async (tx) => {
      const locked = await lockContacts(tx, [key]);
      if (locked.length === 0) return;
      const [optOut] = await findOptOuts(tx, [key]);
      if (optOut && optOut.scope !== scope.none) {
        const identities = await identitiesOfContact(tx, key.accountId, key.contactId);
        const rows = identities.map(({ identity }) => ({ ...optOut, hash: hash(identity) }));
        await insertErased(tx, key.accountId, rows);
      }
      await deleteContacts(tx, [key]);
    }),
  );
}

/** What the API stopped as `all`, a start word in the meantime has not lifted. */
const isOfApi = (of: Scope): boolean => of === scope.all;

/**
 * Stores the opt-outs of erased people again whose numbers are among these: call it before messages to them are stored, and before an
 * opt-out of theirs is changed. The caller knows their numbers anyway.
 */
async function restoreErased(deps: ErasedDeps, accountId: string, phones: readonly string[]): Promise<void> {
  if (phones.length === 0 || !(await hasErased(deps.db, accountId))) return;
  const hash = await openHash(deps);
  if (!hash) return;
  const byHash = new Map(phones.map((phone) => [hash(phoneIdentity(phone)).toString('hex'), phone]));
  await retryTransient(() =>
    deps.db.transaction().execute(async (tx: Tx) => {
      const hashes = [...byHash.keys()].map((hex) => Buffer.from(hex, 'hex'));
      const taken = await takeErased(tx, accountId, hashes);
      const acts = taken.map(({ hash: of, scope, source, actedAtMs }) => ({
        accountId,
        person: { phone: byHash.get(of.toString('hex')) as string },
        act: { scope, source, reason: null, atMs: isOfApi(scope) ? null : actedAtMs },
      }));
      // no event: they had opted out before
      await recordPersonActs(tx, acts, deps.clock.now());
    }),
  );
}

/** The same as a function of the account and the numbers. */
export const openRestoreErased = (deps: ErasedDeps) => (accountId: string, phones: readonly string[]) =>
  restoreErased(deps, accountId, phones);
