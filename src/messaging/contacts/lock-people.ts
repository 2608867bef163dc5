// The order of locks in transactions that change contacts: contacts by their keys, then their windows, then identities.
import type { Tx } from '../../db/db.ts';
import { serializationFailure } from '../../db/failure.ts';
import { type ContactKey, contactKeyText, lockContacts, lockWindows } from './contacts-store.ts';
import { findIdentities, type IdentityKey } from './identities-store.ts';

/** Another transaction merged a contact in the meantime; the code makes callers repeat their transaction. */
export function mergedConcurrently(): Error {
  return serializationFailure('A contact was merged concurrently.');
}

/**
 * Locks all contacts that have these identities, and returns their keys. Call it before anything else in a transaction that changes contacts: their locks in
 * two steps would have no order. Throws a serialization failure if a contact was merged concurrently.
 */
export async function lockContactsOf(tx: Tx, identities: readonly IdentityKey[]): Promise<ContactKey[]> {
  if (identities.length === 0) return [];
  const rows = await findIdentities(tx, identities);
  const keys = [...new Map(rows.map((row) => [contactKeyText(row), row])).values()];
  if (keys.length > 0 && (await lockContacts(tx, keys)).length < keys.length) throw mergedConcurrently();
  return keys;
}

/**
 * The same, also of the windows: for transactions that may change those of several contacts. A statement that changes nothing but windows (`usualPeople`) needs
 * no lock before it. With that one first, a transaction would wait for one that has locked the contact, and waits for the window.
 */
export async function lockPeople(tx: Tx, identities: readonly IdentityKey[]): Promise<ContactKey[]> {
  const keys = await lockContactsOf(tx, identities);
  if (keys.length > 0) await lockWindows(tx, keys);
  return keys;
}
