-- What attempts sent: when a failed one was signed, and since when an endpoint has its address and secrets.
-- kind: expand

-- the header webhook-timestamp of a failed attempt, in epoch seconds
alter table attempts add column signed_at bigint;

-- null: since the endpoint was created. Of endpoints that exist already, earlier changes are unknown
alter table endpoints add column url_changed_at timestamptz;
alter table endpoints add column secrets_changed_at timestamptz;
update endpoints set url_changed_at = now(), secrets_changed_at = now();
