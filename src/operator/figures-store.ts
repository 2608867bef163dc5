// Statements of the figures of the database that operators watch. Each enters hot tables by their partial indexes of due rows only.
import { sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';
import { partitionedTables } from '../db/partitions.ts';
import { sqlConstants } from '../db/sql-constants.ts';
import { uuidSeconds } from '../db/uuid-seconds.ts';
import { messageLeaseSeconds, stateSql } from '../messaging/messages/sql-store.ts';
import { deliveryState, leaseMs } from '../webhooks/delivery/delivery.ts';
import { endpointStatus } from '../webhooks/endpoints/status.ts';

const delivery = sqlConstants(deliveryState);
const status = sqlConstants(endpointStatus);

/** Rows that one statement reads at most, shared by the senders or endpoints that have any. */
const countedMax = 100_000;
/** Each sender and priority, and each endpoint, is counted at least this far. */
const rowsLeast = 100;

/** Settings of the transaction that reads figures: no plan reads a whole hot table, and none lasts. */
export async function limitFigures(tx: Tx, timeoutMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true), set_config('lock_timeout', '500', true),
    set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)`.execute(
    tx,
  );
}

/** Rows of one sender or endpoint in one state, and the seconds that the oldest has been in it. */
export interface Waiting {
  id: string;
  name: string | null;
  state: string;
  count: number;
  oldest: number;
}

/** `waiting(id)`: the values of `column` in the pending rows of `table`, one index look-up each; the last one is null. */
const waitingIn = (table: 'messages' | 'deliveries', column: string) => {
  const [of, id] = [sql.table(table), sql.ref(column)];
  return sql`waiting(id) as (
      (select ${id} from ${of} where due_at is not null order by ${id} limit 1)
      union all
      select (select t.${id} from ${of} t where t.due_at is not null and t.${id} > w.id
        order by t.${id} limit 1) from waiting w where w.id is not null)`;
};

const age = (id: string) => sql`extract(epoch from now())::float8 - ${uuidSeconds(sql.ref(id))}`;

const share = (waiting: string, rowsMax: number) =>
  sql`(select greatest(${sql.lit(rowsLeast)}, ${sql.lit(rowsMax)} / greatest(1, count(*)))::int from ${sql.table(waiting)} where id is not null)`;

/**
 * Pending messages by sender and state: `due`, `leased`, `delayed` (due later) and `dispatching`. Reads at most about 100,000 rows: with
 * more, the counts are lower bounds. The oldest due message is exact for each priority.
 */
export async function countMessages(db: Db, rowsMax = countedMax): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    with recursive ${waitingIn('messages', 'sender_id')},
    pending as (
      select w.id, x.* from waiting w cross join (values (0::smallint), (1::smallint), (2::smallint)) p(priority) cross join lateral (
        select m.due_at, m.state, m.leased_by is not null as is_leased,
          ${age('m.id')} as age
        from messages m where m.sender_id = w.id and m.priority = p.priority and m.due_at is not null
        order by m.due_at limit ${share('waiting', rowsMax)}) x
      where w.id is not null),
    named as (
      select id, extract(epoch from now() - due_at)::float8 as overdue, age,
        case when state <> ${stateSql.queued} then 'dispatching' when due_at <= now() then 'due'
          when is_leased and due_at <= now() + ${sql.lit(messageLeaseSeconds + 1)} * interval '1 second' then 'leased' else 'delayed' end as state
      from pending)
    select n.id, (select s.name from senders s where s.id = n.id) as name, n.state, count(*)::int as count,
      greatest(0, max(case n.state when 'due' then n.overdue when 'delayed' then n.age else n.overdue + ${sql.lit(messageLeaseSeconds)} end))::float8 as oldest
    from named n group by n.id, n.state`.execute(db);
  return rows;
}

/**
 * Pending deliveries by endpoint and state: `due`, `leased` (claimed), `retrying` (due later) and `blocked` (behind an earlier
 * stage). Deliveries that their publisher attempts are not among them: see `countLeases`. Limits are those of `countMessages`.
 */
