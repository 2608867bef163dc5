-- Queued messages are checked again when the components of their template change.

-- when the components last changed: a send that was checked against earlier ones is not stored
alter table templates add column components_changed_at timestamptz;
-- while set, no message of the template is called, because its queued messages are being checked
alter table templates add column recheck_since timestamptz;
-- the last message that was checked
alter table templates add column recheck_after uuid;
create index templates_recheck on templates (recheck_since) where recheck_since is not null;
