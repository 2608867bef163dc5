-- Whether the gateway is held: after a restore it sends and books nothing until it is released.

create table gateway_state (
  single boolean primary key default true check (single),
  -- null: not held
  held_since timestamptz
);
-- a backup of an earlier version is held too
insert into gateway_state (held_since) values (case when to_regclass('incomplete_restore') is not null then now() end);
