-- Conversations that wait for an answer.
-- kind: expand

-- the newest reply when the contact was last written, the lowest id without one; null: written by an earlier version
alter table conversations add column replied_id uuid;
create index conversations_unanswered on conversations (account_id, last_id) where last_id > replied_id;
-- the worker writes every contact again
insert into conversation_changes (account_id, contact_id) select account_id, contact_id from conversations;
