-- Conversations: contacts in the order of their last message, search by name and number, and what has been read.
-- kind: expand

-- what was received until then has been read; null: nothing. The contacts of earlier versions begin with nothing unread
alter table contacts add column read_at timestamptz default now();
-- the newest reply; its id begins with its time
alter table contacts add column last_reply_id uuid;

-- what lists of contacts are sorted and searched by: written by a worker from contacts that changed, seconds later
create table conversations (
  account_id uuid not null,
  contact_id uuid not null,
  -- the newest received message or reply; null: there is none
  last_id uuid,
  -- of the name and numbers, with a prefix for the kind; each has a row in conversation_words
  words text[] not null default '{}',
  primary key (account_id, contact_id)
);
create index conversations_list on conversations (account_id, last_id) where last_id is not null;

create table conversation_words (
  account_id uuid not null,
  word text collate "C" not null,
  contact_id uuid not null,
  primary key (account_id, word, contact_id)
);

-- contacts that changed: appended by the statements that change them, deleted by the worker
create table conversation_changes (
  account_id uuid not null,
  contact_id uuid not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_threshold = 1000000000);
insert into conversation_changes (account_id, contact_id) select account_id, id from contacts;
