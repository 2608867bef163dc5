-- The receiver's own Retry-After holds for the delivery that it refused, whatever becomes of the endpoint's others.

-- not before this instant, as the receiver asked; null: it asked for nothing
alter table deliveries add column retry_after timestamptz;
