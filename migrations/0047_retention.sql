-- Retention: what has ended is removed after so many days.
-- kind: expand

-- days of an account that wants less than the gateway keeps; null: as long as the gateway
create table account_retention (
  account_id uuid primary key references accounts on delete cascade,
  messages integer,
  received integer,
  deliveries integer,
  bookings integer,
  audit integer
);

-- what the log and "doctor" announced, and when: nothing is removed in the seven days after
create table retention_notices (
  kind text primary key,
  -- null: kept for ever
  days integer,
  -- when so few days were announced first
  announced_at timestamptz not null,
  -- when anything was announced first: for accounts that keep less
  first_announced_at timestamptz not null
);

-- one row: the lease of the process that removes, and when the next run is due
create table retention_runs (
  single boolean primary key default true check (single),
  leased_by integer,
  leased_until timestamptz not null default '-infinity',
  due_at timestamptz not null default now()
);
insert into retention_runs default values;

-- rows of a partition that leave it before it is dropped: those that a search found, and those written since the search began
create table retention_kept (
  part text not null,
  -- the key in the partition's table; stage is 0 where it has none
  first_id uuid not null,
  second_id uuid not null,
  stage smallint not null,
  primary key (part, first_id, second_id, stage)
);

create function retention_keep() returns trigger language plpgsql as $$
begin
  if tg_argv[0] = 'deliveries' then
    insert into retention_kept values (tg_table_name, new.subject_id, new.endpoint_id, new.stage) on conflict do nothing;
  else
    insert into retention_kept values (tg_table_name, new.account_id, new.id, 0) on conflict do nothing;
  end if;
  return null;
end $$;

-- Notes every row that is written to the partition from now on. Safe to repeat. Fails with 55P03 if writers do not let it in.
create function retention_watch(parent text, part text) returns void language plpgsql set lock_timeout = '100ms' as $$
begin
  if not exists (select from pg_trigger where tgrelid = to_regclass(quote_ident(part)) and tgname = 'retention_keep') then
    execute format('create trigger retention_keep after insert or update on %I for each row execute function retention_keep(%L)',
      part, parent);
  end if;
end $$;

-- The opposite of retention_watch.
create function retention_unwatch(part text) returns void language plpgsql set lock_timeout = '100ms' as $$
begin
  execute format('drop trigger if exists retention_keep on %I', part);
  delete from retention_kept k where k.part = $1;
end $$;

-- Drops partitions of the same months, in one transaction. Rows that are kept go to the default partitions: those that retention_kept
-- names for kept_part, or all if it is null. Returns how many; null while a backup's snapshot needs the partitions. Fails with 55P03
-- if it would wait: whoever comes after would wait too.
create function retention_drop(parents text[], parts text[], kept_part text) returns bigint language plpgsql
set lock_timeout = '100ms' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  moved bigint := 0;
  n bigint;
  columns text;
  kept text;
begin
  if not pg_try_advisory_xact_lock(6514530, 2) then
    return null;
  end if;
  for i in 1..cardinality(parts) loop
    execute format('alter table %I detach partition %I', parents[i], parts[i]);
  end loop;
  for i in 1..cardinality(parts) loop
    select string_agg(quote_ident(attname), ', ' order by attnum) into columns from pg_attribute
    where attrelid = parents[i]::regclass and attnum > 0 and not attisdropped;
    kept := case
      when kept_part is null then 'true'
      when parents[i] in ('deliveries', 'attempts') then format(
        'p.ctid = any (array(select q.ctid from retention_kept k join %I q on q.subject_id = k.first_id
          and q.endpoint_id = k.second_id and q.stage = k.stage where k.part = %L))', parts[i], kept_part)
      else format(
        'p.ctid = any (array(select q.ctid from retention_kept k join %I q on q.account_id = k.first_id
          and q.id = k.second_id where k.part = %L))', parts[i], kept_part) end;
    execute format('insert into %I (%s) select %s from %I p where %s', parents[i], columns, columns, parts[i], kept);
    get diagnostics n = row_count;
    moved := moved + n;
    execute format('drop table %I', parts[i]);
  end loop;
  delete from retention_kept k where k.part = kept_part;
  return moved;
end $$;

-- when the end of its endpoint made a delivery dead; other dead ones ended with their last attempt
alter table deliveries add column dead_at timestamptz;

-- when a message last used the file, to the day; for older files the time of this migration
alter table media add column used_at timestamptz not null default now();
