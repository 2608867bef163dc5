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
import { inTransaction } from '../../db/transaction.ts';
import { awaitFolding } from '../contacts/changed-contacts-store.ts';
import type { ContactKey } from '../contacts/contacts-store.ts';
import { identitiesOfContact } from '../contacts/identities-store.ts';
import { phoneIdentity } from '../contacts/identity.ts';
import { lockPeople } from '../contacts/lock-people.ts';
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

/** The contacts to erase, by their identities. */
export interface PersonErasure {
  accountId: string;
  people: readonly string[];
  /** Erases what the transactions wrote that the deletion waited for. */
  eraseLate: (tx: Tx) => Promise<void>;
}

export interface ErasedContacts {
  contactIds: string[];
  /** Identities that the contacts have besides `people`. */
  others: string[];
}

/**
 * Deletes contacts with everything that belongs to them, in one transaction. Of their opt-outs stays a hash of each identity, from which
 * nobody without the keys can find the number. Deletes nothing if they have other identities by now.
 */
export async function eraseContacts(
  deps: ErasedDeps,
  { accountId, people, eraseLate }: PersonErasure,
): Promise<ErasedContacts> {
  const hash = await makeHash(deps);
  return inTransaction(deps.db, async (tx) => {
    const keys = await lockPeople(
      tx,
      people.map((identity) => ({ accountId, identity })),
    );
    const contactIds = keys.map(({ contactId }) => contactId);
    const identities = await identitiesOf(tx, keys);
    const others = identities.flatMap(({ identity }) => (people.includes(identity) ? [] : identity));
    if (others.length > 0) return { contactIds, others };
    for (const { scope: of, contactId, ...optOut } of await findOptOuts(tx, keys)) {
      if (of === scope.none) continue;
      const own = identities.filter((one) => one.contactId === contactId);
      const hashes = own.map(({ identity }) => ({ ...optOut, scope: of, hash: hash(identity) }));
      await insertErased(tx, accountId, hashes);
    }
    await awaitFolding(tx);
    await deleteContacts(tx, keys);
    // a message of a person who wrote before holds their window, any other one the contact
    await eraseLate(tx);
    return { contactIds, others };
  });
}

async function identitiesOf(tx: Tx, keys: readonly ContactKey[]) {
  const all: { identity: string; contactId: string }[] = [];
  for (const { accountId, contactId } of keys)
    for (const { identity } of await identitiesOfContact(tx, accountId, contactId))
      all.push({ identity, contactId });
  return all;
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
  await inTransaction(deps.db, async (tx) => {
    const hashes = [...byHash.keys()].map((hex) => Buffer.from(hex, 'hex'));
    const taken = await takeErased(tx, accountId, hashes);
    const acts = taken.map(({ hash: of, scope, source, actedAtMs }) => ({
      accountId,
      person: { phone: byHash.get(of.toString('hex')) as string },
      act: { scope, source, reason: null, atMs: isOfApi(scope) ? null : actedAtMs },
    }));
    // no event: they had opted out before
    await recordPersonActs(tx, acts, deps.clock.now());
  });
}

/** The same as a function of the account and the numbers. */
export const openRestoreErased = (deps: ErasedDeps) => (accountId: string, phones: readonly string[]) =>
  restoreErased(deps, accountId, phones);
