-- Connecting numbers: what the platform says of each number, and the checks made of it.
-- the platform's app of the credential; null for senders added before, until their first check
alter table senders add column app_id text;
-- true: messages_per_second is what the platform grants the number, not what the account chose
alter table senders add column follows_throughput boolean not null default false;

-- one row per sender, apart from senders, whose rows hot statements read
create table sender_states (
  sender_id uuid primary key references senders on delete cascade,
  verified_name text,
  quality_rating text,
  messaging_limit text,
  -- messages per second that the platform grants; null: unknown
  throughput integer,
  -- null: it does not expire, or was never inspected
  token_expires_at timestamptz,
  -- when the platform last made its handshake with the sender's address, and last posted a callback of this number
  handshake_at timestamptz,
  last_callback_at timestamptz,
  -- [{name, status, detail, fix, checkedAt, reported, candidate}]; reported: the status that the last event or the first run had
  checks jsonb not null default '[]',
  -- when the checks run next; a lease is this moved forward
  due_at timestamptz not null default now()
);
create index sender_states_due on sender_states (due_at);
insert into sender_states (sender_id) select id from senders;
