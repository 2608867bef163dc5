-- Senders, templates, sends and messages. Hot statements meet messages by primary key; see ARCHITECTURE.md for the laws of its indexes.

create table senders (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  phone_number_id text not null,
  business_account_id text not null,
  display_phone text,
  -- sealed: never stored or shown in the clear
  access_token bytea not null,
  app_secret bytea not null,
  verify_token bytea not null,
  -- SHA-256 of the app secret: one platform app posts all its numbers to one address, and this finds the numbers of one app
  app_secret_hash bytea not null,
  api_url text,
  messages_per_second integer not null default 80 check (messages_per_second between 1 and 1000),
  is_default boolean not null default false,
  halted_at timestamptz,
  halted_reason text,
  halted_error jsonb,
  -- when a halt was last lifted: what was sent before says nothing about the number since
  resumed_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account_id, phone_number_id)
);
create unique index senders_default on senders (account_id) where is_default;
create index senders_app on senders (phone_number_id, app_secret_hash);

-- the reading of a business account's list of templates: one for all its numbers, since the platform limits how often it may be asked for
create table template_readings (
  account_id uuid not null references accounts on delete cascade,
  business_account_id text not null,
  -- when the list is read next; the lease of the reader is this moved forward
  due_at timestamptz not null default now(),
  -- not again before this, whoever asks
  not_before timestamptz not null default now(),
  -- when somebody last asked for it; a reading that began before does not answer that
  wanted_at timestamptz not null default now(),
  begun_at timestamptz,
  ended_at timestamptz,
  -- when it last went well, and how many templates there were
  read_at timestamptz,
  template_count integer,
  attempts smallint not null default 0,
  failure text,
  primary key (account_id, business_account_id)
);
create index template_readings_due on template_readings (due_at);

-- the GCRA row of a number: apart from senders and with room on its page, so that every reservation is a heap-only update
create table sender_paces (
  sender_id uuid primary key references senders on delete cascade,
  per_second integer not null check (per_second between 1 and 1000),
  -- the rate that the platform's throttling brought it down to, and when: from there it recovers by 5 % a second
  slowed_to real,
  slowed_at timestamptz,
  -- theoretical arrival time: the instant of the next free slot
  tat timestamptz not null default '-infinity'
) with (fillfactor = 10);

create table templates (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- null for a draft made before any sender exists
  business_account_id text,
  provider_template_id text,
  name text not null,
  language text not null,
  category text not null,
  status text not null check (status in ('approved', 'submitted', 'draft')),
  provider_status text,
  parameter_format text not null default 'positional' check (parameter_format in ('positional', 'named')),
  components jsonb not null,
  quality_score text,
  rejected_reason text,
  -- when it is to be read by itself, since the platform said that its text changed; null: nobody has to
  read_due_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (account_id, business_account_id, name, language)
);
create index templates_list on templates (account_id, created_at desc, id desc);
create index templates_read_due on templates (read_due_at) where read_due_at is not null;
create index templates_provider on templates (business_account_id, provider_template_id);

create table sends (
  account_id uuid not null,
  id uuid not null,
  sender_id uuid not null,
  template_id uuid not null,
  -- frozen here: a template that changes or goes while messages wait does not change what was promised
  template_name text not null,
  language text not null,
  total integer not null,
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

create table messages (
  account_id uuid not null,
  -- UUIDv7: the time of creation, and the partition key
  id uuid not null,
  send_id uuid not null,
  sender_id uuid not null,
  template_id uuid not null,
  phone text not null,
  name text,
  -- the filled components, in our own words; the adapter turns them into the platform's
  content jsonb not null,
  -- the stored file of a media header
  media_id uuid,
  metadata jsonb,
  -- place in the order of recipients
  position smallint not null default 0,
  -- 0 authentication, 1 utility, 2 marketing; never updated
  priority smallint not null default 2,
  -- 0 queued 1 dispatching 2 accepted 3 sent 4 delivered 5 read 6 failed. In no index and no index predicate, so that its moves stay heap-only
  state smallint not null default 0,
  -- stages told to the account owner: 1 sent, 2 delivered, 4 read, 8 failed; was: what had been told before the last move
  emitted smallint not null default 0,
  was smallint not null default 0,
  -- of those, the stages never reported but implied by a later one
  implied smallint not null default 0,
  attempts smallint not null default 0,
  -- null: nobody has to look at it again; the lease is this moved forward
  due_at timestamptz,
  expires_at timestamptz not null,
  wamid text,
  error jsonb,
  price_category text,
  accepted_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  -- the only index that leads with account_id: the planner of an empty database would take another one and filter
  primary key (account_id, id)
) partition by range (id);
create index messages_due on messages (sender_id, priority, due_at) where due_at is not null;
create index messages_wamid on messages (wamid) where wamid is not null;
create index messages_phone on messages (phone, account_id);
create index messages_send on messages (send_id);
create index messages_media on messages (media_id) where media_id is not null and due_at is not null;
-- messages that failed are few and looked for; partial over what no other move changes, so that those stay heap-only
create index messages_failed on messages (account_id, id) where failed_at is not null;
create table messages_default partition of messages default
  with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
