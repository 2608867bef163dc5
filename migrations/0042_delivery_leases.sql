-- breaks older processes
-- Leases of deliveries that their publisher attempts from memory: one row for all of a statement, so that they enter no index of due
-- deliveries, and their update at delivery stays on its page. Older processes would take these deliveries for ended ones.

create table delivery_leases (
  id uuid primary key,
  leased_by integer not null,
  -- when others may take over what is not delivered by then
  due_at timestamptz not null,
  -- the deliveries: of these accounts, with ids in this range, leased by the process, pending, and with no due_at of their own
  account_ids uuid[] not null,
  first_id uuid not null,
  last_id uuid not null
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_threshold = 1000000000);
