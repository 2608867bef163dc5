-- What readiness checks write, and which migrations older processes cannot work with.

-- One row: written by every process that is asked whether it is ready, at most twice a second each.
create table readiness (
  single boolean primary key default true check (single),
  written_at timestamptz not null default now()
);
insert into readiness default values;

-- Names of migrations that begin with the line "-- breaks older processes". A process that does not know one of them is
-- not ready and refuses to start; one that merely does not know other, later migrations works on.
create table breaking_migrations (
  name text primary key
);
