// Search for contacts by what people and the platform call them.
import { AppError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { findIdentities, identitiesOfContact } from './identities-store.ts';
import { phoneIdentity, userIdentity } from './identity.ts';

export interface PersonFilter {
  phone?: string | undefined;
  userId?: string | undefined;
}

/** The 404 of a contact. */
export function contactNotFound(): AppError {
  return new AppError('contact_not_found', 'There is no such contact in this account.');
}

/** The ids of the contacts that have all given identities (none or one); undefined without a filter. */
export async function contactsWith(
  db: Db,
  accountId: string,
  { phone, userId }: PersonFilter,
): Promise<string[] | undefined> {
  const wanted = [
    ...(phone === undefined ? [] : [phoneIdentity(phone.replace(/\D/g, ''))]),
    ...(userId === undefined ? [] : [userIdentity(userId)]),
  ];
  if (wanted.length === 0) return undefined;
  const rows = await findIdentities(
    db,
    wanted.map((identity) => ({ accountId, identity })),
  );
  const ids = new Set(rows.map(({ contactId }) => contactId));
  return rows.length === wanted.length && ids.size === 1 ? [...ids] : [];
}

/** All identities of the filtered person, in which their messages are stored; undefined without a filter. */
export async function identitiesWith(
  db: Db,
  accountId: string,
  filter: PersonFilter,
): Promise<string[] | undefined> {
  const ids = await contactsWith(db, accountId, filter);
  if (ids === undefined) return undefined;
  const [contactId] = ids;
  if (contactId === undefined) return [];
  return (await identitiesOfContact(db, accountId, contactId)).map(({ identity }) => identity);
}
