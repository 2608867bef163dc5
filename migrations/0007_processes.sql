-- Who works on this database, and whose a lease is: what a process had leased is free as soon as its database session has ended.

create table processes (
  id integer generated always as identity primary key,
  started_at timestamptz not null default now(),
  -- when it was found that its session has ended; its leases are released for some seconds more, then the row goes
  ended_at timestamptz
);

-- the process that leased it last; null: written by a version that did not say
alter table deliveries add column leased_by integer;
alter table messages add column leased_by integer;
