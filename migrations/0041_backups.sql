-- Backups of this database, for metrics and the schedule.

create table backups (
  id uuid primary key,
  began_at timestamptz not null default now(),
  -- null: not begun yet
  snapshot_at timestamptz,
  snapshot_ended_at timestamptz,
  -- null: running, or its process died
  ended_at timestamptz,
  -- a directory, or a bucket with its prefix
  place text not null,
  name text not null,
  bytes bigint,
  -- null: the backup is good, if it ended
  failure text
);
create index backups_began on backups (began_at);
