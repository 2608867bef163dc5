// Rows of sessions.
import { sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';

export interface SessionRow {
  id: string;
  account_id: string;
  key_id: string | null;
  /** The name of its key; null without one. */
  key_name: string | null;
  name: string;
  scopes: string[];
  address: string;
  created_at: Date;
  last_used_at: Date;
  ends_at: Date;
  /** The expiry of its key. */
  key_expires_at: Date | null;
}

/** Hours without use after which a session has ended. */
const idleHours = sql.raw(`interval '12 hours'`);

/** True for sessions that have not ended at `now`: unused for too long, past their end, or with a revoked or expired key. */
const isActive = (now: Date) => sql<boolean>`s.ends_at > ${now}
  and s.last_used_at > ${now}::timestamptz - ${idleHours}
  and (s.key_id is null or (k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})))`;

const columns = sql`s.id, s.account_id, s.key_id, k.name as key_name, s.name, s.scopes, s.address, s.created_at, s.last_used_at,
  s.ends_at, k.expires_at as key_expires_at`;

/** The session whose token has that hash, unless it has ended at `now`. */
export async function findActiveSession(db: Db, hash: Buffer, now: Date): Promise<SessionRow | undefined> {
  const { rows } = await sql<SessionRow>`
    select ${columns} from sessions s left join api_keys k on k.id = s.key_id
    where s.hash = ${hash} and ${isActive(now)}`.execute(db);
  return rows[0];
}

/** The account's session with that id, unless it has ended at `now`. */
export async function findSessionById(
  db: Db | Tx,
  accountId: string,
  id: string,
  now: Date,
): Promise<SessionRow | undefined> {
  const { rows } = await sql<SessionRow>`
    select ${columns} from sessions s left join api_keys k on k.id = s.key_id
    where s.account_id = ${accountId} and s.id = ${id} and ${isActive(now)}`.execute(db);
  return rows[0];
}

/** One page of the account's sessions that have not ended, newest first, and their number. */
export async function listSessions(
  db: Db,
  accountId: string,
  { limit, offset, now }: { limit: number; offset: number; now: Date },
): Promise<{ rows: SessionRow[]; total: number }> {
  const active = sql`from sessions s left join api_keys k on k.id = s.key_id
    where s.account_id = ${accountId} and ${isActive(now)}`;
  const { rows } = await sql<SessionRow>`
    select ${columns} ${active} order by s.id desc limit ${limit} offset ${offset}`.execute(db);
  const { rows: counts } = await sql<{ total: number }>`select count(*)::int as total ${active}`.execute(db);
  return { rows, total: counts[0]?.total ?? 0 };
}

/** Inserts a session with the hash of its token. */
export async function insertSession(
  tx: Tx,
  session: {
    id: string;
    accountId: string;
    keyId: string | null;
    name: string;
    scopes: readonly string[];
    hash: Buffer;
    address: string;
    now: Date;
    endsAt: Date;
  },
): Promise<void> {
  await sql`
    insert into sessions (id, account_id, key_id, name, scopes, hash, address, created_at, last_used_at, ends_at)
    values (${session.id}, ${session.accountId}, ${session.keyId}, ${session.name}, ${session.scopes}, ${session.hash},
      ${session.address}, ${session.now}, ${session.now}, ${session.endsAt})`.execute(tx);
}

/** Records that a session is used. */
export async function touchSession(db: Db, id: string, now: Date): Promise<void> {
  await sql`update sessions set last_used_at = greatest(last_used_at, ${now}) where id = ${id}`.execute(db);
}

/** Deletes all but the `kept` most recently used sessions of a key, or of an account's links of the command line. */
export async function deleteSurplusSessions(
  tx: Tx,
  of: { accountId: string; keyId: string | null },
  kept: number,
): Promise<void> {
  await sql`
    delete from sessions where id in (
      select id from sessions where account_id = ${of.accountId} and key_id is not distinct from ${of.keyId}::uuid
      order by last_used_at desc, id desc offset ${kept})`.execute(tx);
}

/** Deletes a session; its name, or undefined if the account has no such session. */
export async function deleteSession(tx: Db | Tx, accountId: string, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    delete from sessions where account_id = ${accountId} and id = ${id} returning name`.execute(tx);
  return rows[0]?.name;
}

/** Deletes the session of a token. */
export async function deleteSessionOf(tx: Tx, hash: Buffer): Promise<void> {
  await sql`delete from sessions where hash = ${hash}`.execute(tx);
}

/** Deletes sessions and links that ended more than an hour before `now`. */
export async function deleteEndedSessions(db: Db, now: Date): Promise<void> {
  const before = sql`${now}::timestamptz - interval '1 hour'`;
  await sql`
    delete from sessions s where s.ends_at < ${before} or s.last_used_at < ${before} - ${idleHours}
      or exists (select from api_keys k where k.id = s.key_id and (k.revoked_at < ${before} or k.expires_at < ${before}))`.execute(
    db,
  );
  await sql`delete from dashboard_links where expires_at < ${before}`.execute(db);
}
