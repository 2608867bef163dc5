-- Inbound messages, and the contacts that they come from.

create table contacts (
  account_id uuid not null,
  -- UUIDv7; a merge keeps the older one
  id uuid not null,
  -- the newest of each; null: the platform never named one
  phone text,
  user_id text,
  name text,
  -- the platform's time
  last_received_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
) with (fillfactor = 70);

-- what the platform calls a person: each identity belongs to one contact, and a contact has several
create table contact_identities (
  account_id uuid not null,
  -- the digits of a phone number, or the platform's user id with the prefix `u:`
  identity text not null,
  contact_id uuid not null,
  -- 0 none 1 marketing 2 all templates but authentication; equal for all identities of a contact
  opt_out smallint not null default 0 check (opt_out between 0 and 2),
  primary key (account_id, identity)
);
create index contact_identities_of on contact_identities (contact_id);
-- read by the statement that begins a dispatch
create index contact_identities_opted_out on contact_identities (account_id, identity) include (opt_out) where opt_out > 0;

-- the last message of a person to a number: replies are allowed for 24 hours after it
create table contact_windows (
  account_id uuid not null,
  contact_id uuid not null,
  sender_id uuid not null,
  last_received_at timestamptz not null,
  primary key (account_id, contact_id, sender_id)
) with (fillfactor = 70);

create table received_messages (
  account_id uuid not null,
  -- UUIDv7 of the platform's time and a hash of sender and message_ref: a repeat has the same id
  id uuid not null,
  sender_id uuid not null,
  -- the platform's id of the message; null if it could not be read
  message_ref text,
  -- the identity of the person in this message; null if it names none
  person text,
  phone text,
  user_id text,
  name text,
  -- the platform's own word
  type text not null,
  -- the parsed members of the API, by name
  content jsonb not null default '{}',
  -- the platform's id of the media
  media_ref text,
  -- the message that this one refers to: the platform's id of it, and its row in messages if it is ours
  context_ref text,
  context_id uuid,
  context_send_id uuid,
  -- the platform's time; null if it could not be read
  sent_at timestamptz,
  received_at timestamptz not null default now(),
  -- the platform's object as it was received; null if it was too large
  raw text,
  primary key (account_id, id)
) partition by range (id);
-- not led by account_id: lists of an account use the primary key
create index received_messages_person on received_messages (person, account_id, id) where person is not null;
create table received_messages_default partition of received_messages default;
