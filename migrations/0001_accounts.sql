-- Accounts, their API keys, and the keys that make a repeated request answer as the first did.

create table accounts (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  scopes text[] not null,
  -- SHA-256 of the whole key: 256 random bits need no slow hash
  hash bytea not null unique,
  -- last four characters, to tell keys apart in a list
  hint text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_of on api_keys (account_id, id);

create table idempotency_keys (
  account_id uuid not null,
  operation text not null,
  key uuid not null,
  -- SHA-256 of the canonical JSON body
  fingerprint bytea not null,
  -- the booking or send that this key made
  subject_id uuid not null,
  -- until then the first request is under way; afterwards a repeat continues the same subject
  leased_until timestamptz not null,
  -- both null until answered; the bytes are sent again as they are
  status smallint,
  body text,
  created_at timestamptz not null default now(),
  primary key (account_id, operation, key),
  check ((status is null) = (body is null))
);
create index idempotency_keys_age on idempotency_keys (created_at);
create index idempotency_keys_subject on idempotency_keys (subject_id);
