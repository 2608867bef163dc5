-- Partitions by day, for gateways whose months are too large.
-- kind: expand

-- Creates a partition for the days from `first` to before `last`. Null if it exists; false if it would overlap another one, or if
-- its rows are in the default partition already.
create function make_partition(parent text, name text, first date, last date, storage text) returns boolean
language plpgsql as $$
begin
  if to_regclass(name) is not null then
    return null;
  end if;
  execute format('create table %I partition of %I for values from (%L) to (%L) %s', name, parent,
    uuid7_floor(first::timestamp at time zone 'UTC'), uuid7_floor(last::timestamp at time zone 'UTC'), storage);
  return true;
exception
  when duplicate_table or unique_violation then return null;
  when check_violation or invalid_object_definition then return false;
end $$;

-- Creates the missing partitions of today and the following days. A month that has a partition gets no days. Months that begin later and
-- are still empty give way to days.
create function make_days(parent text, days_ahead int, storage text default '') returns int
language plpgsql as $$
declare
  today date := (now() at time zone 'UTC')::date;
  first date;
  made int := 0;
  name text;
  has_rows boolean;
begin
  for month in 1..3 loop
    name := parent || to_char(date_trunc('month', today) + make_interval(months => month), '_YYYY_MM');
    continue when to_regclass(name) is null;
    begin
      -- the same order as of a drop: no writer waits for more than a second
      set local lock_timeout = '1s';
      execute format('lock table %I', parent);
      execute format('select exists (select from %I)', name) into has_rows;
      if not has_rows then
        execute format('drop table %I', name);
      end if;
    exception
      when lock_not_available or undefined_table then null;
    end;
  end loop;
  for day in 0..days_ahead loop
    first := today + day;
    name := parent || to_char(first, '_YYYY_MM_DD');
    if make_partition(parent, name, first, first + 1, storage) then
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

-- Creates the missing partitions of this month and the following ones. A month in which there are days gets the days that are missing. Older
-- processes call make_month_partitions, which fails for such a month.
create function make_months(parent text, months_ahead int, storage text default '') returns int
language plpgsql as $$
declare
  first date;
  made int := 0;
  is_made boolean;
begin
  for month in 0..months_ahead loop
    first := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => month))::date;
    is_made := make_partition(parent, parent || to_char(first, '_YYYY_MM'), first, (first + interval '1 month')::date, storage);
    if is_made then
      made := made + 1;
    elsif not is_made and has_days(parent, first) then
      for day in 0..30 loop
        exit when date_trunc('month', first + day) > first;
        if make_partition(parent, parent || to_char(first + day, '_YYYY_MM_DD'), first + day, first + day + 1, storage) then
          made := made + 1;
        end if;
      end loop;
    end if;
  end loop;
  return made;
end $$;

-- Whether there are partitions of days of that month.
create function has_days(parent text, month date) returns boolean language sql stable as $$
  select exists (
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(parent) and c.relname like parent || to_char(month, '\_YYYY\_MM\_') || '__')
$$;
