-- Sends that are drafted, scheduled, paused and fed into the queue in portions.

-- existing rows are plain sends: started, not listed, nothing kept apart
alter table sends add column name text;
-- shown by the list of sends without kind=all: made as a draft, or with a name or a time
alter table sends add column listed boolean not null default false;
-- draft, scheduled, or started with recipients kept apart or not known to be done; false for plain sends unless paused
alter table sends add column is_open boolean not null default false;
-- 0 draft 1 scheduled 2 started
alter table sends add column stage smallint not null default 2 check (stage in (0, 1, 2));
alter table sends add column send_at timestamptz;
alter table sends add column started_at timestamptz;
-- no dispatch of its messages begins while this is set
alter table sends add column paused_at timestamptz;
alter table sends add column paused_reason text;
alter table sends add column done_at timestamptz;
alter table sends add column expires_in integer;
-- null until it starts, and for sends made before
alter table sends add column expires_at timestamptz;
-- of its messages; null for sends made before
alter table sends add column priority smallint;
-- {mediaId, location, metadata} for the recipients that are added
alter table sends add column defaults jsonb;
-- of the template, as the recipients were checked against them; null: not known to fit
alter table sends add column components jsonb;
-- the upload of recipients in progress, and the end of its lease
alter table sends add column upload_id uuid;
alter table sends add column upload_until timestamptz;
-- the highest id of a recipient that was kept apart; null: none was
alter table sends add column last_recipient_id uuid;
create index sends_listed on sends (account_id, id) where listed;
create index sends_open on sends (account_id, id) where is_open;

-- recipients that are kept apart from the queue; feeding moves a row to messages, pausing moves it back
create table send_recipients (
  send_id uuid not null,
  phone text not null,
  account_id uuid not null,
  -- the id of its message, assigned when the recipient is added; the order of feeding
  id uuid not null,
  name text,
  content jsonb not null,
  media_id uuid,
  metadata jsonb,
  position smallint not null default 0,
  -- of a message that was returned: its calls so far, and the platform's last rejection
  attempts smallint not null default 0,
  error jsonb,
  primary key (send_id, phone)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
create unique index send_recipients_order on send_recipients (send_id, id);
create index send_recipients_media on send_recipients (media_id) where media_id is not null;

-- the worker's next step for a send: start, feed, return, expire, cancel; the lease is due_at moved forward
create table send_feeds (
  send_id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  due_at timestamptz not null
);
create index send_feeds_due on send_feeds (due_at);
