-- What stops many messages at once: templates that the platform does not take, and sends that are being cancelled.

-- templates of which messages were parked (due only when they expire), until the last of them is due again
create table template_holds (
  template_id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- when one was last parked
  parked_at timestamptz not null default now()
);
-- templates whose messages were held before this table existed; those without any are dropped at their next approval
insert into template_holds (template_id, account_id)
  select id, account_id from templates where status = 'submitted';

-- sends that were cancelled while messages of them waited, until the last of those is failed
create table send_cancellations (
  account_id uuid not null references accounts on delete cascade,
  send_id uuid not null,
  -- when the next part of it is done; the lease is this moved forward
  due_at timestamptz not null,
  primary key (account_id, send_id)
);
create index send_cancellations_due on send_cancellations (due_at);
