-- When callbacks could not be taken: a message whose outcome is unknown waits for its report only while they can.

create table callback_outages (
  from_at timestamptz not null,
  to_at timestamptz primary key
);
-- One row: written every few seconds by each process that takes callbacks.
create table callback_uptime (
  single boolean primary key default true check (single),
  seen_at timestamptz not null default now()
);
insert into callback_uptime default values;
-- what was before is not known
insert into callback_outages (from_at, to_at) values ('epoch', now());
