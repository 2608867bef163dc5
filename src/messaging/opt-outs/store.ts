// Table opt_outs, and the opt-out of each identity in contact_identities: always written in one statement.
import { sql } from 'kysely';
import { maxUuid } from '../../base/ids.ts';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { type ContactKey, contactKeys } from '../contacts/contacts-store.ts';
import type { OptOutState, Scope, Source } from './opt-out.ts';

/** The opt-out of a contact as stored. */
export interface StoredOptOut extends ContactKey, OptOutState {
  id: string;
}

/** Reads the opt-outs of locked contacts. */
export async function findOptOuts(tx: Tx, keys: readonly ContactKey[]): Promise<StoredOptOut[]> {
  const { rows } = await sql<StoredOptOut>`
    /* findOptOuts */ select o.account_id as "accountId", o.contact_id as "contactId", o.id, o.scope, o.source, o.reason,
      (extract(epoch from o.acted_at) * 1000)::float8 as "actedAtMs"
    from unnest(${contactKeys(keys)}) x(a, c)
    join opt_outs o on o.account_id = x.a and o.contact_id = x.c`.execute(tx);
  return rows;
}

/** Writes the opt-outs of locked contacts, also to all their identities: the statement that begins a dispatch reads those. */
export async function writeOptOuts(tx: Tx, rows: readonly StoredOptOut[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    /* writeOptOuts */ with x as materialized (
      select * from unnest(${contactKeys(rows)}, ${arrayText(rows.map((row) => row.id))}::uuid[], ${arrayText(rows.map((row) => row.scope))}::smallint[],
        ${arrayText(rows.map((row) => row.source))}::smallint[], ${rows.map((row) => row.reason)}::text[],
        ${arrayText(rows.map((row) => row.actedAtMs))}::float8[]) x(a, c, id, scope, source, reason, at)),
    written as (
      insert into opt_outs (account_id, contact_id, id, scope, source, reason, acted_at)
      select a, c, id, scope, source, reason, to_timestamp(at / 1000.0) from x
      on conflict (account_id, contact_id) do update set id = excluded.id, scope = excluded.scope, source = excluded.source,
        reason = excluded.reason, acted_at = excluded.acted_at)
    update contact_identities i set opt_out = x.scope from x
    where i.account_id = x.a and i.contact_id = x.c and i.opt_out <> x.scope`.execute(tx);
}

/** An opt-out with its person, as the API lists it. */
export interface ListedOptOut {
  id: string;
  contact_id: string;
  phone: string | null;
  user_id: string | null;
  scope: Scope;
  source: Source;
  reason: string | null;
  acted_at: Date;
}

const listed = sql`
  select o.id, o.contact_id, c.phone, c.user_id, o.scope, o.source, o.reason, o.acted_at
  from opt_outs o join contacts c on c.account_id = o.account_id and c.id = o.contact_id`;

/** Lists the people who opted out, newest first; `contactIds`: only these. */
export async function listOptOuts(
  db: Db,
  accountId: string,
  of: { contactIds?: readonly string[] | undefined; beforeId?: string | undefined },
  limit: number,
): Promise<ListedOptOut[]> {
  const contactIds = of.contactIds && [...of.contactIds];
  const { rows } = await sql<ListedOptOut>`
    ${listed} where o.account_id = ${accountId} and o.scope > 0 and o.id < ${of.beforeId ?? maxUuid}
      and (${contactIds === undefined} or o.contact_id = any (${contactIds ?? []}::uuid[]))
    order by o.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Finds the opt-out of a contact; undefined if they receive everything. */
export async function findOptOut(
  db: Db | Tx,
  accountId: string,
  contactId: string,
): Promise<ListedOptOut | undefined> {
  const { rows } = await sql<ListedOptOut>`
    ${listed} where o.account_id = ${accountId} and o.contact_id = ${contactId} and o.scope > 0`.execute(db);
  return rows[0];
}
