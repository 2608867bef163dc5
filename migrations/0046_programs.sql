-- Which programs use this database, so that migrations that break older ones wait until none of these is left.
-- kind: expand

create table programs (
  -- a digest of the migrations that it knows; empty: earlier versions, which do not say
  id text primary key,
  version text not null,
  -- names of all migrations that it knows
  migrations text[] not null,
  -- when a process of it last ran, to the hour
  seen_at timestamptz not null default now()
);

-- null: an earlier version
alter table processes add column program text;
