// Table contact_identities: whose identity it is, and merges of contacts.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { recordChanged } from './changed-contacts-store.ts';
import { type ContactKey, contactKeys } from './contacts-store.ts';

/** An identity of an account, and the contact that has it. */
export interface IdentityRow {
  accountId: string;
  identity: string;
  contactId: string;
  optOut: number;
}

export interface IdentityKey {
  accountId: string;
  identity: string;
}

/** Finds the contacts of these identities. */
export async function findIdentities(db: Db | Tx, keys: readonly IdentityKey[]): Promise<IdentityRow[]> {
  const { rows } = await sql<IdentityRow>`
    /* findIdentities */ select i.account_id as "accountId", i.identity, i.contact_id as "contactId", i.opt_out as "optOut"
    from unnest(${arrayText(keys.map((key) => key.accountId))}::uuid[], ${keys.map((key) => key.identity)}::text[]) x(a, i)
    join contact_identities i on i.account_id = x.a and i.identity = x.i`.execute(db);
  return rows;
}

/**
 * Inserts missing identities with the given contacts and locks all of them, in the order of `wanted`. Returns each with the
 * contact that it has now: another transaction may have inserted it first.
 */
export async function claimIdentities(
  tx: Tx,
  wanted: readonly (IdentityKey & { contactId: string })[],
): Promise<IdentityRow[]> {
  const { rows } = await sql<IdentityRow>`
    /* claimIdentities */ insert into contact_identities as i (account_id, identity, contact_id)
    select * from unnest(${arrayText(wanted.map((one) => one.accountId))}::uuid[], ${wanted.map((one) => one.identity)}::text[],
      ${arrayText(wanted.map((one) => one.contactId))}::uuid[])
    on conflict (account_id, identity) do update set contact_id = i.contact_id
    returning i.account_id as "accountId", i.identity, i.contact_id as "contactId", i.opt_out as "optOut"`.execute(
    tx,
  );
  return rows;
}

/** Sets the opt-out of all identities of a contact. */
export async function setOptOut(
  tx: Tx,
  { accountId, contactId }: { accountId: string; contactId: string },
  optOut: number,
): Promise<void> {
  await sql`
    update contact_identities set opt_out = ${optOut}::smallint
    where account_id = ${accountId} and contact_id = ${contactId} and opt_out <> ${optOut}::smallint`.execute(
    tx,
  );
}

/** Lists the identities of a contact. */
export async function identitiesOfContact(
  db: Db | Tx,
  accountId: string,
  contactId: string,
): Promise<{ identity: string; optOut: number }[]> {
  const { rows } = await sql<{ identity: string; optOut: number }>`
    select identity, opt_out as "optOut" from contact_identities
    where contact_id = ${contactId} and account_id = ${accountId} order by identity`.execute(db);
  return rows;
}

/** The numbers of contacts. */
export async function phonesOf(
  tx: Db | Tx,
  keys: readonly ContactKey[],
): Promise<(ContactKey & { phone: string })[]> {
  const { rows } = await sql<ContactKey & { phone: string }>`
    select distinct i.account_id as "accountId", i.contact_id as "contactId", i.identity as phone
    from unnest(${contactKeys(keys)}) x(a, c)
    join contact_identities i on i.contact_id = x.c and i.account_id = x.a
    where i.identity ~ '^[0-9]' order by 1, 2, 3`.execute(tx);
  return rows;
}

/**
 * Moves the identities, windows, read mark and opt-out of contacts to another one and deletes them. Of several opt-outs the strictest remains, and of
 * equally strict ones the newest. Their rows are deleted first: that waits
 * for every transaction that adds to them.
 */
export async function mergeInto(
  tx: Tx,
  { accountId, contactId, others }: { accountId: string; contactId: string; others: string[] },
): Promise<void> {
  const ids = sql`${others}::uuid[]`;
  await sql`
    with gone as (
      delete from contacts where account_id = ${accountId} and id = any (${ids})
      returning phone, user_id, name, named_at, read_at, last_reply_id, id)
    update contacts c set phone = coalesce(c.phone, g.phone), user_id = coalesce(c.user_id, g.user_id),
      name = coalesce(c.name, g.name), named_at = greatest(c.named_at, g.named_at),
      read_at = least(c.read_at, g.read_at), last_reply_id = greatest(c.last_reply_id, g.last_reply_id)
    from (select (array_agg(phone order by id desc) filter (where phone is not null))[1] as phone,
        (array_agg(user_id order by id desc) filter (where user_id is not null))[1] as user_id,
        (array_agg(name order by id desc) filter (where name is not null))[1] as name,
        max(named_at) as named_at, min(read_at) as read_at,
        (array_agg(last_reply_id order by last_reply_id desc) filter (where last_reply_id is not null))[1] as last_reply_id from gone) g
    where c.account_id = ${accountId} and c.id = ${contactId}`.execute(tx);
  await sql`
    with moved as (
      delete from contact_windows where account_id = ${accountId} and contact_id = any (${ids})
      returning sender_id, last_received_at)
    insert into contact_windows as w (account_id, contact_id, sender_id, last_received_at)
    select ${accountId}::uuid, ${contactId}::uuid, sender_id, max(last_received_at) from moved group by sender_id
    on conflict (account_id, contact_id, sender_id)
      do update set last_received_at = greatest(w.last_received_at, excluded.last_received_at)`.execute(tx);
  const all = sql`account_id = ${accountId} and contact_id = any (${[contactId, ...others]}::uuid[])`;
  await sql`
    update opt_outs set answered_at = (select max(answered_at) from opt_outs where ${all}) where ${all}`.execute(
    tx,
  );
  await sql`
    delete from opt_outs where ${all} and contact_id <> (
      select contact_id from opt_outs where ${all} order by scope desc, acted_at desc, contact_id limit 1)`.execute(
    tx,
  );
  await sql`update opt_outs set contact_id = ${contactId} where ${all} and contact_id <> ${contactId}`.execute(
    tx,
  );
  await sql`
    update contact_identities set contact_id = ${contactId}
    where account_id = ${accountId} and contact_id = any (${ids})`.execute(tx);
  await recordChanged(
    tx,
    [contactId, ...others].map((id) => ({ accountId, contactId: id })),
  );
}
