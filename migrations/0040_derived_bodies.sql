-- Deliveries of a message's stages no longer repeat what its row has: their bodies are made from it, byte for byte. Processes of
-- the previous version that take over such a delivery fail its attempt, and retry.

alter table deliveries alter column body drop not null;
alter table deliveries alter column kind drop not null;
-- how the body is made if it is not stored; kind and message_id are then null too
alter table deliveries add column body_form smallint;
-- the time in such a body: when the event was made, in ms of the epoch
alter table deliveries add column made_ms bigint;
-- not validated: existing rows have a kind and a body, and reading them would take minutes
alter table deliveries add constraint deliveries_body
  check (case when body_form is null then body is not null and kind is not null else body is null and made_ms is not null end) not valid;
