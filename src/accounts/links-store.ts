// Rows of dashboard links that were not used yet.
import { sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';

export interface LinkRow {
  id: string;
  account_id: string;
  key_id: string | null;
  name: string;
  scopes: string[];
  created_at: Date;
  expires_at: Date;
  session_ends_at: Date | null;
}

const columns = sql`l.id, l.account_id, l.key_id, l.name, l.scopes, l.created_at, l.expires_at, l.session_ends_at`;

/** True for links that can be used at `now`. */
const isUsable = (
  now: Date,
) => sql<boolean>`l.expires_at > ${now} and (l.session_ends_at is null or l.session_ends_at > ${now})
  and (l.key_id is null or exists (select from api_keys k where k.id = l.key_id and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > ${now})))`;

/** Inserts a link with the hash of its token. */
export async function insertLink(
  tx: Tx,
  link: {
    id: string;
    accountId: string;
    keyId: string | null;
    name: string;
    scopes: readonly string[];
    hash: Buffer;
    now: Date;
    expiresAt: Date;
    sessionEndsAt: Date | null;
  },
): Promise<void> {
  await sql`
    insert into dashboard_links (id, account_id, key_id, name, scopes, hash, created_at, expires_at, session_ends_at)
    values (${link.id}, ${link.accountId}, ${link.keyId}, ${link.name}, ${link.scopes}, ${link.hash}, ${link.now},
      ${link.expiresAt}, ${link.sessionEndsAt})`.execute(tx);
}

/** Deletes the link whose token has that hash, so that it is used once; undefined if it cannot be used at `now`. */
export async function takeLink(tx: Tx, hash: Buffer, now: Date): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`
    delete from dashboard_links l where l.hash = ${hash} and ${isUsable(now)} returning ${columns}`.execute(
    tx,
  );
  return rows[0];
}

/** What a link gives, for whoever holds it. */
export interface OfferedLink extends Pick<LinkRow, 'name' | 'scopes' | 'expires_at'> {
  account_name: string;
  /** Name of the key of its maker; null: it was made on the gateway's machine. */
  key_name: string | null;
}

/** The link whose token has that hash, which stays; undefined if it cannot be used at `now`. */
export async function findOfferedLink(db: Db, hash: Buffer, now: Date): Promise<OfferedLink | undefined> {
  const { rows } = await sql<OfferedLink>`
    select l.name, l.scopes, l.expires_at, a.name as account_name, m.name as key_name
    from dashboard_links l join accounts a on a.id = l.account_id left join api_keys m on m.id = l.key_id
    where l.hash = ${hash} and ${isUsable(now)}`.execute(db);
  return rows[0];
}

/** One page of the account's links that can be used, newest first, and their number. */
export async function listLinks(
  db: Db,
  accountId: string,
  { limit, offset, now }: { limit: number; offset: number; now: Date },
): Promise<{ rows: LinkRow[]; total: number }> {
  const usable = sql`from dashboard_links l where l.account_id = ${accountId} and ${isUsable(now)}`;
  const { rows } = await sql<LinkRow>`
    select ${columns} ${usable} order by l.id desc limit ${limit} offset ${offset}`.execute(db);
  const { rows: counts } = await sql<{ total: number }>`select count(*)::int as total ${usable}`.execute(db);
  return { rows, total: counts[0]?.total ?? 0 };
}

/** Deletes all but the `kept` newest links of an account. */
export async function deleteSurplusLinks(tx: Tx, accountId: string, kept: number): Promise<void> {
  await sql`
    delete from dashboard_links where id in (
      select id from dashboard_links where account_id = ${accountId} order by id desc offset ${kept})`.execute(
    tx,
  );
}

/** Deletes a link; its name, or undefined if the account has no such link. */
export async function deleteLink(tx: Db | Tx, accountId: string, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    delete from dashboard_links where account_id = ${accountId} and id = ${id} returning name`.execute(tx);
  return rows[0]?.name;
}
