-- Webhook endpoints, the deliveries to them, failed attempts, and replays. See ARCHITECTURE.md for the laws of hot tables.

-- UUIDv7 made by the server: one statement writes a delivery for each endpoint, so their ids cannot come from outside.
-- Parts of a millisecond stand in rand_a (RFC 9562 section 6.2, method 3, as PostgreSQL 18 does), so that ids rise
-- with the order of their making.
do $$
begin
  if current_setting('server_version_num')::int >= 180000 then
    create function uuid7() returns uuid language sql volatile parallel safe as 'select uuidv7()';
  else
    create function uuid7() returns uuid language sql volatile parallel safe as $f$
      select (lpad(to_hex(floor(ms)::bigint), 12, '0') || to_hex(28672 + floor((ms - floor(ms)) * 4096)::int)
        || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
      from (select extract(epoch from clock_timestamp()) * 1000 as ms) now $f$;
  end if;
end $$;

-- The smallest UUIDv7 of an instant: the bound of a partition, and of a list's time filter.
create function uuid7_floor(at timestamptz) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes the partitions of this month and of the following ones, where they are missing. A month whose first rows already
-- lie in the default partition stays there: its own would have to take them over under a lock that stops every writer.
create function make_month_partitions(parent text, months_ahead int, storage text default '') returns int
language plpgsql as $$
declare
  first date;
  made int := 0;
  name text;
begin
  for month in 0..months_ahead loop
    first := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => month))::date;
    name := parent || to_char(first, '_YYYY_MM');
    continue when to_regclass(name) is not null;
    begin
      execute format('create table %I partition of %I for values from (%L) to (%L) %s', name, parent,
        uuid7_floor(first::timestamp at time zone 'UTC'),
        uuid7_floor((first + interval '1 month') at time zone 'UTC'), storage);
      made := made + 1;
    exception
      when check_violation or duplicate_table or unique_violation then null;
    end;
  end loop;
  return made;
end $$;

create table endpoints (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  url text not null,
  description text,
  -- the kinds of event that it gets
  events text[] not null,
  status text not null default 'active' check (status in ('active', 'paused', 'disabled', 'deleted')),
  disabled_reason text,
  -- sealed. The one that signs the given header, and during a rotation's overlap its successor
  secret bytea not null,
  next_secret bytea,
  -- until then both sign; afterwards the successor alone
  overlap_until timestamptz,
  -- the owner confirmed the successor: it signs the given header too
  next_activated boolean not null default false,
  -- rises with every change that a sender of deliveries must know of
  version integer not null default 1,
  -- the first failure since the last success, and how many came in a row
  failing_since timestamptz,
  failures integer not null default 0,
  -- the whole endpoint backs off, not each delivery by itself
  paused_until timestamptz,
  -- chores. Until then pending deliveries are made dead, so that those are met too that were being written meanwhile
  bury_until timestamptz,
  -- the success that ended a stretch of failures: what failed before it and waits for its next try is due at once
  recovered_at timestamptz,
  created_at timestamptz not null default now(),
  check ((next_secret is null) = (overlap_until is null))
) with (fillfactor = 50);
create index endpoints_of on endpoints (account_id);
create index endpoints_chores on endpoints (id) where bury_until is not null or recovered_at is not null;

create table deliveries (
  -- UUIDv7: when it was made, its place in lists, and the receiver's webhook-id
  id uuid not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  -- UUIDv7 of the message, or of the event itself where it belongs to none; the partition key
  subject_id uuid not null,
  -- 3 sent 4 delivered 5 read 6 failed, which arrive in this order; 0 for events without order
  stage smallint not null,
  kind text not null,
  -- the message as its owner knows it
  message_id text,
  -- the exact bytes: ASCII JSON
  body text not null,
  -- 0 pending (due, or leased while due_at lies ahead) 1 delivered 2 dead 3 waits for an earlier stage 4 waits for its next try
  state smallint not null default 0,
  attempts smallint not null default 0,
  -- attempts that the schedule of tries does not count: those before a replay, and one for each that came early
  attempts_before smallint not null default 0,
  -- null: nobody has to look at it again
  due_at timestamptz,
  last_status smallint,
  last_failure text check (last_failure in ('timeout', 'refused', 'dns', 'tls', 'reset', 'status', 'blocked_address',
    'too_large', 'endpoint_disabled', 'endpoint_deleted')),
  last_ms integer,
  -- the beginning of what the receiver answered to the try that succeeded
  last_answer text,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  -- a stage goes to an endpoint at most once, whatever the program does
  primary key (subject_id, endpoint_id, stage)
) partition by range (subject_id);
create index deliveries_due on deliveries (endpoint_id, due_at) where due_at is not null;
create index deliveries_list on deliveries (account_id, id);
create table deliveries_default partition of deliveries default
  with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- Failures, and successes that a replay has overwritten; a delivery's last success stands in its own row.
create table attempts (
  subject_id uuid not null,
  endpoint_id uuid not null,
  stage smallint not null,
  no smallint not null,
  at timestamptz not null default now(),
  status smallint,
  -- null: it succeeded
  failure text check (failure in ('timeout', 'refused', 'dns', 'tls', 'reset', 'status', 'blocked_address', 'too_large')),
  ms integer,
  -- the beginning of what the receiver answered, 4 KB at most
  answer text,
  -- what went wrong where there was no whole answer, in words
  detail text
) partition by range (subject_id);
create index attempts_of on attempts (subject_id, endpoint_id, stage);
create table attempts_default partition of attempts default;

-- Replays of a stretch of time, done in steps: a crash goes on where the last step ended.
create table replays (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  endpoint_id uuid not null references endpoints on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- the states asked for
  states smallint[] not null,
  -- the last delivery seen
  after_id uuid not null,
  replayed integer not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index replays_open on replays (id) where finished_at is null;
create index replays_of on replays (endpoint_id, id);