export async function countDeliveries(db: Db, rowsMax = countedMax): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    with recursive ${waitingIn('deliveries', 'endpoint_id')},
    pending as (
      select w.id, x.* from waiting w cross join lateral (
        select d.due_at, d.state, ${age('d.id')} as age
        from deliveries d where d.endpoint_id = w.id and d.due_at is not null order by d.due_at limit ${share('waiting', rowsMax)}) x
      where w.id is not null),
    named as (
      select id, extract(epoch from now() - due_at)::float8 as overdue, age,
        case when state = ${delivery.waiting} then 'blocked' when due_at <= now() then 'due' when state = ${delivery.ready} then 'leased' else 'retrying' end as state
      from pending)
    select n.id, (select substring(e.url from '^https?://([^/?#]+)') from endpoints e where e.id = n.id) as name, n.state, count(*)::int as count,
      greatest(0, max(case n.state when 'due' then n.overdue when 'leased' then n.overdue + ${sql.lit(leaseMs / 1000)} else n.age end))::float8 as oldest
    from named n group by n.id, n.state`.execute(db);
  return rows;
}

export interface Counts {
  leases: number;
  oldestLease: number;
  haltedSenders: number;
  restingEndpoints: number;
  disabledEndpoints: number;
  disconnectedCalendars: number;
  processes: number;
  isHeld: boolean;
}

/** Counts of what needs attention, from small tables; `oldestLease` in seconds, of deliveries that their publisher attempts. */
export async function countTrouble(db: Db): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select l.leases, l.oldest as "oldestLease",
      (select count(*)::int from senders where halted_at is not null) as "haltedSenders",
      (select count(*)::int from endpoints where status = ${status.active} and paused_until > now()) as "restingEndpoints",
      (select count(*)::int from endpoints where status = ${status.disabled}) as "disabledEndpoints",
      (select count(*)::int from calendar_connections where dead_at is not null) as "disconnectedCalendars",
      (select count(*)::int from processes where ended_at is null) as processes,
      exists (select from gateway_state where held_since is not null) as "isHeld"
    from (select count(*)::int as leases,
      coalesce(greatest(0, extract(epoch from now() - min(due_at)) + ${sql.lit(leaseMs / 1000)}), 0)::float8 as oldest from delivery_leases) l`.execute(
    db,
  );
  return rows[0] as Counts;
}

export interface ServerFigures {
  databaseBytes: number;
  oldestTransaction: number;
  /** Connected standbys; null if the user may not see them. */
  standbys: number | null;
  /** Seconds and bytes that the slowest standby is behind; null without one, or if the user may not see it. */
  lagSeconds: number | null;
  lagBytes: number | null;
  /** Days after today (UTC), without a gap, for which every partitioned table has a partition; 100 at most. */
  partitionDaysAhead: number;
}

const countedDays = 100;

/**
 * Figures of the server. Transactions and standbys of other users are visible to members of `pg_read_all_stats` and
 * superusers only.
 */
export async function readServer(db: Db): Promise<ServerFigures> {
  const { rows } = await sql<ServerFigures>`
    select pg_database_size(current_database()) as "databaseBytes",
      (select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()) as "oldestTransaction",
      case when pg_has_role('pg_read_all_stats', 'usage') then (select count(*)::int from pg_stat_replication) end as standbys,
      (select max(extract(epoch from coalesce(replay_lag, '0')))::float8 from pg_stat_replication where replay_lsn is not null) as "lagSeconds",
      (select max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::float8 from pg_stat_replication where replay_lsn is not null) as "lagBytes",
      (select coalesce(min(d.n) - 1, ${sql.lit(countedDays)})::int from unnest(${partitionedTables()}::text[]) t(name)
        cross join generate_series(1, ${sql.lit(countedDays)}) d(n) cross join lateral (select (now() at time zone 'UTC')::date + d.n as day) x
        where to_regclass(t.name || to_char(x.day, '_YYYY_MM')) is null and to_regclass(t.name || to_char(x.day, '_YYYY_MM_DD')) is null)
        as "partitionDaysAhead"`.execute(db);
  return rows[0] as ServerFigures;
}

export interface TableSize {
  name: string;
  bytes: number;
  rows: number;
}

/** The size of each partitioned table with its indexes, and the rows that PostgreSQL estimates. */
export async function readTables(db: Db): Promise<TableSize[]> {
  const { rows } = await sql<TableSize>`
    select t.name, coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes,
      coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 as rows
    from unnest(${partitionedTables()}::text[]) t(name) join pg_inherits i on i.inhparent = t.name::regclass join pg_class c on c.oid = i.inhrelid
    group by t.name`.execute(db);
  return rows;
}
