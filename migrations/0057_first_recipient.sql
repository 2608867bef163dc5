-- Where the recipients of a send begin, so that a list of them reads no older messages.
-- kind: expand

-- the lowest id of its recipients; null: without recipients, or of a send that was made before this column
alter table sends add column first_recipient_id uuid;
