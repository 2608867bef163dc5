-- What moved a conversation: the worker then writes its place without reading the contact and their messages.
-- kind: expand

-- the message that the person wrote; null: everything about the contact is read again
alter table conversation_changes add column last_id uuid;
