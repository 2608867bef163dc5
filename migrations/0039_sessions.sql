-- Sessions of people in a browser, and the links with which they sign in.

create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- the key that made the session, or whose owner made its link; null: a link of the command line.
  -- The session ends with the key.
  key_id uuid references api_keys on delete cascade,
  name text not null,
  scopes text[] not null,
  -- SHA-256 of the cookie's 256 random bits
  hash bytea not null unique,
  -- from which it was made
  address text not null,
  created_at timestamptz not null default now(),
  -- to the minute; 12 hours later the session has ended
  last_used_at timestamptz not null default now(),
  ends_at timestamptz not null
);
create index sessions_of on sessions (account_id, id);
create index sessions_key on sessions (key_id);

-- A row is deleted when its link is used, so a link is valid once.
create table dashboard_links (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  key_id uuid references api_keys on delete cascade,
  name text not null,
  scopes text[] not null,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- a session of the link ends then at the latest; null: after its own 7 days
  session_ends_at timestamptz
);
create index dashboard_links_of on dashboard_links (account_id, id);
create index dashboard_links_key on dashboard_links (key_id);

-- the scope of operators: only links of the command line give it
alter table api_keys add check (not 'operator' = any (scopes));
