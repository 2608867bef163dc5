-- What operational events announce about webhook endpoints: written with the change, published and deleted by a worker within seconds.
-- kind: expand

-- an endpoint got another status
create table endpoint_changes (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  endpoint_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  from_status text not null,
  to_status text not null
);

-- deliveries that became dead; a row is one group of one statement. None are about operational events
create table dead_deliveries (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  endpoint_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  count integer not null,
  reason text not null
);
create index dead_deliveries_of on dead_deliveries (endpoint_id);

-- when dead deliveries of an endpoint were announced last
create table dead_announcements (
  endpoint_id uuid primary key references endpoints on delete cascade,
  at timestamptz not null
);
