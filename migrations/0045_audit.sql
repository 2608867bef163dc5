-- Who changed what in an account: one row a change, written in its transaction.

create table audit_log (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  at timestamptz not null default now(),
  actor_kind text not null check (actor_kind in ('key', 'session', 'operator', 'system')),
  actor_id uuid,
  -- the name at that time
  actor_name text,
  -- of the request
  address text,
  action text not null,
  subject_kind text not null,
  subject_id uuid not null,
  -- the new values of the fields that the contract lists
  changes jsonb not null,
  primary key (account_id, id)
);
create index audit_log_subject on audit_log (account_id, subject_id, id);
