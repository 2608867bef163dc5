// Statements of webhook endpoints.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { disabledReason, type EndpointStatus, endpointStatus } from './status.ts';

export interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  description: string | null;
  events: string[];
  status: EndpointStatus;
  disabled_reason: string | null;
  secret: Buffer;
  next_secret: Buffer | null;
  overlap_until: Date | null;
  next_activated: boolean;
  version: number;
  failing_since: Date | null;
  /** No attempts before then; null if it does not rest. */
  resting_until: Date | null;
  created_at: Date;
}

const status = sqlConstants(endpointStatus);
const disabledBecause = sqlConstants(disabledReason);

/** Longer than any statement or call that began while the endpoint still accepted deliveries. */
export const deadLetterWithin = sql`interval '3 minutes'`;

const columns = sql`id, account_id, url, description, events, status, disabled_reason, secret, next_secret,
  overlap_until, next_activated, version, failing_since,
  case when status = ${status.active} and paused_until > now() then paused_until end as resting_until, created_at`;

/** Counts the account's endpoints, and locks it so that concurrent requests cannot exceed the limit. */
export async function countEndpointsForInsert(tx: Tx, accountId: string): Promise<number> {
  await sql`select from accounts where id = ${accountId} for update`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from endpoints where account_id = ${accountId} and status <> ${status.deleted}`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

/** Adds an endpoint. */
export async function insertEndpoint(
  tx: Tx,
  endpoint: {
    id: string;
    accountId: string;
    url: string;
    description: string | null;
    events: readonly string[];
    secret: Buffer;
  },
): Promise<EndpointRow> {
  const { rows } = await sql<EndpointRow>`
    insert into endpoints (id, account_id, url, description, events, secret)
    values (${endpoint.id}, ${endpoint.accountId}, ${endpoint.url}, ${endpoint.description},
      ${[...endpoint.events]}::text[], ${endpoint.secret})
    returning ${columns}`.execute(tx);
  return rows[0] as EndpointRow;
}

/** One page of the account's endpoints, newest first, and their total. */
export async function listEndpoints(
  db: Db,
  accountId: string,
  window: { limit: number; offset: number },
): Promise<{ rows: EndpointRow[]; total: number }> {
  const { rows } = await sql<EndpointRow>`
    select ${columns} from endpoints where account_id = ${accountId} and status <> ${status.deleted}
    order by id desc limit ${window.limit} offset ${window.offset}`.execute(db);
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from endpoints where account_id = ${accountId} and status <> ${status.deleted}`.execute(
    db,
  );
  return { rows, total: counted[0]?.total ?? 0 };
}

/** The account's endpoint with that id; `forUpdate` locks its row. */
export async function findEndpoint(
  db: Db | Tx,
  accountId: string,
  id: string,
  lock: 'read' | 'forUpdate' = 'read',
): Promise<EndpointRow | undefined> {
  const { rows } = await sql<EndpointRow>`
    select ${columns} from endpoints
    where id = ${id} and account_id = ${accountId} and status <> ${status.deleted}
    ${lock === 'forUpdate' ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

/** The endpoint, whatever its state and account. */
export async function findTarget(db: Db, id: string): Promise<EndpointRow | undefined> {
  const { rows } = await sql<EndpointRow>`select ${columns} from endpoints where id = ${id}`.execute(db);
  return rows[0];
}

/** More waiting deliveries are not counted. */
const waitingMax = 10_000;

/** How many deliveries wait in the database for each endpoint, up to 10,000: those with a `due_at`. */
export async function countWaiting(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; waiting: number }>`
    select e.id, (select count(*)::int from (
      select from deliveries d where d.endpoint_id = e.id and d.due_at is not null limit ${waitingMax}::int) x) as waiting
    from unnest(${[...ids]}::uuid[]) e(id)`.execute(db);
  return new Map(rows.map(({ id, waiting }) => [id, waiting]));
}

/** The current version of each endpoint, and whether it accepts deliveries. */
export async function findVersions(
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; version: number; active: boolean }[]> {
  const { rows } = await sql<{ id: string; version: number; active: boolean }>`
    select id, version, status = ${status.active} as active from endpoints where id = any (${[...ids]}::uuid[])`.execute(
    db,
  );
  return rows;
}

export interface EndpointChange {
  url: string;
  description: string | null;
  events: readonly string[];
  status: EndpointStatus;
  /** Clears its failures and ends its rest. */
  restart: boolean;
}

/** Updates what its owner may change. A new URL restarts it too. */
export async function updateEndpoint(tx: Tx, id: string, change: EndpointChange): Promise<EndpointRow> {
  const { rows } = await sql<EndpointRow>`
    with changed as (update endpoints e set
      url = ${change.url}, url_changed_at = case when e.url <> ${change.url} then now() else e.url_changed_at end, description = ${change.description}, events = ${[...change.events]}::text[],
      status = ${change.status}, version = version + 1,
      disabled_reason = case when ${change.status} = ${status.disabled} then e.disabled_reason end,
      bury_until = case when ${change.status} = ${status.disabled} then e.bury_until end,
      failing_since = case when x.restart then null else e.failing_since end,
      failures = case when x.restart then 0 else e.failures end,
      paused_until = case when x.restart then null else e.paused_until end
    from (select ${change.restart} or url <> ${change.url} as restart, status as was from endpoints where id = ${id}) x
    where e.id = ${id}
    returning e.*, x.was),
    recorded as (insert into endpoint_changes (account_id, endpoint_id, from_status, to_status)
      select account_id, id, was, status from changed where status <> was)
    select ${columns} from changed`.execute(tx);
  return rows[0] as EndpointRow;
}

/** Deletes an endpoint with its secrets and ends its replays. Its history remains; maintenance dead-letters its pending deliveries. */
export async function deleteEndpoint(db: Db | Tx, accountId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    with gone as (
      update endpoints set status = ${status.deleted}, disabled_reason = ${disabledBecause.deleted}, bury_until = now() + ${deadLetterWithin},
        recovered_at = null, secret = ''::bytea, next_secret = null, overlap_until = null, next_activated = false,
        version = version + 1
      where id = ${id} and account_id = ${accountId} and status <> ${status.deleted} returning id),
    ended as (update replays r set finished_at = now() from gone where r.endpoint_id = gone.id and finished_at is null)
    select id from gone`.execute(db);
  return rows.length === 1;
}

/** Updates the secrets during a rotation, or at its end (`next` null). */
export async function writeSecrets(
  tx: Tx,
  id: string,
  secrets: { secret: Buffer; next: { secret: Buffer; overlapUntil: Date } | null; activated: boolean },
): Promise<EndpointRow> {
  const { rows } = await sql<EndpointRow>`
    update endpoints set secret = ${secrets.secret}, next_secret = ${secrets.next?.secret ?? null},
      overlap_until = ${secrets.next?.overlapUntil ?? null}, next_activated = ${secrets.activated},
      secrets_changed_at = now(), version = version + 1
    where id = ${id} returning ${columns}`.execute(tx);
  return rows[0] as EndpointRow;
}

/** The account's endpoints that fail or are disabled, the longest failing first. */
export async function listFailingEndpoints(db: Db, accountId: string): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    select ${columns} from endpoints
    where account_id = ${accountId} and status <> ${status.deleted}
      and (status = ${status.disabled} or failing_since is not null)
    order by failing_since nulls last, id`.execute(db);
  return rows;
}
