-- The process that holds a lease, where only a time said how long: idempotency keys, uploads of recipients, feeds of sends.
-- kind: expand

-- the process whose request is in progress; null: only `leased_until` counts
alter table idempotency_keys add column leased_by integer;
-- the process that has the lease `upload_id`; null: only `upload_until` counts
alter table sends add column upload_leased_by integer;
-- the process that moved `due_at` forward as a lease; null: not leased, or only `due_at` counts
alter table send_feeds add column leased_by integer;
