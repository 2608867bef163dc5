-- Erasure of one person: what is still to do, and opt-outs of people whose numbers are no longer stored.
-- kind: expand

create table erasures (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- encrypted: whom it is about; empty once everything is erased
  subject bytea not null,
  created_at timestamptz not null default now(),
  -- the lease is this moved forward; null: finished
  due_at timestamptz
);
create index erasures_due on erasures (due_at) where due_at is not null;

-- one row: the key of the hashes below, encrypted, because hashes with an encryption key would be lost with it
create table erasure_keys (
  id uuid primary key,
  single boolean not null default true unique check (single),
  key bytea not null
);

create table erased_opt_outs (
  account_id uuid not null references accounts on delete cascade,
  -- HMAC-SHA-256 of an identity
  hash bytea not null,
  scope smallint not null check (scope between 1 and 2),
  source smallint not null check (source between 0 and 4),
  acted_at timestamptz not null,
  primary key (account_id, hash)
);
