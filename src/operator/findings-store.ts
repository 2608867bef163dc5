// Statements of the findings of "doctor", over all accounts.
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { sqlConstants } from '../db/sql-constants.ts';
import { endpointStatus } from '../webhooks/endpoints/status.ts';

const status = sqlConstants(endpointStatus);

export interface ListedTrouble {
  account: string;
  name: string;
  detail: string | null;
}

/** Halted senders of all accounts, up to `limit`. */
export async function listHalted(db: Db, limit: number): Promise<ListedTrouble[]> {
  const { rows } = await sql<ListedTrouble>`
    select a.name as account, s.name, s.halted_reason as detail from senders s join accounts a on a.id = s.account_id
    where s.halted_at is not null order by s.halted_at, s.id limit ${limit}::int`.execute(db);
  return rows;
}

/** Disconnected calendars of all accounts, up to `limit`. */
export async function listDisconnected(db: Db, limit: number): Promise<ListedTrouble[]> {
  const { rows } = await sql<ListedTrouble>`
    select a.name as account, s.name, c.failure as detail
    from calendar_connections c join staff s on s.id = c.staff_id join accounts a on a.id = s.account_id
    where c.dead_at is not null and s.deleted_at is null order by c.dead_at, c.staff_id limit ${limit}::int`.execute(
    db,
  );
  return rows;
}

/** Counts the connections of `provider` that are not dead, of staff who have not been removed. */
export async function countConnections(db: Db, provider: string): Promise<number> {
  const { rows } = await sql<{ connections: number }>`
    select count(*)::int as connections from calendar_connections c join staff s on s.id = c.staff_id
    where c.provider = ${provider} and c.dead_at is null and s.deleted_at is null`.execute(db);
  return rows[0]?.connections ?? 0;
}

/** Endpoints of all accounts that are disabled or fail, without paths and queries, up to `limit`. */
export async function listFailing(db: Db, limit: number): Promise<ListedTrouble[]> {
  const { rows } = await sql<ListedTrouble>`
    select a.name as account, coalesce(substring(e.url from '^https?://[^/?#]+'), '') as name,
      case when e.status = ${status.disabled} then coalesce(e.disabled_reason, 'disabled')
        else e.failures || ' failures in a row' end as detail
    from endpoints e join accounts a on a.id = e.account_id
    where e.status = ${status.disabled} or e.status = ${status.active} and e.failing_since is not null
    order by e.failing_since nulls last, e.id limit ${limit}::int`.execute(db);
  return rows;
}

/** The ids of the encryption keys that stored secrets need, without those of stored files, which may be millions. */
export async function listSecretKeys(db: Db): Promise<string[]> {
  // the form of a secret: version, length of the id, id (base/cipher.ts)
  const { rows } = await sql<{ id: string }>`
    select distinct encode(substr(secret, 3, get_byte(secret, 1)), 'escape') as id from (
      select unnest(array[access_token, app_secret, verify_token]) as secret from senders
      union all select unnest(array[secret, next_secret]) from endpoints
      union all select credential from calendar_connections
      union all select key from erasure_keys
    ) stored where length(secret) > 2 order by 1`.execute(db);
  return rows.map(({ id }) => id);
}
