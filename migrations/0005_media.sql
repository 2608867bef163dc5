-- Uploaded files and where each is registered with the platform. The bytes lie sealed in the object store, never here.

create table media (
  id uuid primary key,
  -- no cascade: a row must not go before its object
  account_id uuid not null references accounts,
  -- what callers know it by: the platform's id of its first registration
  public_id text,
  -- receiving and registering: an upload is under way, or died; ready: callers see it; removing: its objects are to go
  state text not null check (state in ('receiving', 'registering', 'ready', 'removing')),
  kind text not null check (kind in ('image', 'video', 'document')),
  mime_type text not null,
  file_name text not null,
  -- of the clear bytes
  size integer check (size > 0),
  sha256 bytea,
  object_key text not null,
  -- the file's own key, sealed: a rotation seals this anew and leaves the object as it is
  file_key bytea not null,
  -- null: nobody has to look at it; the lease is this moved forward
  due_at timestamptz,
  attempts smallint not null default 0,
  created_at timestamptz not null default now(),
  unique (account_id, public_id),
  check ((size is null) = (sha256 is null)),
  check (state <> 'ready' or (public_id is not null and size is not null))
);
create index media_list on media (account_id, id) where state = 'ready';
create index media_due on media (due_at) where due_at is not null;

create table media_registrations (
  media_id uuid not null references media on delete cascade,
  -- the platform binds a file to one number
  sender_id uuid not null references senders on delete cascade,
  platform_media_id text not null,
  -- the platform forgets a file 30 days after its upload
  expires_at timestamptz not null,
  primary key (media_id, sender_id)
);
create index media_registrations_sender on media_registrations (sender_id);
